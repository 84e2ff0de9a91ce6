//===- Causality.cpp - proofs that a formula does not look ahead ----------------------------===//

#include "Causality.h"
#include "FormulaBuilder.h"
#include "PredicateBounds.h"
#include "ProductFactors.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Keys of a row
//===----------------------------------------------------------------------------------------===//

namespace {
/// What an element must be where the key is ahead of the row so that it does not count: 0 in a sum,
/// minus infinity in a softmax.
enum class Neutral { Zero, MinusInfinity };

/// Proofs about elements of one formula, for two of its indices.
class KeyProof {
public:
  KeyProof(FormulaOpInterface op, unsigned key, unsigned row) : op(op), key(key), row(row) {}

  /// Adds what `condition` says about the key.
  bool addCondition(Value condition, bool negated, IndexInterval &interval);
  KeyRange rangeOf(const IndexInterval &interval);
  KeyRange rangeOf(Value condition, bool negated);

  /// What holds for the keys for which `value`, computed in a region of the formula, counts.
  KeyRange rangeOfElement(Value value, Neutral neutral);

  /// The same of an input.
  KeyRange rangeOfInput(unsigned input, Neutral neutral);

private:
  KeyRange rangeOfSelect(arith::SelectOp select, Neutral neutral);

  FormulaOpInterface op;
  unsigned key, row;
};
} // namespace

static IndexInterval makeInterval(FormulaOpInterface op, unsigned key, unsigned row) {
  // The bounds may depend on the row and all before it.
  unsigned bound = std::min(op.getNumOutputIndices(), key);
  return IndexInterval(op->getContext(), key, std::max(bound, row + 1));
}

bool KeyProof::addCondition(Value condition, bool negated, IndexInterval &interval) {
  SmallVector<Conjunct> conjuncts;
  collectConjuncts(condition, negated, conjuncts);
  bool all = true;
  for (Conjunct conjunct : conjuncts)
    all &= interval.add(conjunct);
  return all;
}

KeyRange KeyProof::rangeOf(const IndexInterval &interval) {
  AffineExpr position = getAffineDimExpr(row, op->getContext());
  KeyRange range;
  range.causal = interval.endsAt(position);
  if (std::optional<int64_t> reach = interval.reachBelow(position))
    range.reach = std::max<int64_t>(*reach, 0);
  return range;
}

KeyRange KeyProof::rangeOf(Value condition, bool negated) {
  IndexInterval interval = makeInterval(op, key, row);
  addCondition(condition, negated, interval);
  return rangeOf(interval);
}

/// Both restrict the keys.
static KeyRange both(KeyRange a, KeyRange b) {
  return {a.causal || b.causal, std::min(a.reach, b.reach)};
}

/// One of them holds, which one is not known.
static KeyRange either(KeyRange a, KeyRange b) {
  return {a.causal && b.causal, std::max(a.reach, b.reach)};
}

static bool isNeutral(Value value, Neutral neutral) {
  std::optional<double> constant = getConstantFloat(value);
  return constant && (neutral == Neutral::Zero ? *constant == 0 : *constant == -INFINITY);
}

/// Every key counts for which the condition holds and the chosen element does.
KeyRange KeyProof::rangeOfSelect(arith::SelectOp select, Neutral neutral) {
  if (isNeutral(select.getFalseValue(), neutral))
    return both(rangeOf(select.getCondition(), false),
                rangeOfElement(select.getTrueValue(), neutral));
  if (isNeutral(select.getTrueValue(), neutral))
    return both(rangeOf(select.getCondition(), true),
                rangeOfElement(select.getFalseValue(), neutral));
  return either(rangeOfElement(select.getTrueValue(), neutral),
                rangeOfElement(select.getFalseValue(), neutral));
}

KeyRange KeyProof::rangeOfElement(Value value, Neutral neutral) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Region *region = argument.getOwner()->getParent();
    if (region->getParentOp() != op.getOperation())
      return {};
    return rangeOfInput(
        op.getInputs().size() - (region->getNumArguments() - argument.getArgNumber()), neutral);
  }
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return rangeOfSelect(select, neutral);
  Operation *def = value.getDefiningOp();
  if (neutral == Neutral::Zero ? isa<arith::MulFOp>(def) : isa<arith::AddFOp>(def))
    return both(rangeOfElement(def->getOperand(0), neutral),
                rangeOfElement(def->getOperand(1), neutral));
  if (neutral == Neutral::Zero && isa<arith::DivFOp, arith::NegFOp>(def))
    return rangeOfElement(def->getOperand(0), neutral);
  return {};
}

/// What the formula that makes an input says, if the input is read at the row and at the key.
KeyRange KeyProof::rangeOfInput(unsigned input, Neutral neutral) {
  auto source = op.getInputs()[input].getDefiningOp<FormulaOpInterface>();
  if (!source || source.getOutputMapAttr())
    return {};
  std::optional<unsigned> rowDim, keyDim;
  for (auto [dim, expr] : llvm::enumerate(op.getInputMap(input).getResults())) {
    if (expr == getAffineDimExpr(row, op->getContext()))
      rowDim = dim;
    if (expr == getAffineDimExpr(key, op->getContext()))
      keyDim = dim;
  }
  if (!rowDim || !keyDim)
    return {};
  if (auto softmax = dyn_cast<SoftmaxOp>(*source)) {
    bool isWeight = softmax.getNormalizer() == Normalizer::Softmax;
    bool isAxis = softmax.getAxis() == *keyDim;
    return neutral == Neutral::Zero && isWeight && isAxis ? getKeyRange(source, *keyDim, *rowDim)
                                                          : KeyRange();
  }
  if (auto map = dyn_cast<MapOp>(*source))
    return KeyProof(source, *keyDim, *rowDim)
        .rangeOfElement(map.getBody().front().getTerminator()->getOperand(0), neutral);
  auto contract = dyn_cast<ContractOp>(*source);
  if (!contract || !contract.getEpilogue().empty() || neutral != Neutral::Zero)
    return {};
  KeyProof proof(source, *keyDim, *rowDim);
  return both(proof.rangeOfInput(0, neutral), proof.rangeOfInput(1, neutral));
}

