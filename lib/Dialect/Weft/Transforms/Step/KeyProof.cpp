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

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

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
  KeyProof(FormulaOpInterface op, unsigned key, unsigned row, Neutral neutral)
      : op(op), key(key), row(row), neutral(neutral) {}

  /// Whether no key ahead counts for the formula, which takes keys together.
  bool holds();
  /// Whether the formula's own element is neutral for all keys ahead.
  bool isResultNeutralAhead();

private:
  IndexInterval makeInterval();
  void addPredicate(IndexInterval &interval, Region &predicate);
  bool endsAtRow(const IndexInterval &interval);
  /// Whether `condition`, or its negation, is true of no key ahead.
  bool holdsBy(Value condition, bool negated);
  bool holdsByCases(Value condition, bool negated);
  bool holdsBy(Region &predicate);
  bool holdsBy(AttentionOp attention);
  bool holdsByElement(Value condition, bool negated);

  /// Whether the element that `region` yields, or a value of it, is neutral for all keys ahead.
  bool isNeutralAhead(Region &region);
  bool isNeutralAhead(Value value);
  bool isNeutral(Value constant);
  bool isComputedNeutralAhead(Operation *def);
  bool isNeutralAhead(arith::SelectOp select);
  bool isElementNeutralAhead(BlockArgument argument);
  std::optional<unsigned> getInput(BlockArgument argument);
  std::optional<KeyProof> follow(Value tensor, ArrayRef<AffineExpr> places);
  std::optional<KeyProof> followElement(Value element);
  bool isInputNeutralAhead(unsigned input);
  bool isSumNeutralAhead();

  FormulaOpInterface op;
  unsigned key, row;
  Neutral neutral;
  llvm::DenseMap<Value, bool> known;              ///< of values that several others use
  llvm::DenseMap<Value, bool> knownConditions[2]; ///< the same of conditions, and negated ones
};
} // namespace

static Value getYielded(Region &region) { return region.front().getTerminator()->getOperand(0); }

