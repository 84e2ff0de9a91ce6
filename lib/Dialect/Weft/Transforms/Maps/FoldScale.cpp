//===- FoldScale.cpp - weft-fold-scale ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A constant factor behind a sum of products costs nothing inside it: the scale of a contraction or
// of an attention's dot product is applied to the accumulator.
//
//===----------------------------------------------------------------------------------------===//

#include "ProductFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {
#define GEN_PASS_DEF_FOLDSCALEPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// If `value` is a constant times something (not a constant alone), the two.
static std::optional<std::pair<Value, double>> splitScale(Value value) {
  if (auto op = value.getDefiningOp<arith::MulFOp>()) {
    if (std::optional<double> scale = getConstantFloat(op.getRhs()))
      return std::pair(op.getLhs(), *scale);
    if (std::optional<double> scale = getConstantFloat(op.getLhs()))
      return std::pair(op.getRhs(), *scale);
  }
  if (auto op = value.getDefiningOp<arith::DivFOp>())
    if (std::optional<double> divisor = getConstantFloat(op.getRhs()); divisor && *divisor != 0)
      return std::pair(op.getLhs(), 1.0 / *divisor);
  if (auto op = value.getDefiningOp<arith::NegFOp>())
    return std::pair(op.getOperand(), -1.0);
  return std::nullopt;
}

/// If every use of `value` multiplies it by the same constant, replaces those products by `value`
/// and returns the constant.
static std::optional<double> foldUses(RewriterBase &rewriter, Value value) {
  std::optional<double> common;
  for (Operation *user : value.getUsers()) {
    if (user->getNumResults() != 1)
      return std::nullopt;
    auto split = splitScale(user->getResult(0));
    if (!split || split->first != value || (common && *common != split->second))
      return std::nullopt;
    common = split->second;
  }
  if (!common)
    return std::nullopt;
  for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
    rewriter.replaceOp(user, value);
  return common;
}

/// map(contract * constant) ==> contract with a scale.
static bool foldMap(RewriterBase &rewriter, MapOp map) {
  if (map.getInputs().size() != 1 || !map->getResult(0).getType())
    return false;
  auto contract = map.getInputs()[0].getDefiningOp<ContractOp>();
  if (!contract || !contract.getEpilogue().empty() || !contract->getResult(0).hasOneUse() ||
      contract->getResult(0).getType() != map->getResult(0).getType() ||
      !isStoredAsComputed(contract->getResult(0)) || !map.getInputMap(0).isIdentity())
    return false;
  auto split = splitScale(map.getBody().front().getTerminator()->getOperand(0));
  if (!split || split->first != map.getBody().getArgument(0))
    return false;
  double scale = contract.getScale().convertToDouble() * split->second;
  contract.setScaleAttr(rewriter.getF64FloatAttr(scale));
  contract->setLoc(rewriter.getFusedLoc({contract.getLoc(), map.getLoc()}));
  copyLabel(map, contract);
  addFolded(contract, map);
  rewriter.replaceOp(map, contract->getResult(0));
  return true;
}

static unsigned foldAttention(RewriterBase &rewriter, AttentionOp op) {
  SmallVector<double> scales(op.getScales());
  unsigned numFolded = 0;
  for (auto [i, scale] : llvm::enumerate(scales))
    while (std::optional<double> factor = foldUses(rewriter, op.getScore().getArgument(i))) {
      scale *= *factor;
      ++numFolded;
    }
  op.setScales(scales);
  eraseDeadCode(op.getScore());
  return numFolded;
}

/// The epilogue of a contraction may begin with a factor too.
static bool foldEpilogue(RewriterBase &rewriter, ContractOp op) {
  if (op.getEpilogue().empty())
    return false;
  std::optional<double> factor = foldUses(rewriter, op.getEpilogue().getArgument(0));
  if (!factor)
    return false;
  op.setScaleAttr(rewriter.getF64FloatAttr(op.getScale().convertToDouble() * *factor));
  eraseDeadCode(op.getEpilogue());
  return true;
}

namespace {
class FoldScalePass : public weft::impl::FoldScalePassBase<FoldScalePass> {
public:
  using FoldScalePassBase::FoldScalePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // In order, so that a chain of scales folds link by link.
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto map = dyn_cast<MapOp>(op); map && foldMap(rewriter, map)) {
        ++numFolded;
        return WalkResult::skip();
      }
      if (auto attention = dyn_cast<AttentionOp>(op))
        numFolded += foldAttention(rewriter, attention);
      if (auto contract = dyn_cast<ContractOp>(op))
        numFolded += foldEpilogue(rewriter, contract);
      return WalkResult::advance();
    });
  }
};
} // namespace
