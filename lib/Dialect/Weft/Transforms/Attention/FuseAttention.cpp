//===- FuseAttention.cpp - weft-fuse-attention ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A softmax over s and the contraction over s that consumes it become one streaming op: what is an
// attention is decided by AttentionMatch, what becomes of its score by AttentionScore.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionMatch.h"
#include "AttentionScore.h"
#include "Cost.h"
#include "IndexDependence.h"
#include "MaskMatch.h"
#include "PositionPairs.h"
#include "ProductFactors.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
/// Puts a streaming op in the place of weights and the sum that consumes them.
class AttentionFusion {
public:
  AttentionFusion(RewriterBase &rewriter, const AttentionMatch &match)
      : rewriter(rewriter), match(match), consumer(match.consumer), softmax(match.softmax) {}

  /// Gives the fused op; null and a reason, and nothing changed, if the score cannot be computed
  /// for one pair at a time.
  Operation *run();
  StringRef getReason() const { return reason; }

private:
  bool emitScore(AttentionScore &score, FormulaBuilder &formula, Value &element, Value &condition);
  Operation *build();
  Value buildScale(Value attention);

  RewriterBase &rewriter;
  AttentionMatch match;
  FormulaOpInterface consumer;
  SoftmaxOp softmax; ///< null if nothing is normalised
  std::string reason;
};
} // namespace

/// The scale of the consumer, applied to what it would have scaled.
Value AttentionFusion::buildScale(Value attention) {
  if (match.scale == 1.0)
    return attention;
  Location loc = consumer.getLoc();
  auto type = cast<RankedTensorType>(attention.getType());
  SmallVector<IndexAttr> indices;
  SmallVector<AffineExpr> at;
  for (unsigned i = 0, e = type.getRank(); i != e; ++i) {
    indices.push_back(consumer.getIndexAttr(i));
    at.push_back(rewriter.getAffineDimExpr(i));
  }
  FormulaBuilder formula(rewriter.getContext(), indices);
  Value element = formula.read(formula.getBody(), attention, at, loc);
  OpBuilder body = getBuilderAtEnd(formula.getBody(), rewriter.getContext());
  Value constant = arith::ConstantOp::create(body, loc, body.getF32FloatAttr(match.scale));
  Value result = arith::MulFOp::create(body, loc, element, constant);
  auto op = MapOp::create(rewriter, loc, type, attention, Value(), formula.getIndicesAttr(),
                          formula.getMapsAttr(), ArrayAttr());
  finishRegion(formula.getBody(), op.getBody(), result, loc);
  copyLabel(consumer, op);
  return op->getResult(0);
}

/// Emits the score and the predicate (null if there is none); false and a reason if that fails.
bool AttentionFusion::emitScore(AttentionScore &score, FormulaBuilder &formula, Value &element,
                                Value &condition) {
  AffineMap map = consumer.getInputMap(match.weightOperand);
  OpBuilder body = getBuilderAtEnd(formula.getBody(), rewriter.getContext());
  OpBuilder predicate = getBuilderAtEnd(formula.getPredicate(), rewriter.getContext());
  IndexValues identity = getIdentityIndices(rewriter.getContext(), consumer.getNumIndices());
  FormulaOpInterface owner = softmax ? FormulaOpInterface(softmax) : consumer;
  if (softmax)
    element =
        score.emitRegion(body, formula.getBody(), softmax, softmax.getBody(), getIndexValues(map));
  else
    element = score.emitElement(body, formula.getBody(), match.getWeights(), map, identity,
                                consumer.getLoc());
  bool hasPredicate = owner->getNumRegions() > 1 && !owner->getRegion(1).empty();
  if (element && hasPredicate)
    condition = score.emitRegion(predicate, formula.getPredicate(), owner, owner->getRegion(1),
                                 softmax ? getIndexValues(map) : identity);
  if (element && (condition || !hasPredicate))
    return true;
  reason = score.getFailure().str();
  return false;
}

