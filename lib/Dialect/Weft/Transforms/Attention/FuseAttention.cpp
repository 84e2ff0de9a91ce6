//===- FuseAttention.cpp - weft-fuse-attention ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A softmax over s and the contraction over s that consumes it become one streaming op: what is an
// attention is decided by AttentionMatch, what becomes of it by AttentionFusion.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionFusion.h"
#include "MaskMatch.h"
#include "PositionPairs.h"
#include "ProductFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
class FuseAttentionPass : public weft::impl::FuseAttentionPassBase<FuseAttentionPass> {
public:
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    fuseSoftmaxes(rewriter);
    getOperation()->walk([](ReduceOp op) { moveMasks(op); });
    SmallVector<Operation *> formulas;
    getOperation()->walk([&](FormulaOpInterface op) { formulas.push_back(op); });
    for (Operation *op : formulas)
      if (isa<MapOp, ContractOp, ReduceOp>(op) && !op->use_empty() && !op->hasOneUse())
        shareOutWeights(rewriter, op);
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

  /// Weights that several sums read are computed for each of them, if none needs them in memory:
  /// less is to be done then than to write and to read them.
  static void shareOut(RewriterBase &rewriter, SoftmaxOp softmax) {
    Value weights = softmax->getResult(0);
    SmallVector<OpOperand *> uses =
        llvm::map_to_vector(weights.getUses(), [](OpOperand &use) { return &use; });
    bool allSum = llvm::all_of(
        uses, [&](OpOperand *use) { return AttentionMatch().matchUse(softmax, *use); });
    if (!allSum)
      return;
    rewriter.setInsertionPointAfter(softmax);
    for (OpOperand *use : ArrayRef(uses).drop_front())
      use->set(rewriter.clone(*softmax)->getResult(0));
  }

  /// The same of other weights, which sums of them alone may read, too.
  static void shareOutWeights(RewriterBase &rewriter, Operation *weights) {
    Value tensor = weights->getResult(0);
    SmallVector<OpOperand *> sums;
    for (OpOperand &use : tensor.getUses())
      if (auto sum = dyn_cast<FormulaOpInterface>(use.getOwner());
          sum && AttentionMatch().matchReader(sum, tensor))
        sums.push_back(&use);
    if (sums.size() < 2)
      return;
    // The first one gives the sums of the weights alone.
    llvm::sort(sums, [](OpOperand *a, OpOperand *b) {
      return a->getOwner()->isBeforeInBlock(b->getOwner());
    });
    rewriter.setInsertionPointAfter(weights);
    SmallVector<Operation *> copies;
    for (OpOperand *use : ArrayRef(sums).drop_front())
      use->set(copies.emplace_back(rewriter.clone(*weights))->getResult(0));
    SmallVector<WeightTotal> totals;
    if (matchTotals(cast<FormulaOpInterface>(sums.front()->getOwner()),
                    sums.front()->getOperandNumber(), totals))
      return;
    for (OpOperand *use : ArrayRef(sums).drop_front())
      use->set(tensor);
    for (Operation *copy : copies)
      rewriter.eraseOp(copy);
  }

  void fuseSoftmaxes(RewriterBase &rewriter) {
    SmallVector<SoftmaxOp> softmaxes;
    getOperation()->walk([&](SoftmaxOp op) { softmaxes.push_back(op); });
    for (SoftmaxOp softmax : softmaxes)
      if (!softmax->getResult(0).hasOneUse() && !softmax.use_empty())
        shareOut(rewriter, softmax);
    softmaxes.clear();
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
