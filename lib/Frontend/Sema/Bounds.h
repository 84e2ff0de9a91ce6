//===- Bounds.h - Is an index expression in range? ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Integer expressions are written as c + sum(k_i * index_i) + sum(m_j * symbol_j) + rest. An index
// runs from 0 to its extent - 1, a symbol from 1 to its bound, so the smallest value of such a form
// is found at a corner, exactly. What is not linear (`//`, `%`, min, max, data) counts by an
// interval. Conditions that must hold for the element to be used (`if`, `where`, `and`) are forms
// that are at least 0; e >= 0 follows if e - condition >= 0 does.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_BOUNDS_H
#define WEFT_LIB_FRONTEND_SEMA_BOUNDS_H

#include "Scalar.h"
#include "weft/Support/Interval.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <map>

namespace weft::sema {

/// Nothing is known of numbers beyond: coefficients and what they multiply stay far from overflow.
constexpr int64_t maxKnown = int64_t(1) << 50;
inline bool isKnown(Interval range) { return range.min > -maxKnown && range.max < maxKnown; }

inline int64_t saturate(__int128 value) {
  return int64_t(std::clamp<__int128>(value, -maxKnown, maxKnown));
}

/// A linear form; `valid` is false if a coefficient left the range of safe arithmetic.
struct Linear {
  int64_t constant = 0;
  std::map<const Index *, int64_t> indices;
  std::map<std::string, std::pair<int64_t, int64_t>> symbols; ///< coefficient, bound
  std::map<const Scalar *, int64_t> opaque;
  bool valid = true;

  void add(const Linear &other, int64_t factor);
  /// No opaque terms: ranges are exact.
  bool isExact() const { return valid && opaque.empty(); }
};

/// A condition that holds (or, negated, does not) wherever an element is used.
struct Condition {
  const Scalar *scalar = nullptr;
  bool negated = false;
  bool operator==(const Condition &other) const {
    return scalar == other.scalar && negated == other.negated;
  }
};

class BoundsAnalysis {
public:
  /// What an integer lies between, as far as `maxKnown` on either side.
  Interval interval(const Scalar *scalar);
  /// Whether both ends of its interval are values that it takes: it follows from indices alone, and
  /// each of them stands in it once. (The ranges of run-time dimensions end at their bounds.)
  bool isTight(const Scalar *scalar);
  const Linear &linear(const Scalar *scalar);
  /// The size of a dimension as a form.
  static Linear size(const Extent &extent);
  /// The smallest value of `form`, if it can be bounded.
  std::optional<int64_t> minimum(const Linear &form);
  /// Proves form >= 0 under the conditions.
  bool isNonNegative(const Linear &form, llvm::ArrayRef<Condition> conditions);
  /// The value of a comparison of integers, if the ranges of indices and symbols tell it.
  std::optional<bool> decide(const Scalar *comparison);
  /// The run-time dimension whose positions are the values of `scalar`, if there is one: `argmax`
  /// and tensors of its results are smaller than the dimension, which no interval can say.
  static const Extent *positionsIn(const Scalar *scalar);
  /// The largest (or smallest) value over the indices as text, in terms of symbols: "T - 1".
  std::string extremeText(const Linear &form, bool largest);

private:
  Interval compute(const Scalar *scalar);
  Interval reduction(const Scalar *scalar);
  Interval refined(const Scalar *scalar, const Scalar *condition, bool holds);
  Linear computeLinear(const Scalar *scalar);
  bool holds(const Linear &form, unsigned depth);
  bool holdsFor(const Linear &form, const Scalar *scalar, int64_t coefficient, unsigned depth);
  void addFacts(const Scalar *condition, bool negated, std::vector<Linear> &facts,
                unsigned &budget);
  void addFact(Linear fact, std::vector<Linear> &facts);

  llvm::DenseMap<const Scalar *, Interval> known;
  std::map<const Scalar *, Linear> forms;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_BOUNDS_H
