//===- ReductionPlan.cpp - which loop of a reduction goes where -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/ReductionPlan.h"

#include "weft/Codegen/Common/AccessCost.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace weft;

/// Ops in the regions of a formula up to which its code may be repeated for a tile of results.
static constexpr unsigned kTiledOps = 12;

/// The inputs whose elements are reduced: not those of an epilogue.
static unsigned getNumFactors(FormulaOpInterface op) {
  return isa<ContractOp>(op.getOperation()) ? 2 : op.getInputs().size();
}

/// The index along which elements are cheapest for each lane; the output first, as it needs no
/// horizontal step.
static void chooseLanes(ReductionPlan &plan, FormulaOpInterface op, int64_t width) {
  double best = 0;
  auto consider = [&](unsigned position, bool alongOutput) {
    int64_t useful = getUsefulWidth(width, op.getIndexAttr(position));
    int64_t cost = getVectorCost(op, getNumFactors(op), position, useful);
    if (auto reduce = dyn_cast<ReduceOp>(op.getOperation()))
      cost += getGatherCost(reduce, position, useful);
    double perLane = double(cost + 1) / useful;
    if (useful == 1 || (plan.width > 1 && perLane >= best))
      return;
    best = perLane;
    plan.lane = position;
    plan.alongOutput = alongOutput;
    plan.alongReduced = !alongOutput;
    plan.width = useful;
  };
  if (!plan.rows.empty())
    consider(plan.rows.back(), true);
  for (unsigned i = op.getNumIndices(); i-- > op.getNumOutputIndices();)
    consider(i, false);
}

/// Whether the code of an element may be repeated for a tile of results.
static bool hasShortCode(FormulaOpInterface op) {
  auto reduce = dyn_cast<ReduceOp>(op.getOperation());
  if (!reduce)
    return true;
  if (reduce.getKind() == ReduceKind::ArgMax || reduce.getKind() == ReduceKind::ArgTop)
    return false;
  unsigned count = 0;
  bool hasLoop = false;
  for (Region &region : reduce->getRegions())
    region.walk([&](Operation *inner) {
      ++count;
      hasLoop |= isa<InnerOp>(inner);
    });
  return !hasLoop && count <= kTiledOps;
}

/// Whether an element that is read in the innermost loop serves all results along the index.
static bool sharesReads(FormulaOpInterface op, unsigned position) {
  return llvm::any_of(getAccesses(op, getNumFactors(op)), [&](const Access &access) {
    bool isReduced = false;
    for (unsigned i = op.getNumOutputIndices(); i != op.getNumIndices(); ++i)
      isReduced |= access.direct[i];
    return isReduced && !access.dependsOn(position);
  });
}

/// Whether what is read along the index may be read again for another value of `row`.
static bool isReadAgain(FormulaOpInterface op, unsigned position, unsigned row) {
  return llvm::any_of(getAccesses(op, getNumFactors(op)), [&](const Access &access) {
    return access.direct[position] && !access.direct[row];
  });
}

ReductionPlan::ReductionPlan(FormulaOpInterface op, LoweringAttr lowering)
    : rows(getStoredOrder(op)) {
  for (unsigned i = op.getNumOutputIndices(); i != op.getNumIndices(); ++i)
    reduced.push_back(i);
  work = getBoundProduct(op.getIndices(), reduced);
  chooseLanes(*this, op, lowering.getWidth());
  if (alongReduced)
    reduced.erase(llvm::find(reduced, lane));
  if (width > 1 && !rows.empty() && !lowering.getTile().empty())
    tile = lowering.getTile()[0];
  if (alongReduced)
    tile = std::min<int64_t>(llvm::bit_floor(uint64_t(tile)), width);
  if (tile == 1 && alongOutput) {
    work *= op.getIndexAttr(rows.pop_back_val()).getSize();
  } else if (tile > 1) {
    work *= getTileSize();
    unsigned last = rows.pop_back_val();
    bool outside = llvm::any_of(rows, [&](unsigned row) { return isReadAgain(op, last, row); });
    rows.insert(outside ? rows.begin() : rows.end(), last);
  }
}

int64_t weft::chooseReductionTile(FormulaOpInterface op, int64_t width, int64_t registers) {
  SmallVector<unsigned> order = getStoredOrder(op);
  if (width == 1 || order.empty() || !hasShortCode(op) || !sharesReads(op, order.back()))
    return 1;
  ReductionPlan plan(op, LoweringAttr::get(op->getContext(), "", width, {}, false));
  if (plan.width == 1)
    return 1;
  // With a vector of each factor the sums fill half of the registers at most.
  int64_t tile = registers >= 32 ? 8 : 4;
  int64_t vectors = op.getIndexAttr(order.back()).getSize() / (plan.alongOutput ? plan.width : 1);
  if (plan.alongReduced)
    tile = std::min(tile, plan.width); // they become the lanes of a vector
  return std::min<int64_t>(tile, llvm::bit_floor(uint64_t(std::max<int64_t>(vectors, 1))));
}
