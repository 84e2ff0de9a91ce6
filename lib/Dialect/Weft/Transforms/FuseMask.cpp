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

#include "PredicateBounds.h"
#include "ProductFactors.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

namespace weft {
#define GEN_PASS_DEF_FUSEMASKPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
/// A score that is masked: `score` where the condition holds, as good as nothing elsewhere.
struct MaskedScore {
  Value score, condition;
  bool negated;
  bool isInfinite; ///< or only very negative
};
} // namespace

/// The value of a constant so negative that its exponential is 0 beside any other score.
static std::optional<double> getVeryNegative(Value value, double threshold) {
  std::optional<double> constant = getConstantFloat(value);
  return constant && *constant <= threshold ? constant : std::nullopt;
}

/// Takes one mask off `value`: `if p then e else -inf` or `e + (if p then 0 else -inf)`.
static std::optional<MaskedScore> matchMask(Value value, double threshold) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    if (auto mask = getVeryNegative(select.getFalseValue(), threshold))
      return MaskedScore{select.getTrueValue(), select.getCondition(), false, std::isinf(*mask)};
    if (auto mask = getVeryNegative(select.getTrueValue(), threshold))
      return MaskedScore{select.getFalseValue(), select.getCondition(), true, std::isinf(*mask)};
  }
  auto add = value.getDefiningOp<arith::AddFOp>();
  if (!add)
    return std::nullopt;
  for (auto [term, score] : {std::pair(add.getLhs(), add.getRhs()), {add.getRhs(), add.getLhs()}}) {
    std::optional<MaskedScore> mask = matchMask(term, threshold);
    if (!mask)
      continue;
    if (std::optional<double> zero = getConstantFloat(mask->score); zero && *zero == 0)
      return MaskedScore{score, mask->condition, mask->negated, mask->isInfinite};
  }
  return std::nullopt;
}

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
  bool leavesKeys(const MaskedScore &mask);
  void addConjunct(Value condition, bool negated);
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
bool MaskFusion::leavesKeys(const MaskedScore &mask) {
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

/// Ands a condition of the score region to the predicate.
void MaskFusion::addConjunct(Value condition, bool negated) {
  Region &predicate = op.getPredicate();
  Location loc = op.getLoc();
  ArrayRef<BlockArgument> extras = op.getScore().getArguments().drop_front(op.getDots());
  if (predicate.empty()) {
    Block &block = predicate.emplaceBlock();
    for (BlockArgument extra : extras)
      block.addArgument(extra.getType(), loc);
    OpBuilder builder = OpBuilder::atBlockEnd(&block);
    Value always = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    YieldOp::create(builder, loc, always);
  }
  Operation *yield = predicate.front().getTerminator();
  OpBuilder builder(yield);
  IRMapping mapping;
  mapping.map(extras, predicate.getArguments());
  Value value = cloneSlice(builder, op.getScore(), condition, mapping);
  if (negated)
    value = emitNot(builder, value);
  yield->setOperand(0, arith::AndIOp::create(builder, loc, yield->getOperand(0), value));
}

unsigned MaskFusion::moveMasks() {
  if (op.getNormalizer() != Normalizer::Softmax)
    return 0;
  unsigned numMoved = 0;
  Operation *yield = op.getScore().front().getTerminator();
  while (auto mask = matchMask(yield->getOperand(0), threshold)) {
    if (!isPredicateCode(mask->condition) || (!mask->isInfinite && !leavesKeys(*mask)))
      break;
    addConjunct(mask->condition, mask->negated);
    yield->setOperand(0, mask->score);
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
