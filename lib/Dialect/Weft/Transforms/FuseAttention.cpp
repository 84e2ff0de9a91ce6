//===- FuseAttention.cpp - weft-fuse-attention ----------------------------------------------===//
//
// A softmax over s and the contraction over s that consumes it become one streaming op. Nothing is
// looked for by name: attention is a softmax whose axis is what a contraction sums over, with a
// value that is free of some index of the weights (the query position).
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionScore.h"
#include "IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
/// One attempt to fuse a softmax with its consumer. `run` gives the fused op, or null and a reason.
class AttentionFusion {
public:
  AttentionFusion(RewriterBase &rewriter, SoftmaxOp softmax)
      : rewriter(rewriter), softmax(softmax) {}

  Operation *run();
  StringRef getReason() const { return reason; }

private:
  bool matchConsumer();
  bool matchIndices();
  Operation *build();
  Value buildScale(Value attention);
  bool fail(const Twine &why) {
    reason = why.str();
    return false;
  }

  RewriterBase &rewriter;
  SoftmaxOp softmax;
  ContractOp consumer;
  unsigned weightOperand = 0;
  /// The query positions, as indices of the consumer.
  llvm::SmallBitVector queries;
  std::string reason;
};
} // namespace

bool AttentionFusion::matchConsumer() {
  if (softmax.getNormalizer() != Normalizer::Softmax)
    return fail("a logarithm of weights cannot be summed while streaming (log_softmax)");
  if (softmax->getResult(0).use_empty())
    return fail("the weights are not used");
  if (!softmax->getResult(0).hasOneUse())
    return fail("the weights are used more than once");
  OpOperand &use = *softmax->getResult(0).use_begin();
  consumer = dyn_cast<ContractOp>(use.getOwner());
  if (!consumer || use.getOperandNumber() > 1)
    return fail("no contraction consumes the weights");
  weightOperand = use.getOperandNumber();
  if (!consumer.getEpilogue().empty())
    return fail("the contraction already has an epilogue");
  return true;
}

bool AttentionFusion::matchIndices() {
  unsigned numOutput = consumer.getNumOutputIndices();
  std::optional<SmallVector<unsigned>> dims = getDistinctDims(consumer.getInputMap(weightOperand));
  if (!dims)
    return fail("the weights are not read at plain indices");
  if ((*dims)[softmax.getAxis()] != numOutput)
    return fail("the softmax runs over '" + softmax.getIndexAttr(softmax.getAxis()).getName() +
                "', the contraction over another axis");
  if (consumer.getNumIndices() != numOutput + 1)
    return fail("the contraction sums over more than the keys");
  llvm::SmallBitVector value = getUsedIndices(consumer.getInputMap(1 - weightOperand));
  queries.resize(consumer.getNumIndices());
  bool hasDynamic = false;
  for (unsigned dim : *dims)
    if (dim != numOutput && !value.test(dim)) {
      queries.set(dim);
      hasDynamic |= consumer.getIndexAttr(dim).getDynamic();
    }
  if (queries.none())
    return fail("the value depends on the query position");
  // Heads that share keys are no positions: their tensors may be read for every pair.
  for (unsigned dim : queries.set_bits())
    if (hasDynamic && !consumer.getIndexAttr(dim).getDynamic())
      queries.reset(dim);
  return true;
}

/// The scale of the consumer, applied to what it would have scaled.
Value AttentionFusion::buildScale(Value attention) {
  double scale = consumer.getScale().convertToDouble();
  if (scale == 1.0)
    return attention;
  Location loc = consumer.getLoc();
  auto type = cast<RankedTensorType>(attention.getType());
  SmallVector<IndexAttr> indices;
  for (unsigned i = 0, e = type.getRank(); i != e; ++i)
    indices.push_back(consumer.getIndexAttr(i));
  FormulaBuilder formula(rewriter.getContext(), indices);
  SmallVector<AffineExpr> at;
  for (unsigned i = 0, e = type.getRank(); i != e; ++i)
    at.push_back(rewriter.getAffineDimExpr(i));
  Value element = formula.read(formula.getBody(), attention, at, loc);
  OpBuilder body = getBuilderAtEnd(formula.getBody(), rewriter.getContext());
  Value factor = arith::ConstantOp::create(body, loc, body.getF32FloatAttr(scale));
  Value result = arith::MulFOp::create(body, loc, element, factor);
  auto op = MapOp::create(rewriter, loc, type, attention, Value(), formula.getIndicesAttr(),
                          formula.getMapsAttr(), AffineMapAttr());
  finishRegion(formula.getBody(), op.getBody(), result, loc);
  copyLabel(consumer, op);
  return op->getResult(0);
}

