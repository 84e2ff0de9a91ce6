//===- FuseAttention.cpp - weft-fuse-attention ----------------------------------------------===//
//
// A softmax over s and the contraction over s that consumes it become one streaming op. Nothing is
// looked for by name: attention is a softmax whose axis is what a contraction sums over, with a
// value that is free of some index of the weights (the query position).
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionScore.h"
#include "IndexDependence.h"
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
/// One attempt to fuse weights with the sum that consumes them. The weights are a softmax, or any
/// element-wise formula of a score (linear attention, retention).
class AttentionFusion {
public:
  explicit AttentionFusion(RewriterBase &rewriter) : rewriter(rewriter) {}

  /// Gives the fused op, or null and a reason.
  Operation *run(SoftmaxOp op);
  /// A sum over run-time keys of weights that nothing normalises times a value.
  Operation *run(FormulaOpInterface sum);
  StringRef getReason() const { return reason; }

private:
  bool matchConsumer();
  bool matchFactors();
  bool matchIndices();
  bool emitScore(AttentionScore &score, FormulaBuilder &formula, Value &element, Value &condition);
  Operation *build();
  Operation *replace();
  Value buildScale(Value attention);
  double getScale() {
    auto contract = dyn_cast<ContractOp>(consumer.getOperation());
    return contract ? contract.getScale().convertToDouble() : scale;
  }
  bool fail(const Twine &why) {
    reason = why.str();
    return false;
  }

  RewriterBase &rewriter;
  SoftmaxOp softmax; ///< null if nothing is normalised
  FormulaOpInterface consumer;
  unsigned weightOperand = 0, valueOperand = 0;
  double scale = 1.0;
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
  auto contract = dyn_cast<ContractOp>(use.getOwner());
  if (!contract || use.getOperandNumber() > 1)
    return fail("no contraction consumes the weights");
  consumer = contract;
  weightOperand = use.getOperandNumber();
  valueOperand = 1 - weightOperand;
  if (!contract.getEpilogue().empty())
    return fail("the contraction already has an epilogue");
  return true;
}

/// The two factors of a sum, of which the one that is computed for each pair is the weights.
bool AttentionFusion::matchFactors() {
  unsigned operands[2] = {0, 1};
  if (auto reduce = dyn_cast<ReduceOp>(consumer.getOperation())) {
    SmallVector<Value> factors;
    collectFactors(reduce.getBody().front().getTerminator()->getOperand(0), factors, scale);
    if (reduce.getKind() != ReduceKind::Sum || factors.size() != 2 || factors[0] == factors[1])
      return false;
    for (unsigned i : {0, 1}) {
      auto argument = dyn_cast<BlockArgument>(factors[i]);
      if (!argument)
        return false;
      operands[i] = argument.getArgNumber();
    }
  } else if (!cast<ContractOp>(consumer.getOperation()).getEpilogue().empty()) {
    return false;
  }
  unsigned key = consumer.getNumOutputIndices();
  if (!consumer.getIndexAttr(key).getDynamic())
    return false;
  for (unsigned i : {0, 1}) {
    weightOperand = operands[i];
    valueOperand = operands[1 - i];
    Value weights = consumer.getInputs()[weightOperand];
    if (!weights.hasOneUse() ||
        !isa_and_nonnull<MapOp, ContractOp, ReduceOp>(weights.getDefiningOp()) || !matchIndices())
      continue;
    // Without a softmax to mark them, only run-time positions tell weights from hidden features.
    if (consumer.getIndexAttr(queries.find_first()).getDynamic())
      return true;
  }
  return false;
}

bool AttentionFusion::matchIndices() {
  unsigned numOutput = consumer.getNumOutputIndices();
  std::optional<SmallVector<unsigned>> dims = getDistinctDims(consumer.getInputMap(weightOperand));
  if (!dims)
    return fail("the weights are not read at plain indices");
  if (softmax && (*dims)[softmax.getAxis()] < numOutput)
    return fail("the softmax runs over '" + softmax.getIndexAttr(softmax.getAxis()).getName() +
                "', the contraction over another axis");
  if (consumer.getNumIndices() != numOutput + 1)
    return fail("the contraction sums over more than the keys");
  if (!llvm::is_contained(*dims, numOutput))
    return fail("the weights do not depend on the key");
  llvm::SmallBitVector value = getUsedIndices(consumer.getInputMap(valueOperand));
  queries.clear();
  queries.resize(consumer.getNumIndices());
  bool hasDynamic = false;
  for (unsigned dim : *dims)
    if (dim != numOutput && !value.test(dim)) {
      queries.set(dim);
      hasDynamic |= consumer.getIndexAttr(dim).getDynamic();
    }
  if (queries.none())
    return fail(dims->size() == 1 ? "there is no query position"
                                  : "the value depends on the query position");
  // Heads that share keys are no positions: their tensors may be read for every pair.
  for (unsigned dim : queries.set_bits())
    if (hasDynamic && !consumer.getIndexAttr(dim).getDynamic())
      queries.reset(dim);
  return true;
}

