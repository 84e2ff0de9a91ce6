//===- OrderSums.cpp - weft-order-sums ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Vectors along a summed index add up every width-th element, those along results one after the
// other. Which is cheaper depends on how tensors lie, and a cache lies otherwise than the whole: so
// it is decided for the formulas of the text, as their tensors are written.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/AccessCost.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_ORDERSUMSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Lanes of the widest vectors: a choice for all processors.
static constexpr int64_t kWidth = 16;

/// Whether another order of the elements gives other bits.
static bool isSum(FormulaOpInterface op) {
  auto reduce = dyn_cast<ReduceOp>(op.getOperation());
  if (!reduce)
    return isa<ContractOp>(op.getOperation());
  ReduceKind kind = reduce.getKind();
  return kind == ReduceKind::Sum || kind == ReduceKind::Mean || kind == ReduceKind::Prod;
}

/// The cheapest index; the output's first, as it needs no horizontal step. Where positions are
/// computed one by one, those that are summed come last, as a cache need not begin with the first,
/// and those of results before them, as vectors along them are mostly empty.
static std::optional<unsigned> chooseLane(FormulaOpInterface op, bool generates) {
  SmallVector<unsigned> candidates;
  if (std::optional<unsigned> last = getLastOutput(op))
    candidates.push_back(*last);
  for (unsigned i = op.getNumIndices(); i-- > op.getNumOutputIndices();)
    if (op.isReduced(i) && op.getIndexAttr(i).getExtent() != 1)
      candidates.push_back(i);
  for (bool summed : {true, false}) {
    auto isLast = [&](unsigned i) {
      return generates && op.getIndexAttr(i).getDynamic() && op.isReduced(i) == summed;
    };
    if (!llvm::all_of(candidates, isLast))
      llvm::erase_if(candidates, isLast);
  }
  auto best = llvm::min_element(candidates, [&](unsigned i, unsigned j) {
    return getLaneCost(op, i, kWidth) < getLaneCost(op, j, kWidth);
  });
  return best == candidates.end() ? std::nullopt : std::optional(*best);
}

namespace {

struct OrderSumsPass : weft::impl::OrderSumsPassBase<OrderSumsPass> {
  void runOnOperation() override {
    bool generating = generates(getOperation());
    getOperation().walk([&](FormulaOpInterface op) {
      if (!isSum(op) || attrs::Lane::isOn(op))
        return;
      std::optional<unsigned> lane = chooseLane(op, generating);
      bool isSummed = lane && op.isReduced(*lane);
      attrs::Lane::set(op, isSummed ? int64_t(*lane) - op.getNumOutputIndices() : -1);
    });
  }
};

} // namespace