Operation *AttentionFusion::build() {
  Location loc = rewriter.getFusedLoc({softmax.getLoc(), consumer.getLoc()});
  FormulaBuilder formula(rewriter.getContext(),
                         SmallVector<IndexAttr>(consumer.getIndices().getAsRange<IndexAttr>()));
  AttentionScore score(formula, consumer.getNumOutputIndices(), queries);
  IndexValues indices = getIndexValues(consumer.getInputMap(weightOperand));

  auto emit = [&](Region &into, Region &source) {
    OpBuilder builder = getBuilderAtEnd(into, rewriter.getContext());
    return score.emitRegion(builder, into, softmax, source, indices);
  };
  Value element = emit(formula.getBody(), softmax.getBody()), condition;
  if (element && !softmax.getPredicate().empty())
    condition = emit(formula.getPredicate(), softmax.getPredicate());
  if (!element || (!condition && !softmax.getPredicate().empty())) {
    fail(score.getFailure());
    return nullptr;
  }

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<double> scales;
  for (const DotProduct &dot : score.getDots()) {
    inputs.append({dot.query, dot.key});
    maps.append({formula.getMap(dot.queryAt), formula.getMap(dot.keyAt)});
    scales.push_back(dot.scale);
  }
  inputs.push_back(consumer.getInputs()[1 - weightOperand]);
  maps.push_back(formula.getMap(consumer.getInputMap(1 - weightOperand).getResults()));
  llvm::append_range(inputs, formula.getReads());
  llvm::append_range(maps, formula.getReadMaps());

  rewriter.setInsertionPoint(consumer);
  auto normalizer = NormalizerAttr::get(rewriter.getContext(), softmax.getNormalizer());
  auto attention = AttentionOp::create(
      rewriter, loc, consumer->getResult(0).getType(), normalizer, inputs, Value(),
      rewriter.getI64IntegerAttr(scales.size()), formula.getIndicesAttr(),
      rewriter.getAffineMapArrayAttr(maps), AffineMapAttr(), rewriter.getDenseF64ArrayAttr(scales),
      AffineMapAttr(), AffineMapAttr(), ArrayAttr());
  finishRegion(formula.getBody(), attention.getScore(), element, loc);
  if (condition)
    finishRegion(formula.getPredicate(), attention.getPredicate(), condition, loc);
  copyLabel(consumer, attention);
  return attention;
}

Operation *AttentionFusion::run() {
  if (!matchConsumer() || !matchIndices())
    return nullptr;
  Operation *attention = build();
  if (!attention)
    return nullptr;
  rewriter.replaceOp(consumer, buildScale(attention->getResult(0)));
  eraseIfDead(rewriter, softmax);
  return attention;
}

namespace {
class FuseAttentionPass : public weft::impl::FuseAttentionPassBase<FuseAttentionPass> {
public:
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    SmallVector<SoftmaxOp> softmaxes;
    getOperation()->walk([&](SoftmaxOp op) { softmaxes.push_back(op); });
    IRRewriter rewriter(&getContext());
    // A later softmax may have an earlier attention in its chain, never the other way round.
    for (SoftmaxOp softmax : softmaxes) {
      AttentionFusion fusion(rewriter, softmax);
      if (fusion.run()) {
        ++numFused;
        continue;
      }
      ++numMissed;
      softmax->setAttr(attrs::kUnfusedReason, rewriter.getStringAttr(fusion.getReason()));
      if (remarks)
        softmax->emitRemark() << getLabel(softmax)
                              << " is not fused into attention: " << fusion.getReason();
    }
  }
};
} // namespace