bool KeyProof::isNeutral(Value value) {
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

/// A condition that a formula of its own makes, if it is read at the row and at the key.
bool KeyProof::holdsByElement(Value condition, bool negated) {
  std::optional<KeyProof> source = followElement(condition);
  auto map = source ? dyn_cast<MapOp>(*source->op) : MapOp();
  return map && source->holdsBy(getYielded(map.getBody()), negated);
}

/// Of cases (`p or q`, `if r then p else q`) each one alone, of what holds together one.
bool KeyProof::holdsByCases(Value condition, bool negated) {
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return constant.isZero() != negated;
  Operation *def = condition.getDefiningOp();
  if (!def || isa<AtOp>(def))
    return holdsByElement(condition, negated);
  auto holds = [&](Value operand) { return holdsBy(operand, negated); };
  if (auto select = dyn_cast<arith::SelectOp>(def))
    return (holds(select.getTrueValue()) || holdsBy(select.getCondition(), /*negated=*/false)) &&
           (holds(select.getFalseValue()) || holdsBy(select.getCondition(), /*negated=*/true));
  if (isa<arith::XOrIOp>(def) && matchPattern(def->getOperand(1), m_One()))
    return holdsBy(def->getOperand(0), !negated);
  if (!isa<arith::AndIOp, arith::OrIOp>(def))
    return false;
  return isa<arith::OrIOp>(def) != negated ? llvm::all_of(def->getOperands(), holds)
                                           : llvm::any_of(def->getOperands(), holds);
}

bool KeyProof::holdsBy(Value condition, bool negated) {
  auto &shown = knownConditions[negated];
  if (auto found = shown.find(condition); found != shown.end())
    return found->second;
  IndexInterval interval = makeInterval();
  addCondition(interval, condition, negated);
  bool holds = endsAtRow(interval) || holdsByCases(condition, negated);
  return knownConditions[negated][condition] = holds;
}

bool KeyProof::holdsBy(Region &predicate) {
  return !predicate.empty() && holdsBy(getYielded(predicate), /*negated=*/false);
}

//===----------------------------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------------------------===//

bool KeyProof::isNeutralAhead(Region &region) { return isNeutralAhead(getYielded(region)); }

bool KeyProof::isNeutralAhead(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  auto argument = dyn_cast<BlockArgument>(value);
  bool holds = argument ? isElementNeutralAhead(argument)
                        : isNeutral(value) || isComputedNeutralAhead(value.getDefiningOp());
  return known[value] = holds;
}

bool KeyProof::isComputedNeutralAhead(Operation *def) {
  if (auto select = dyn_cast<arith::SelectOp>(def))
    return isNeutralAhead(select);
  auto isOperand = [&](Value operand) { return isNeutralAhead(operand); };
  if (neutral == Neutral::MinusInfinity) // which nothing that is added makes a number
    return isa<arith::AddFOp>(def)   ? llvm::any_of(def->getOperands(), isOperand)
           : isa<arith::SubFOp>(def) ? isOperand(def->getOperand(0))
                                     : false;
  if (isa<arith::AddFOp, arith::SubFOp>(def))
    return llvm::all_of(def->getOperands(), isOperand);
  if (isa<arith::MulFOp>(def))
    return llvm::any_of(def->getOperands(), isOperand);
  if (auto inner = dyn_cast<InnerOp>(def))
    return inner.getKind() == ReduceKind::Sum && isNeutralAhead(inner.getBody());
  if (isa<AtOp>(def)) {
    std::optional<KeyProof> source = followElement(def->getResult(0));
    return source && source->isResultNeutralAhead();
  }
  return isa<arith::DivFOp, arith::NegFOp, math::AbsFOp, math::SqrtOp, math::TanhOp>(def) &&
         isOperand(def->getOperand(0));
}

/// Each value is neutral, or chosen for no key ahead.
bool KeyProof::isNeutralAhead(arith::SelectOp select) {
  auto holds = [&](Value chosen, bool negated) {
    return isNeutralAhead(chosen) || holdsBy(select.getCondition(), negated);
  };
  return holds(select.getTrueValue(), /*negated=*/false) &&
         holds(select.getFalseValue(), /*negated=*/true);
}

/// Which input's element an argument is; of an attention dot products come before those, of a
/// contraction its sum.
std::optional<unsigned> KeyProof::getInput(BlockArgument argument) {
  Region *region = argument.getOwner()->getParent();
  auto attention = dyn_cast<AttentionOp>(*op);
  if (region->getParentOp() != op.getOperation() || (attention && region == &attention.getScore() &&
                                                     argument.getArgNumber() < attention.getDots()))
    return std::nullopt;
  return op.getInputs().size() - (region->getNumArguments() - argument.getArgNumber());
}

bool KeyProof::isElementNeutralAhead(BlockArgument argument) {
  auto contract = dyn_cast<ContractOp>(*op);
  if (contract && argument.getOwner()->getParent() == &contract.getEpilogue() &&
      argument.getArgNumber() == 0)
    return isSumNeutralAhead();
  std::optional<KeyProof> source = followElement(argument);
  return source && source->isResultNeutralAhead();
}

bool KeyProof::isInputNeutralAhead(unsigned input) {
  std::optional<KeyProof> source =
      follow(op.getInputs()[input], op.getInputMap(input).getResults());
  return source && source->isResultNeutralAhead();
}

/// A product's sum of terms that are 0.
bool KeyProof::isSumNeutralAhead() {
  return neutral == Neutral::Zero && (isInputNeutralAhead(0) || isInputNeutralAhead(1));
}

/// What the formula that makes a tensor says, if it is read at the row and at the key.
std::optional<KeyProof> KeyProof::follow(Value tensor, ArrayRef<AffineExpr> places) {
  auto source = tensor.getDefiningOp<FormulaOpInterface>();
  if (!source || source.getOutputMapsAttr())
    return std::nullopt;
  const auto *atRow = llvm::find(places, getAffineDimExpr(row, op->getContext()));
  const auto *atKey = llvm::find(places, getAffineDimExpr(key, op->getContext()));
  if (atRow == places.end() || atKey == places.end())
    return std::nullopt;
  return KeyProof(source, atKey - places.begin(), atRow - places.begin(), neutral);
}

/// The same of an element of an input, or at computed places.
std::optional<KeyProof> KeyProof::followElement(Value element) {
  if (auto at = element.getDefiningOp<AtOp>())
    return follow(at.getSource(), llvm::map_to_vector(at.getCoordinates(), getIndexExpr));
  auto argument = dyn_cast<BlockArgument>(element);
  std::optional<unsigned> input = argument ? getInput(argument) : std::nullopt;
  if (!input)
    return std::nullopt;
  return follow(op.getInputs()[*input], op.getInputMap(*input).getResults());
}

bool KeyProof::isResultNeutralAhead() {
  if (auto map = dyn_cast<MapOp>(*op))
    return isNeutralAhead(map.getBody());
  auto contract = dyn_cast<ContractOp>(*op);
  if (contract && !contract.getEpilogue().empty())
    return !contract.getApart() && isNeutralAhead(contract.getEpilogue());
  if (neutral != Neutral::Zero)
    return false;
  if (auto softmax = dyn_cast<SoftmaxOp>(*op))
    return softmax.getNormalizer() == Normalizer::Softmax && softmax.getAxis() == key &&
           isHeldBehind(op, key, row);
  if (auto reduce = dyn_cast<ReduceOp>(*op))
    return reduce.getKind() == ReduceKind::Sum && isNeutralAhead(reduce.getBody());
  return contract && isSumNeutralAhead();
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
  return endsAtRow(interval) || holdsBy(attention.getPredicate()) ||
         isNeutralAhead(attention.getScore());
}

bool KeyProof::holds() {
  if (auto attention = dyn_cast<AttentionOp>(*op))
    return holdsBy(attention);
  if (auto softmax = dyn_cast<SoftmaxOp>(*op))
    return holdsBy(softmax.getPredicate()) || isNeutralAhead(softmax.getBody());
  if (auto reduce = dyn_cast<ReduceOp>(*op))
    return holdsBy(reduce.getPredicate()) ||
           (reduce.getKind() == ReduceKind::Sum && isNeutralAhead(reduce.getBody()));
  return isa<ContractOp>(*op) && isSumNeutralAhead();
}

bool weft::isHeldBehind(FormulaOpInterface op, unsigned key, unsigned row) {
  auto attention = dyn_cast<AttentionOp>(*op);
  bool isShared = attention ? attention.getNormalizer() != Normalizer::None : isa<SoftmaxOp>(*op);
  return KeyProof(op, key, row, isShared ? Neutral::MinusInfinity : Neutral::Zero).holds();
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
