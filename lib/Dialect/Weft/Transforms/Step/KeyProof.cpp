//===- KeyProof.cpp - which keys count for a row --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KeyProof.h"
#include "PredicateBounds.h"
#include "ProductFactors.h"

#include "weft/Dialect/Weft/IR/AttentionTypes.h"

#include <cmath>

using namespace mlir;
using namespace weft;

namespace {
/// What an element must be where the key is ahead of the row so that it does not count: 0 in a sum,
/// minus infinity in a softmax.
enum class Neutral { Zero, MinusInfinity };

/// Proofs about elements of one formula, for two of its indices.
class KeyProof {
public:
  KeyProof(FormulaOpInterface op, unsigned key, unsigned row) : op(op), key(key), row(row) {}

  bool holds();

  /// Whether `condition`, or its negation, is true of no key ahead.
  bool holdsBy(Value condition, bool negated);
  /// Whether the element that `region` yields is neutral for all keys ahead.
  bool isNeutralAhead(Region &region, Neutral neutral);
  bool isNeutralAhead(Value value, Neutral neutral);
  bool isInputNeutralAhead(unsigned input, Neutral neutral);

private:
  IndexInterval makeInterval();
  void addPredicate(IndexInterval &interval, Region &predicate);
  bool endsAtRow(const IndexInterval &interval);
  bool holdsBy(AttentionOp attention);
  bool isNeutralAhead(arith::SelectOp select, Neutral neutral);

  FormulaOpInterface op;
  unsigned key, row;
};
} // namespace

static Value getYielded(Region &region) { return region.front().getTerminator()->getOperand(0); }

static bool isNeutral(Value value, Neutral neutral) {
  std::optional<double> constant = getConstantFloat(value);
  return constant && (neutral == Neutral::Zero ? *constant == 0 : *constant == -INFINITY);
}

//===----------------------------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------------------------===//

IndexInterval KeyProof::makeInterval() {
  return IndexInterval(op->getContext(), key, op.getNumIndices());
}

/// Adds what holds if `condition` (its negation) does.
static void addCondition(IndexInterval &interval, Value condition, bool negated) {
  SmallVector<Conjunct> conjuncts;
  collectConjuncts(condition, negated, conjuncts);
  for (Conjunct conjunct : conjuncts)
    interval.add(conjunct);
}

void KeyProof::addPredicate(IndexInterval &interval, Region &predicate) {
  if (!predicate.empty())
    addCondition(interval, getYielded(predicate), /*negated=*/false);
}

bool KeyProof::endsAtRow(const IndexInterval &interval) {
  return interval.endsAt(getAffineDimExpr(row, op->getContext()));
}

bool KeyProof::holdsBy(Value condition, bool negated) {
  IndexInterval interval = makeInterval();
  addCondition(interval, condition, negated);
  return endsAtRow(interval);
}

//===----------------------------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------------------------===//

bool KeyProof::isNeutralAhead(Region &region, Neutral neutral) {
  return isNeutralAhead(getYielded(region), neutral);
}

/// A key counts if the condition chooses an element for it that is not neutral.
bool KeyProof::isNeutralAhead(arith::SelectOp select, Neutral neutral) {
  auto isChosenBehind = [&](Value chosen, Value other, bool negated) {
    return isNeutral(other, neutral) &&
           (holdsBy(select.getCondition(), negated) || isNeutralAhead(chosen, neutral));
  };
  Value ifTrue = select.getTrueValue(), ifFalse = select.getFalseValue();
  return isChosenBehind(ifTrue, ifFalse, /*negated=*/false) ||
         isChosenBehind(ifFalse, ifTrue, /*negated=*/true) ||
         (isNeutralAhead(ifTrue, neutral) && isNeutralAhead(ifFalse, neutral));
}

bool KeyProof::isNeutralAhead(Value value, Neutral neutral) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Region *region = argument.getOwner()->getParent();
    if (region->getParentOp() != op.getOperation())
      return false;
    unsigned fromEnd = region->getNumArguments() - argument.getArgNumber();
    return isInputNeutralAhead(op.getInputs().size() - fromEnd, neutral);
  }
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return isNeutralAhead(select, neutral);
  Operation *def = value.getDefiningOp();
  if (neutral == Neutral::Zero ? isa<arith::MulFOp>(def) : isa<arith::AddFOp>(def))
    return isNeutralAhead(def->getOperand(0), neutral) ||
           isNeutralAhead(def->getOperand(1), neutral);
  if (neutral == Neutral::Zero && isa<arith::DivFOp, arith::NegFOp>(def))
    return isNeutralAhead(def->getOperand(0), neutral);
  return false;
}

