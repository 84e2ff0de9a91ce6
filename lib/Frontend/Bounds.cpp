//===- Bounds.cpp - Is an index expression in range? ----------------------===//

#include "Bounds.h"
#include <algorithm>

using namespace llvm;

namespace weft::sema {

/// Coefficients and constants stay far away from overflow.
constexpr int64_t maxCoefficient = Interval::limit;

static int64_t saturate(__int128 value) {
  return int64_t(std::clamp<__int128>(value, -Interval::limit, Interval::limit));
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

//===----------------------------------------------------------------------===//
// Linear forms
//===----------------------------------------------------------------------===//

static void accumulate(int64_t &target, int64_t value, int64_t factor, bool &valid) {
  __int128 sum = __int128(target) + __int128(value) * factor;
  valid &= sum > -maxCoefficient && sum < maxCoefficient;
  target = valid ? int64_t(sum) : 0;
}

void Linear::add(const Linear &other, int64_t factor) {
  valid &= other.valid;
  accumulate(constant, other.constant, factor, valid);
  for (auto [index, coefficient] : other.indices)
    accumulate(indices[index], coefficient, factor, valid);
  for (const auto &[symbol, term] : other.symbols) {
    auto &own = symbols[symbol];
    own.second = term.second;
    accumulate(own.first, term.first, factor, valid);
  }
  for (auto [scalar, coefficient] : other.opaque)
    accumulate(opaque[scalar], coefficient, factor, valid);
  auto prune = [](auto &terms, auto isZero) {
    for (auto it = terms.begin(); it != terms.end();)
      it = isZero(it->second) ? terms.erase(it) : std::next(it);
  };
  prune(indices, [](int64_t k) { return k == 0; });
  prune(symbols, [](const auto &term) { return term.first == 0; });
  prune(opaque, [](int64_t k) { return k == 0; });
}

Linear BoundsAnalysis::size(const Extent &extent) {
  Linear form;
  if (extent.dynamic)
    form.symbols[extent.name] = {1, extent.size};
  else if (extent.size < maxCoefficient)
    form.constant = extent.size;
  else
    form.valid = false;
  return form;
}

const Linear &BoundsAnalysis::linear(const Scalar *scalar) {
  auto it = forms.find(scalar);
  if (it == forms.end())
    it = forms.emplace(scalar, computeLinear(scalar)).first;
  return it->second;
}

Linear BoundsAnalysis::computeLinear(const Scalar *scalar) {
  Linear form;
  switch (scalar->op) {
  case ScalarOp::Constant:
    form.constant = scalar->integer;
    form.valid = std::abs(scalar->integer) < maxCoefficient;
    return form;
  case ScalarOp::Index:
    form.indices[scalar->index] = 1;
    return form;
  case ScalarOp::Size:
    return size(*scalar->symbol);
  case ScalarOp::Negate:
    form.add(linear(scalar->args[0]), -1);
    return form;
  case ScalarOp::Add:
  case ScalarOp::Subtract:
    form = linear(scalar->args[0]);
    form.add(linear(scalar->args[1]), scalar->op == ScalarOp::Add ? 1 : -1);
    return form;
  case ScalarOp::Multiply:
    for (unsigned i : {0, 1})
      if (scalar->args[i]->op == ScalarOp::Constant &&
          std::abs(scalar->args[i]->integer) < maxCoefficient) {
        form.add(linear(scalar->args[1 - i]), scalar->args[i]->integer);
        return form;
      }
    break;
  default:
    break;
  }
  form.opaque[scalar] = 1;
  return form;
}

const Extent *BoundsAnalysis::positionsIn(const Scalar *scalar) {
  if (scalar->op == ScalarOp::Read)
    return scalar->tensor->below ? &*scalar->tensor->below : nullptr;
  if (scalar->op != ScalarOp::Reduce || !scalar->isInt() ||
      (scalar->reduction != ast::ReductionKind::ArgMax &&
       scalar->reduction != ast::ReductionKind::ArgTop))
    return nullptr;
  const Extent &extent = *scalar->binders[0]->extent;
  return extent.dynamic ? &extent : nullptr;
}

std::optional<int64_t> BoundsAnalysis::minimum(const Linear &form) {
  if (!form.valid)
    return std::nullopt;
  __int128 low = form.constant;
  std::map<std::string, std::pair<int64_t, int64_t>> symbols = form.symbols;
  auto addPosition = [&](const Extent &extent, int64_t k) { // 0 .. extent - 1
    if (k > 0)
      return;
    if (!extent.dynamic) {
      low += __int128(k) * (extent.size - 1);
      return;
    }
    auto &term = symbols[extent.name];
    term = {saturate(__int128(term.first) + k), extent.size};
    low -= k;
  };
  for (auto [index, k] : form.indices)
    addPosition(*index->extent, k);
  for (auto [scalar, k] : form.opaque)
    if (const Extent *extent = positionsIn(scalar))
      addPosition(*extent, k);
  for (const auto &[name, term] : symbols)
    low += __int128(term.first) * (term.first > 0 ? 1 : term.second);
  for (auto [scalar, k] : form.opaque) {
    if (positionsIn(scalar))
      continue;
    Interval range = interval(scalar);
    if (!range.isKnown())
      return std::nullopt;
    low += __int128(k) * (k > 0 ? range.low : range.high);
  }
  return saturate(low);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

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
    if (divisor->op != ScalarOp::Constant || divisor->integer < 1 || !range.isKnown())
      return false;
    Linear candidate = form;
    candidate.opaque.erase(scalar);
    candidate.add(linear(scalar->args[0]), coefficient);
    int64_t quotient = coefficient > 0 ? floorDivide(range.high, divisor->integer)
                                       : floorDivide(range.low, divisor->integer);
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

std::string BoundsAnalysis::extremeText(const Linear &form, bool largest) {
  int64_t constant = form.constant;
  std::map<std::string, int64_t> symbols;
  for (const auto &[name, term] : form.symbols)
    symbols[name] = term.first;
  for (auto [index, k] : form.indices) {
    if ((k > 0) != largest)
      continue;
    const Extent &extent = *index->extent;
    constant += extent.dynamic ? -k : k * (extent.size - 1);
    if (extent.dynamic)
      symbols[extent.name] += k;
  }
  std::string text;
  for (const auto &[name, k] : symbols) {
    if (k == 0)
      continue;
    std::string magnitude = std::abs(k) == 1 ? "" : std::to_string(std::abs(k)) + "*";
    text += text.empty() ? (k < 0 ? "-" : "") : (k < 0 ? " - " : " + ");
    text += magnitude + name;
  }
  if (text.empty())
    return std::to_string(constant);
  if (constant)
    text += (constant < 0 ? " - " : " + ") + std::to_string(std::abs(constant));
  return text;
}

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

Interval BoundsAnalysis::interval(const Scalar *scalar) {
  auto it = known.find(scalar);
  if (it != known.end())
    return it->second;
  Interval result = compute(scalar);
  known[scalar] = result;
  return result;
}

static Interval corners(std::initializer_list<__int128> values) {
  return {saturate(std::min(values)), saturate(std::max(values))};
}

/// The interval of `scalar` where `condition`, a comparison of it with something, has this value.
Interval BoundsAnalysis::refined(const Scalar *scalar, const Scalar *condition, bool holds) {
  Interval range = interval(scalar);
  ScalarOp op = condition->op;
  if (op < ScalarOp::Less || op > ScalarOp::GreaterEqual || condition->args[0] != scalar ||
      !scalar->isInt())
    return range;
  Interval other = interval(condition->args[1]);
  bool less = (op == ScalarOp::Less || op == ScalarOp::LessEqual) == holds;
  bool strict = (op == ScalarOp::Less || op == ScalarOp::Greater) == holds;
  if (less)
    range.high = std::min(range.high, saturate(__int128(other.high) - strict));
  else
    range.low = std::max(range.low, saturate(__int128(other.low) + strict));
  return range.low <= range.high ? range : Interval{range.low, range.low};
}

Interval BoundsAnalysis::compute(const Scalar *scalar) {
  if (!scalar->isInt())
    return {};
  auto arg = [&](unsigned i) { return interval(scalar->args[i]); };
  switch (scalar->op) {
  case ScalarOp::Constant:
    return {saturate(scalar->integer), saturate(scalar->integer)};
  case ScalarOp::Index:
    return {0, saturate(scalar->index->extent->size - 1)};
  case ScalarOp::Size:
    return {1, saturate(scalar->symbol->size)};
  case ScalarOp::Read:
    if (scalar->tensor->bounds)
      return {scalar->tensor->bounds->first, scalar->tensor->bounds->second};
    return {};
  case ScalarOp::Reduce:
    if (scalar->reduction == ast::ReductionKind::ArgMax ||
        scalar->reduction == ast::ReductionKind::ArgTop)
      return {0, saturate(scalar->binders[0]->extent->size - 1)};
    return {};
  case ScalarOp::Negate:
    return {-arg(0).high, -arg(0).low};
  case ScalarOp::Add:
    return {saturate(__int128(arg(0).low) + arg(1).low),
            saturate(__int128(arg(0).high) + arg(1).high)};
  case ScalarOp::Subtract:
    return {saturate(__int128(arg(0).low) - arg(1).high),
            saturate(__int128(arg(0).high) - arg(1).low)};
  case ScalarOp::Multiply: {
    Interval a = arg(0), b = arg(1);
    return corners({__int128(a.low) * b.low, __int128(a.low) * b.high, __int128(a.high) * b.low,
                    __int128(a.high) * b.high});
  }
  case ScalarOp::FloorDivide: {
    Interval a = arg(0), b = arg(1);
    if (b.low < 1)
      return {};
    return corners({floorDivide(a.low, b.low), floorDivide(a.low, b.high),
                    floorDivide(a.high, b.low), floorDivide(a.high, b.high)});
  }
  case ScalarOp::Modulo: {
    Interval a = arg(0), b = arg(1);
    if (b.low < 1)
      return {};
    int64_t high = b.high - 1;
    return {0, a.low >= 0 ? std::min(high, a.high) : high};
  }
  case ScalarOp::Min:
    return {std::min(arg(0).low, arg(1).low), std::min(arg(0).high, arg(1).high)};
  case ScalarOp::Max:
    return {std::max(arg(0).low, arg(1).low), std::max(arg(0).high, arg(1).high)};
  case ScalarOp::Select: {
    Interval a = refined(scalar->args[1], scalar->args[0], true);
    Interval b = refined(scalar->args[2], scalar->args[0], false);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  case ScalarOp::Abs: {
    Interval a = arg(0);
    int64_t high = std::max(std::abs(a.low), std::abs(a.high));
    return {a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, high};
  }
  default:
    return {};
  }
}

} // namespace weft::sema
