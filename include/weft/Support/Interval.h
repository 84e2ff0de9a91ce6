//===- Interval.h - where integers lie ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Arithmetic of intervals whose ends saturate: an end that 64 bits cannot hold becomes their first
// or last number, which is also how an end is said to be unknown. So one end that overflows leaves
// the other known. (ConstantRange of LLVM wraps around instead; the ranges of MLIR then forget
// both.)
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_INTERVAL_H
#define WEFT_SUPPORT_INTERVAL_H

#include <algorithm>
#include <cstdint>

namespace weft {

/// The integers from `min` to `max`, of which there is at least one; the default is "unknown".
struct Interval {
  int64_t min = INT64_MIN, max = INT64_MAX;

  bool operator==(const Interval &other) const { return min == other.min && max == other.max; }
  bool fitsInt32() const { return min >= INT32_MIN && max <= INT32_MAX; }
  bool isNonNegative() const { return min >= 0; }
  Interval unionWith(Interval other) const {
    return {std::min(min, other.min), std::max(max, other.max)};
  }
};

Interval operator-(Interval a);
Interval operator+(Interval a, Interval b);
Interval operator-(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
/// Of the quotient rounded down, and of what then remains; unknown if a divisor may be below 1.
Interval floorDivide(Interval a, Interval divisor);
Interval floorModulo(Interval a, Interval divisor);
Interval abs(Interval a);
/// Of the smaller and of the larger of two numbers.
Interval min(Interval a, Interval b);
Interval max(Interval a, Interval b);
/// Of numbers that are cut to `range`.
Interval clamp(Interval a, Interval range);

} // namespace weft

#endif // WEFT_SUPPORT_INTERVAL_H