/// What the formula that makes an input says, if the input is read at the row and at the key.
bool KeyProof::isInputNeutralAhead(unsigned input, Neutral neutral) {
  auto source = op.getInputs()[input].getDefiningOp<FormulaOpInterface>();
  if (!source || source.getOutputMapsAttr())
    return false;
  AffineMap map = op.getInputMap(input);
  std::optional<unsigned> rowDim = map.getResultPosition(getAffineDimExpr(row, map.getContext()));
  std::optional<unsigned> keyDim = map.getResultPosition(getAffineDimExpr(key, map.getContext()));
  if (!rowDim || !keyDim)
    return false;
  if (auto softmax = dyn_cast<SoftmaxOp>(*source))
    return neutral == Neutral::Zero && softmax.getNormalizer() == Normalizer::Softmax &&
           softmax.getAxis() == *keyDim && isHeldBehind(source, *keyDim, *rowDim);
  KeyProof proof(source, *keyDim, *rowDim);
  if (auto map = dyn_cast<MapOp>(*source))
    return proof.isNeutralAhead(map.getBody(), neutral);
  auto contract = dyn_cast<ContractOp>(*source);
  return contract && contract.getEpilogue().empty() && neutral == Neutral::Zero &&
         (proof.isInputNeutralAhead(0, neutral) || proof.isInputNeutralAhead(1, neutral));
}

//===----------------------------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------------------------===//

bool KeyProof::holdsBy(AttentionOp attention) {
  if (key != attention.getKeyIndex())
    return false;
  IndexInterval interval = makeInterval();
  interval.start(attention.getKeyLowerAttr(), attention.getKeyUpperAttr(),
                 attention.getBoundSymbolsAttr());
  addPredicate(interval, attention.getPredicate());
  if (endsAtRow(interval))
    return true;
  // Of a score only the mask itself: isNeutralAhead would take a dot product for an input.
  Neutral neutral =
      attention.getNormalizer() == Normalizer::None ? Neutral::Zero : Neutral::MinusInfinity;
  auto select = getYielded(attention.getScore()).getDefiningOp<arith::SelectOp>();
  return select && isNeutral(select.getFalseValue(), neutral) &&
         holdsBy(select.getCondition(), /*negated=*/false);
}

bool KeyProof::holds() {
  if (auto attention = dyn_cast<AttentionOp>(*op))
    return holdsBy(attention);
  IndexInterval interval = makeInterval();
  if (auto softmax = dyn_cast<SoftmaxOp>(*op)) {
    addPredicate(interval, softmax.getPredicate());
    return endsAtRow(interval) || isNeutralAhead(softmax.getBody(), Neutral::MinusInfinity);
  }
  if (auto reduce = dyn_cast<ReduceOp>(*op)) {
    addPredicate(interval, reduce.getPredicate());
    return endsAtRow(interval) ||
           (reduce.getKind() == ReduceKind::Sum && isNeutralAhead(reduce.getBody(), Neutral::Zero));
  }
  return isa<ContractOp>(*op) &&
         (isInputNeutralAhead(0, Neutral::Zero) || isInputNeutralAhead(1, Neutral::Zero));
}

bool weft::isHeldBehind(FormulaOpInterface op, unsigned key, unsigned row) {
  return KeyProof(op, key, row).holds();
}

std::optional<int64_t> weft::getVisitedReach(AttentionOp op, unsigned row) {
  unsigned key = op.getKeyIndex();
  IndexInterval interval(op.getContext(), key, std::max(key, row + 1));
  interval.start(op.getKeyLowerAttr(), op.getKeyUpperAttr(), op.getBoundSymbolsAttr());
  std::optional<int64_t> reach = interval.reachBelow(getAffineDimExpr(row, op.getContext()));
  if (reach)
    reach = std::max<int64_t>(*reach, 0) + kKeyStep - 1;
  return reach;
}