/// The scale of the consumer, applied to what it would have scaled.
Value AttentionFusion::buildScale(Value attention) {
  double factor = getScale();
  if (factor == 1.0)
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
  Value constant = arith::ConstantOp::create(body, loc, body.getF32FloatAttr(factor));
  Value result = arith::MulFOp::create(body, loc, element, constant);
  auto op = MapOp::create(rewriter, loc, type, attention, Value(), formula.getIndicesAttr(),
                          formula.getMapsAttr(), AffineMapAttr());
  finishRegion(formula.getBody(), op.getBody(), result, loc);
  copyLabel(consumer, op);
  return op->getResult(0);
}

/// Emits the score and the predicate (null if there is none); false and a reason if that fails.
bool AttentionFusion::emitScore(AttentionScore &score, FormulaBuilder &formula, Value &element,
                                Value &condition) {
  AffineMap map = consumer.getInputMap(weightOperand);
  OpBuilder body = getBuilderAtEnd(formula.getBody(), rewriter.getContext());
  OpBuilder predicate = getBuilderAtEnd(formula.getPredicate(), rewriter.getContext());
  IndexValues identity = getIdentityIndices(rewriter.getContext(), consumer.getNumIndices());
  FormulaOpInterface owner = softmax ? FormulaOpInterface(softmax) : consumer;
  if (softmax)
    element =
        score.emitRegion(body, formula.getBody(), softmax, softmax.getBody(), getIndexValues(map));
  else
    element = score.emitElement(body, formula.getBody(), consumer.getInputs()[weightOperand], map,
                                identity, consumer.getLoc());
  bool hasPredicate = owner->getNumRegions() > 1 && !owner->getRegion(1).empty();
  if (element && hasPredicate)
    condition = score.emitRegion(predicate, formula.getPredicate(), owner, owner->getRegion(1),
                                 softmax ? getIndexValues(map) : identity);
  return (element && (condition || !hasPredicate)) || fail(score.getFailure());
}

Operation *AttentionFusion::build() {
  Operation *weights = consumer.getInputs()[weightOperand].getDefiningOp();
  Location loc = rewriter.getFusedLoc({weights->getLoc(), consumer.getLoc()});
  FormulaBuilder formula(rewriter.getContext(),
                         SmallVector<IndexAttr>(consumer.getIndices().getAsRange<IndexAttr>()));
  AttentionScore score(formula, consumer.getNumOutputIndices(), queries);
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
  inputs.push_back(consumer.getInputs()[valueOperand]);
  maps.push_back(formula.getMap(consumer.getInputMap(valueOperand).getResults()));
  llvm::append_range(inputs, formula.getReads());
  llvm::append_range(maps, formula.getReadMaps());

  rewriter.setInsertionPoint(consumer);
  auto normalizer =
      NormalizerAttr::get(rewriter.getContext(), softmax ? Normalizer::Softmax : Normalizer::None);
  auto attention = AttentionOp::create(
      rewriter, loc, consumer->getResult(0).getType(), normalizer, inputs, Value(),
      rewriter.getI64IntegerAttr(scales.size()), formula.getIndicesAttr(),
      rewriter.getAffineMapArrayAttr(maps), AffineMapAttr(), rewriter.getDenseF64ArrayAttr(scales),
      AffineMapAttr(), AffineMapAttr(), ArrayAttr());
  finishRegion(formula.getBody(), attention.getScore(), element, loc);
  if (condition)
    finishRegion(formula.getPredicate(), attention.getPredicate(), condition, loc);
  if (getScale() == 1.0)
    copyLabel(consumer, attention);
  else
    labelPart(consumer, attention);
  return attention;
}

/// Puts the attention in the consumer's place.
Operation *AttentionFusion::replace() {
  Operation *weights = consumer.getInputs()[weightOperand].getDefiningOp();
  Operation *attention = build();
  if (!attention)
    return nullptr;
  rewriter.replaceOp(consumer, buildScale(attention->getResult(0)));
  eraseIfDead(rewriter, weights);
  return attention;
}

Operation *AttentionFusion::run(SoftmaxOp op) {
  softmax = op;
  return matchConsumer() && matchIndices() ? replace() : nullptr;
}

Operation *AttentionFusion::run(FormulaOpInterface sum) {
  consumer = sum;
  return matchFactors() ? replace() : nullptr;
}

namespace {
class FuseAttentionPass : public weft::impl::FuseAttentionPassBase<FuseAttentionPass> {
public:
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    fuseSoftmaxes(rewriter);
    // What is left of sums over pairs. A fusion erases the sums in its score, so each starts anew.
    while (fuseOneSum(rewriter))
      ++numFused;
  }

private:
  bool fuseOneSum(RewriterBase &rewriter) {
    return getOperation()
        ->walk([&](FormulaOpInterface op) {
          bool fused = isa<ContractOp, ReduceOp>(op) && AttentionFusion(rewriter).run(op);
          return fused ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void fuseSoftmaxes(RewriterBase &rewriter) {
    SmallVector<SoftmaxOp> softmaxes;
    getOperation()->walk([&](SoftmaxOp op) { softmaxes.push_back(op); });
    // A later softmax may have an earlier attention in its chain, never the other way round.
    for (SoftmaxOp softmax : softmaxes) {
      AttentionFusion fusion(rewriter);
      if (fusion.run(softmax)) {
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