Operation *AttentionFusion::build() {
  Operation *weights = match.getWeights().getDefiningOp();
  Location loc = rewriter.getFusedLoc({weights->getLoc(), consumer.getLoc()});
  FormulaBuilder formula(rewriter.getContext(),
                         SmallVector<IndexAttr>(consumer.getIndices().getAsRange<IndexAttr>()));
  double numPoints =
      countPoints(consumer, getUsedIndices(consumer.getInputMap(match.weightOperand)));
  AttentionScore score(formula, consumer.getNumOutputIndices(), match.queries, numPoints);
  Value element, condition;
  if (!emitScore(score, formula, element, condition))
    return nullptr;

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<double> scales;
  for (const DotProduct &dot : score.getDots()) {
    inputs.append({dot.query, dot.key});
    maps.append({formula.getMap(dot.queryAt), formula.getMap(dot.keyAt)});
    scales.push_back(dot.scale);
  }
  inputs.push_back(match.getValue());
  maps.push_back(formula.getMap(consumer.getInputMap(match.valueOperand).getResults()));
  llvm::append_range(inputs, formula.getReads());
  llvm::append_range(maps, formula.getReadMaps());

  rewriter.setInsertionPoint(consumer);
  auto normalizer =
      NormalizerAttr::get(rewriter.getContext(), softmax ? Normalizer::Softmax : Normalizer::None);
  auto attention = AttentionOp::create(
      rewriter, loc, consumer->getResult(0).getType(), normalizer, inputs, ValueRange(),
      rewriter.getI64IntegerAttr(scales.size()), formula.getIndicesAttr(),
      rewriter.getAffineMapArrayAttr(maps), ArrayAttr(), rewriter.getDenseF64ArrayAttr(scales),
      AffineMapAttr(), AffineMapAttr(), ArrayAttr());
  finishRegion(formula.getBody(), attention.getScore(), element, loc);
  if (condition)
    finishRegion(formula.getPredicate(), attention.getPredicate(), condition, loc);
  if (match.scale == 1.0)
    copyLabel(consumer, attention);
  else
    labelPart(consumer, attention);
  formula.nameFolded(attention);
  addFolded(attention, weights);
  addFolded(attention, consumer);
  return attention;
}

Operation *AttentionFusion::run() {
  Operation *weights = match.getWeights().getDefiningOp();
  Operation *attention = build();
  if (!attention)
    return nullptr;
  rewriter.replaceOp(consumer, buildScale(attention->getResult(0)));
  eraseIfDead(rewriter, weights);
  return attention;
}

namespace {
class FuseAttentionPass : public weft::impl::FuseAttentionPassBase<FuseAttentionPass> {
public:
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    fuseSoftmaxes(rewriter);
    getOperation()->walk([](ReduceOp op) { moveMasks(op); });
    // What is left of sums over pairs. A fusion erases the sums in its score, so each starts anew.
    while (fuseOneSum(rewriter))
      ++numFused;
  }

private:
  /// Does not sum the terms over pairs that are 0 where a condition fails: the factors of
  /// `sum(s) (if s <= t then w[t, s] else 0) * v[s]` are w and v.
  static void moveMasks(ReduceOp sum) {
    auto formula = cast<FormulaOpInterface>(sum.getOperation());
    if (sum.getKind() != ReduceKind::Sum)
      return;
    OpOperand &term = sum.getBody().front().getTerminator()->getOpOperand(0);
    for (auto mask = matchTermMask(term);
         mask && hasTwoPositions(formula, getDependence(formula, mask->place->get()));
         mask = matchTermMask(term)) {
      addConjunct(sum.getBody(), sum.getPredicate(), 0, mask->condition, mask->negated);
      mask->takeOff();
    }
    eraseDeadCode(sum.getBody());
  }

  bool fuseOneSum(RewriterBase &rewriter) {
    return getOperation()
        ->walk([&](FormulaOpInterface op) {
          AttentionMatch match;
          bool fused = isa<ContractOp, ReduceOp>(op) && match.matchSum(op) &&
                       AttentionFusion(rewriter, match).run();
          return fused ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void fuseSoftmaxes(RewriterBase &rewriter) {
    SmallVector<SoftmaxOp> softmaxes;
    getOperation()->walk([&](SoftmaxOp op) { softmaxes.push_back(op); });
    PositionPairs pairs;
    // A later softmax may have an earlier attention in its chain, never the other way round.
    for (SoftmaxOp softmax : softmaxes) {
      std::string reason = fuse(rewriter, softmax);
      if (reason.empty()) {
        ++numFused;
        pairs = PositionPairs();
        continue;
      }
      // A softmax over classes, or one that chooses experts, is nothing that was missed.
      bool isMissed = pairs.areWeights(softmax->getResult(0));
      if (isMissed) {
        ++numMissed;
        attrs::UnfusedReason::set(softmax, reason);
      }
      if (remarks)
        softmax->emitRemark() << getLabel(softmax)
                              << (isMissed
                                      ? " is not fused into attention: " + reason
                                      : " is no attention: nothing sums its weights with values");
    }
  }

  /// Empty, or why not.
  std::string fuse(RewriterBase &rewriter, SoftmaxOp softmax) {
    AttentionMatch match;
    if (!match.matchSoftmax(softmax))
      return match.reason;
    AttentionFusion fusion(rewriter, match);
    return fusion.run() ? "" : fusion.getReason().str();
  }
};
} // namespace