KeyRange weft::getKeyRange(FormulaOpInterface op, unsigned key, unsigned row) {
  if (row >= key)
    return {}; // the intervals bound an index by those before it
  KeyProof proof(op, key, row);
  IndexInterval interval = makeInterval(op, key, row);
  auto addPredicate = [&](Region &predicate) {
    if (!predicate.empty())
      proof.addCondition(predicate.front().getTerminator()->getOperand(0), false, interval);
  };
  if (auto attention = dyn_cast<AttentionOp>(*op)) {
    if (key != attention.getKeyIndex())
      return {};
    interval.start(attention.getKeyLowerAttr(), attention.getKeyUpperAttr(),
                   attention.getBoundSymbolsAttr());
    addPredicate(attention.getPredicate());
    KeyRange range = proof.rangeOf(interval);
    Neutral neutral =
        attention.getNormalizer() == Normalizer::None ? Neutral::Zero : Neutral::MinusInfinity;
    // A dot product says nothing; rangeOfElement would take it for an input.
    Value score = attention.getScore().front().getTerminator()->getOperand(0);
    if (auto select = score.getDefiningOp<arith::SelectOp>();
        select && isNeutral(select.getFalseValue(), neutral))
      range = both(range, proof.rangeOf(select.getCondition(), false));
    return range;
  }
  if (auto softmax = dyn_cast<SoftmaxOp>(*op)) {
    addPredicate(softmax.getPredicate());
    Value body = softmax.getBody().front().getTerminator()->getOperand(0);
    return both(proof.rangeOf(interval), proof.rangeOfElement(body, Neutral::MinusInfinity));
  }
  if (auto reduce = dyn_cast<ReduceOp>(*op)) {
    addPredicate(reduce.getPredicate());
    KeyRange range = proof.rangeOf(interval);
    if (reduce.getKind() == ReduceKind::Sum)
      range =
          both(range, proof.rangeOfElement(reduce.getBody().front().getTerminator()->getOperand(0),
                                           Neutral::Zero));
    return range;
  }
  auto contract = dyn_cast<ContractOp>(*op);
  if (!contract)
    return {};
  return both(proof.rangeOfInput(0, Neutral::Zero), proof.rangeOfInput(1, Neutral::Zero));
}

int64_t weft::getVisitedReach(AttentionOp op, unsigned row) {
  FormulaOpInterface formula = op;
  IndexInterval interval = makeInterval(formula, op.getKeyIndex(), row);
  interval.start(op.getKeyLowerAttr(), op.getKeyUpperAttr(), op.getBoundSymbolsAttr());
  std::optional<int64_t> reach = interval.reachBelow(getAffineDimExpr(row, op.getContext()));
  constexpr int64_t kMostLanes = 16;
  return reach ? std::max<int64_t>(*reach, 0) + kMostLanes - 1 : Demand::kUnbounded;
}

//===----------------------------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------------------------===//

bool weft::isNotAhead(AffineExpr coordinate, ArrayRef<SeenIndex> seen, int64_t &reach) {
  reach = Demand::kUnbounded;
  unsigned numDims = 0;
  coordinate.walk([&](AffineExpr leaf) {
    if (auto dim = dyn_cast<AffineDimExpr>(leaf))
      numDims = std::max(numDims, dim.getPosition() + 1);
  });
  if (auto constant = dyn_cast<AffineConstantExpr>(coordinate))
    return constant.getValue() <= 0; // the first position is ahead of none
  bool holds = false;
  for (SeenIndex index : seen) {
    AffineExpr position = getAffineDimExpr(index.index, coordinate.getContext());
    AffineExpr distance =
        simplifyAffineExpr(position - coordinate, std::max(numDims, index.index + 1), 8);
    holds |= isNonNegative(distance);
    auto constant = dyn_cast<AffineConstantExpr>(distance);
    if (constant && constant.getValue() >= 0 && index.reach != Demand::kUnbounded)
      reach = std::min(reach, index.reach + constant.getValue());
  }
  return holds;
}

bool weft::isNotAhead(Value coordinate, ArrayRef<SeenIndex> seen, int64_t &reach) {
  IndexInterval reader(coordinate.getContext(), 0, 0);
  if (AffineExpr expr = reader.getExpr(coordinate))
    return isNotAhead(expr, seen, reach);
  reach = Demand::kUnbounded;
  Operation *op = coordinate.getDefiningOp();
  if (!isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp, arith::SelectOp>(op))
    return false;
  int64_t first = 0, second = 0;
  unsigned last = op->getNumOperands() - 1;
  bool a = isNotAhead(op->getOperand(last - 1), seen, first);
  bool b = isNotAhead(op->getOperand(last), seen, second);
  if (isa<arith::MinSIOp>(op))
    return a || b;
  reach = isa<arith::MaxSIOp>(op) ? std::min(first, second) : std::max(first, second);
  return a && b;
}
