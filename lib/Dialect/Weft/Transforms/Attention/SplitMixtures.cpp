//===- SplitMixtures.cpp - weft-split-mixtures ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An attention has one softmax. What sums values by a difference of two is a difference of two
// attentions, as sums are linear; where both are one softmax of a dimension more, which is read at
// 0 and at 1, each becomes one of its own, and so do the scores that it reads.
//
//===----------------------------------------------------------------------------------------===//

#include "ElementWriter.h"
#include "ProductFactors.h"
#include "ReadPlaces.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_SPLITMIXTURESPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Shares of a mixture, at most: an attention each. What is added to itself again and again has
/// more.
static constexpr unsigned kMostShares = 16;

namespace {
/// A softmax's weights, which the mixture reads as input `weights`, times what is the same for all
/// keys.
struct Share {
  unsigned weights;
  SmallVector<Value> factors;
  double scale;
};

/// A sum over keys of values and of weights that are such shares, added up.
class Mixture {
public:
  Mixture(ContractOp sum, unsigned operand) : sum(sum), consumer(sum), operand(operand) {}

  bool match();
  void split(RewriterBase &rewriter);

private:
  bool matchShares(Value value, double scale);
  bool matchShare(Value value, double scale);
  bool canFuse();
  Value buildSum(RewriterBase &rewriter, const Share &share);

  ContractOp sum;
  FormulaOpInterface consumer;
  unsigned operand; ///< of the sum, what the mixture is
  MapOp mixture;
  FormulaOpInterface weights; ///< the mixture
  unsigned key = 0;           ///< of its indices
  SmallVector<Share> shares;
};
} // namespace

bool Mixture::match() {
  mixture = sum.getInputs()[operand].getDefiningOp<MapOp>();
  unsigned numOutput = consumer.getNumOutputIndices();
  if (!mixture || !mixture->hasOneUse() || mixture.getOutputMapsAttr() || sum.getChosen() ||
      sum.getApart() || !sum.getEpilogue().empty() || consumer.getNumIndices() != numOutput + 1 ||
      !isStoredAsComputed(mixture.getResult()) || !isStoredAsComputed(sum->getResult(0)))
    return false;
  weights = mixture;
  std::optional<SmallVector<unsigned>> dims = getDistinctDims(consumer.getInputMap(operand));
  if (!dims || !llvm::is_contained(*dims, numOutput))
    return false;
  key = llvm::find(*dims, numOutput) - dims->begin();
  return matchShares(mixture.getBody().front().getTerminator()->getOperand(0), 1.0) && canFuse();
}

bool Mixture::matchShares(Value value, double scale) {
  Operation *def = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp, arith::SubFOp>(def))
    return matchShares(def->getOperand(0), scale) &&
           matchShares(def->getOperand(1), isa<arith::SubFOp>(def) ? -scale : scale);
  return matchShare(value, scale);
}

bool Mixture::matchShare(Value value, double scale) {
  Share share{0, {}, scale};
  SmallVector<Value> factors;
  collectFactors(value, factors, share.scale);
  bool hasWeights = false;
  for (Value factor : factors) {
    if (!getDependence(weights, factor).test(key)) {
      share.factors.push_back(factor);
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(factor);
    if (!argument || hasWeights)
      return false;
    share.weights = argument.getArgNumber();
    auto softmax = weights.getInputs()[share.weights].getDefiningOp<SoftmaxOp>();
    AffineExpr expected = getAffineDimExpr(key, sum.getContext());
    if (!softmax || softmax.getOutputMapsAttr() || softmax.getNormalizer() != Normalizer::Softmax ||
        weights.getInputMap(share.weights).getResult(softmax.getAxis()) != expected)
      return false;
    hasWeights = true;
  }
  shares.push_back(share);
  return hasWeights && shares.size() <= kMostShares;
}

/// Each softmax is read once, or can be made so: else its weights stay in memory as well.
bool Mixture::canFuse() {
  llvm::SmallDenseSet<unsigned> seen;
  return llvm::all_of(shares, [&](const Share &share) {
    Value tensor = weights.getInputs()[share.weights];
    return seen.insert(share.weights).second &&
           (tensor.hasOneUse() || findPlaces(tensor.getDefiningOp<FormulaOpInterface>()));
  });
}

/// The sum of values and of a share's weights alone.
Value Mixture::buildSum(RewriterBase &rewriter, const Share &share) {
  auto part = cast<ContractOp>(rewriter.clone(*sum));
  part->setOperand(operand, weights.getInputs()[share.weights]);
  AffineMap map = weights.getInputMap(share.weights).compose(consumer.getInputMap(operand));
  cast<FormulaOpInterface>(part.getOperation()).setInputMap(operand, map);
  labelPart(sum, part);
  return part->getResult(0);
}

void Mixture::split(RewriterBase &rewriter) {
  rewriter.setInsertionPoint(sum);
  Location loc = sum.getLoc();
  SmallVector<IndexAttr> indices = consumer.getIndexList();
  indices.pop_back();
  ElementWriter writer(rewriter, loc, indices);
  IndexValues places = getIndexValues(consumer.getInputMap(operand));
  places[key].expr = rewriter.getAffineConstantExpr(0); // of which nothing here depends
  Value total;
  for (const Share &share : shares) {
    Value value = writer.read(buildSum(rewriter, share));
    for (Value factor : share.factors)
      value = writer.multiply(value, writer.copy(weights, factor, places));
    bool isTaken = total && share.scale < 0;
    value = writer.scale(value, isTaken ? -share.scale : share.scale);
    total = !total    ? value
            : isTaken ? arith::SubFOp::create(writer.getBody(), loc, total, value).getResult()
                      : arith::AddFOp::create(writer.getBody(), loc, total, value).getResult();
  }
  MapOp result = writer.buildMap(sum->getResult(0).getType(), total, sum.getOutputMapsAttr());
  copyLabel(sum, result);
  addFolded(result, mixture);
  rewriter.replaceOp(sum, result.getResult());
  rewriter.eraseOp(mixture);
}

/// Whether all that reads a softmax are sums over its axis.
static bool areWeights(SoftmaxOp op) {
  return !op.getOutputMapsAttr() && llvm::all_of(op->getResult(0).getUses(), [&](OpOperand &use) {
    if (!isa<ContractOp>(use.getOwner()) || use.getOperandNumber() > 1)
      return false;
    auto key = dyn_cast<AffineDimExpr>(getReadMap(use).getResult(op.getAxis()));
    return key && cast<FormulaOpInterface>(use.getOwner()).isReduced(key.getPosition());
  });
}

namespace {
class SplitMixturesPass : public weft::impl::SplitMixturesPassBase<SplitMixturesPass> {
public:
  using SplitMixturesPassBase::SplitMixturesPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ContractOp> sums;
    getOperation()->walk([&](ContractOp op) { sums.push_back(op); });
    for (ContractOp sum : sums)
      for (unsigned operand : {0, 1})
        if (Mixture mixture(sum, operand); mixture.match()) {
          mixture.split(rewriter);
          ++numSplit;
          break;
        }
    SmallVector<SoftmaxOp> softmaxes;
    getOperation()->walk([&](SoftmaxOp op) { softmaxes.push_back(op); });
    for (SoftmaxOp softmax : softmaxes)
      if (areWeights(softmax))
        splitPlaces(rewriter, softmax);
  }
};
} // namespace
