//===- Bounds.cpp - Is an index expression in range? ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Bounds.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace weft::sema {

/// Adds fact >= 0; of k - abs(e) >= 0 what it says about e.
void BoundsAnalysis::addFact(Linear fact, std::vector<Linear> &facts) {
  for (auto [scalar, k] : fact.opaque) {
    if (scalar->op != ScalarOp::Abs || k != -1)
      continue;
    fact.opaque.erase(scalar);
    for (int sign : {1, -1}) {
      Linear side = fact;
      side.add(linear(scalar->args[0]), sign);
      facts.push_back(std::move(side));
    }
    return;
  }
  facts.push_back(std::move(fact));
}

void BoundsAnalysis::addFacts(const Scalar *condition, bool negated, std::vector<Linear> &facts,
                              unsigned &budget) {
  if (budget == 0)
    return;
  --budget;
  ScalarOp op = condition->op;
  if (op == ScalarOp::Not)
    return addFacts(condition->args[0], !negated, facts, budget);
  if (op == (negated ? ScalarOp::Or : ScalarOp::And)) {
    for (const Scalar *arg : condition->args)
      addFacts(arg, negated, facts, budget);
    return;
  }
  bool isComparison = op >= ScalarOp::Equal && op <= ScalarOp::GreaterEqual;
  if (!isComparison || !condition->args[0]->isInt())
    return;
  Linear difference = linear(condition->args[0]); // a - b
  difference.add(linear(condition->args[1]), -1);
  auto add = [&](int64_t factor, int64_t offset) { // factor * (a - b) + offset >= 0
    Linear fact;
    fact.constant = offset;
    fact.add(difference, factor);
    addFact(std::move(fact), facts);
  };
  if (op == (negated ? ScalarOp::NotEqual : ScalarOp::Equal)) {
    add(1, 0);
    add(-1, 0);
  } else if (op == (negated ? ScalarOp::GreaterEqual : ScalarOp::Less)) {
    add(-1, -1);
  } else if (op == (negated ? ScalarOp::Greater : ScalarOp::LessEqual)) {
    add(-1, 0);
  } else if (op == (negated ? ScalarOp::LessEqual : ScalarOp::Greater)) {
    add(1, -1);
  } else if (op == (negated ? ScalarOp::Less : ScalarOp::GreaterEqual)) {
    add(1, 0);
  }
}

/// Proves form >= 0 with the term coefficient * scalar replaced by something simpler.
bool BoundsAnalysis::holdsFor(const Linear &form, const Scalar *scalar, int64_t coefficient,
                              unsigned depth) {
  auto with = [&](const Scalar *replacement) {
    Linear candidate = form;
    candidate.opaque.erase(scalar);
    candidate.add(linear(replacement), coefficient);
    return holds(candidate, depth);
  };
  switch (scalar->op) {
  case ScalarOp::Min:
  case ScalarOp::Max: // -min(a, b) is at least -a, and at least -b
    if ((scalar->op == ScalarOp::Min) == (coefficient < 0))
      return with(scalar->args[0]) || with(scalar->args[1]);
    return with(scalar->args[0]) && with(scalar->args[1]);
  case ScalarOp::Select:
    return with(scalar->args[1]) && with(scalar->args[2]);
  case ScalarOp::Modulo: { // a % k = a - k * (a // k) with a rounded down to a multiple of k
    const Scalar *divisor = scalar->args[1];
    Interval range = interval(scalar->args[0]);
    if (divisor->op != ScalarOp::Constant || divisor->integer < 1 || !isKnown(range))
      return false;
    Linear candidate = form;
    candidate.opaque.erase(scalar);
    candidate.add(linear(scalar->args[0]), coefficient);
    int64_t quotient = coefficient > 0 ? divideFloorSigned(range.max, divisor->integer)
                                       : divideFloorSigned(range.min, divisor->integer);
    Linear multiple;
    multiple.constant = quotient;
    candidate.add(multiple, -coefficient * divisor->integer);
    return holds(candidate, depth);
  }
  default:
    return false;
  }
}

bool BoundsAnalysis::holds(const Linear &form, unsigned depth) {
  std::optional<int64_t> low = minimum(form);
  if (low && *low >= 0)
    return true;
  if (!form.valid || depth == 0)
    return false;
  for (auto [scalar, coefficient] : form.opaque)
    if (holdsFor(form, scalar, coefficient, depth - 1))
      return true;
  return false;
}

bool BoundsAnalysis::isNonNegative(const Linear &form, ArrayRef<Condition> conditions) {
  constexpr unsigned maxReplacements = 4;
  auto holds = [&](const Linear &candidate) { return this->holds(candidate, maxReplacements); };
  if (holds(form))
    return true;
  std::vector<Linear> facts;
  unsigned budget = 32; // of conditions looked at: the proof tries all pairs
  for (const Condition &condition : conditions)
    addFacts(condition.scalar, condition.negated, facts, budget);
  for (size_t i = 0; i < facts.size(); ++i) {
    Linear one = form;
    one.add(facts[i], -1);
    if (holds(one))
      return true;
    for (size_t j = i + 1; j < facts.size(); ++j) {
      Linear two = one;
      two.add(facts[j], -1);
      if (holds(two))
        return true;
    }
  }
  return false;
}

std::optional<bool> BoundsAnalysis::decide(const Scalar *comparison) {
  // a - b >= low, for both orders of the operands.
  auto isAtLeast = [&](unsigned first, int64_t low) {
    Linear form = linear(comparison->args[first]);
    form.add(linear(comparison->args[1 - first]), -1);
    form.constant -= low;
    return isNonNegative(form, {});
  };
  auto oneOf = [](bool yes, bool no) {
    return yes ? std::optional(true) : no ? std::optional(false) : std::nullopt;
  };
  switch (comparison->op) {
  case ScalarOp::Less:
    return oneOf(isAtLeast(1, 1), isAtLeast(0, 0));
  case ScalarOp::LessEqual:
    return oneOf(isAtLeast(1, 0), isAtLeast(0, 1));
  case ScalarOp::Greater:
    return oneOf(isAtLeast(0, 1), isAtLeast(1, 0));
  case ScalarOp::GreaterEqual:
    return oneOf(isAtLeast(0, 0), isAtLeast(1, 1));
  case ScalarOp::Equal:
    return oneOf(false, isAtLeast(0, 1) || isAtLeast(1, 1));
  case ScalarOp::NotEqual:
    return oneOf(isAtLeast(0, 1) || isAtLeast(1, 1), false);
  default:
    return std::nullopt;
  }
}

} // namespace weft::sema
