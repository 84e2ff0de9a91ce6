//===- FuseMask.cpp - weft-fuse-mask --------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Whatever way a mask is written, it ends as a predicate: of that, the part that is affine in the
// positions becomes the interval of keys a query can see. Keys outside are never visited.
//
//===----------------------------------------------------------------------------------------===//

#include "MaskMatch.h"
#include "PredicateBounds.h"
#include "ProductFactors.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {
#define GEN_PASS_DEF_FUSEMASKPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
class MaskFusion {
public:
  MaskFusion(RewriterBase &rewriter, AttentionOp op, double threshold)
      : rewriter(rewriter), op(op), threshold(threshold) {}

  /// Moves masks of the score into the predicate. Returns how many.
  unsigned moveMasks();
  /// Turns affine conjuncts of the predicate into the key interval. Returns how many.
  unsigned splitInterval();

private:
  bool isPredicateCode(Value value);
  bool leavesKeys(const MaskMatch &mask);
  std::optional<MaskMatch> matchMask();
  Value emitNot(OpBuilder &builder, Value value);

  RewriterBase &rewriter;
  AttentionOp op;
  double threshold;
};
} // namespace

Value MaskFusion::emitNot(OpBuilder &builder, Value value) {
  Value one = arith::ConstantOp::create(builder, op.getLoc(), builder.getBoolAttr(true));
  return arith::XOrIOp::create(builder, op.getLoc(), value, one);
}

/// Whether `value` of the score region can be computed in the predicate region: not from a dot.
bool MaskFusion::isPredicateCode(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() != &op.getScore().front() || argument.getArgNumber() >= op.getDots();
  Operation *def = op.getScore().findAncestorOpInRegion(*value.getDefiningOp());
  if (!def)
    return true;
  auto result = def->walk([&](Operation *nested) {
    return llvm::all_of(nested->getOperands(),
                        [&](Value operand) { return isPredicateCode(operand); })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether every query keeps a key for which `mask` and the predicate hold. A row that a finite
/// mask covers whole is the softmax of its scores, but a row without keys is 0.
bool MaskFusion::leavesKeys(const MaskMatch &mask) {
  SmallVector<Conjunct> conjuncts;
  collectConjuncts(mask.condition, mask.negated, conjuncts);
  if (!op.getPredicate().empty())
    collectConjuncts(op.getPredicate().front().getTerminator()->getOperand(0), false, conjuncts);
  IndexInterval interval(rewriter.getContext(), op.getKeyIndex(), op.getNumOutputIndices());
  interval.start(op.getKeyLowerAttr(), op.getKeyUpperAttr(), op.getBoundSymbolsAttr());
  if (!llvm::all_of(conjuncts, [&](Conjunct conjunct) { return interval.add(conjunct); }))
    return false;
  // The first key, or the one at the query's own position.
  if (interval.contains(rewriter.getAffineConstantExpr(0)))
    return true;
  IndexAttr key = op.getIndexAttr(op.getKeyIndex());
  for (unsigned i = 0; i != op.getKeyIndex(); ++i) {
    IndexAttr query = op.getIndexAttr(i);
    if (query.getDim() == key.getDim() && query.getSize() == key.getSize() &&
        query.getDynamic() == key.getDynamic() && interval.contains(rewriter.getAffineDimExpr(i)))
      return true;
  }
  return false;
}

/// What masks the value that the score yields: among normalised scores, or among the terms of a
/// sum.
std::optional<MaskMatch> MaskFusion::matchMask() {
  OpOperand &place = op.getScore().front().getTerminator()->getOpOperand(0);
  return op.getNormalizer() == Normalizer::Softmax ? matchScoreMask(place, threshold)
                                                   : matchTermMask(place);
}

unsigned MaskFusion::moveMasks() {
  unsigned numMoved = 0;
  while (std::optional<MaskMatch> mask = matchMask()) {
    if (!isPredicateCode(mask->condition) || (!mask->isNeutral && !leavesKeys(*mask)))
      break;
    addConjunct(op.getScore(), op.getPredicate(), op.getDots(), mask->condition, mask->negated);
    mask->takeOff();
    ++numMoved;
  }
  return numMoved;
}

unsigned MaskFusion::splitInterval() {
  if (op.getPredicate().empty())
    return 0;
  Operation *yield = op.getPredicate().front().getTerminator();
  SmallVector<Conjunct> conjuncts, residual;
  collectConjuncts(yield->getOperand(0), false, conjuncts);
  IndexInterval interval(rewriter.getContext(), op.getKeyIndex(), op.getNumOutputIndices());
  interval.start(op.getKeyLowerAttr(), op.getKeyUpperAttr(), op.getBoundSymbolsAttr());
  for (Conjunct conjunct : conjuncts)
    if (!interval.add(conjunct))
      residual.push_back(conjunct);
  unsigned numSplit = conjuncts.size() - residual.size();
  if (numSplit) {
    op.setKeyLowerAttr(interval.getLower());
    op.setKeyUpperAttr(interval.getUpper());
    op.setBoundSymbolsAttr(interval.getSymbols());
  }
  if (residual.empty()) {
    op.getPredicate().getBlocks().clear();
    return numSplit;
  }
  OpBuilder builder(yield);
  Value all;
  for (Conjunct conjunct : residual) {
    Value value = conjunct.negated ? emitNot(builder, conjunct.condition) : conjunct.condition;
    all = all ? arith::AndIOp::create(builder, op.getLoc(), all, value) : value;
  }
  if (numSplit)
    yield->setOperand(0, all);
  eraseDeadCode(op.getPredicate());
  return numSplit;
}

namespace {
class FuseMaskPass : public weft::impl::FuseMaskPassBase<FuseMaskPass> {
public:
  using FuseMaskPassBase::FuseMaskPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](AttentionOp op) {
      MaskFusion fusion(rewriter, op, threshold);
      numMasks += fusion.moveMasks();
      numIntervals += fusion.splitInterval();
      eraseDeadCode(op.getScore());
    });
  }
};
} // namespace
