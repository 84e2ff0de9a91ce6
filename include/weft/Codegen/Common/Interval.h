//===- Interval.h - where integers lie ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_INTERVAL_H
#define WEFT_CODEGEN_COMMON_INTERVAL_H

#include <algorithm>
#include <cstdint>

namespace weft {

/// An interval of integers; the default is "unknown".
struct Interval {
  int64_t min = INT64_MIN, max = INT64_MAX;

  bool fitsInt32() const { return min >= INT32_MIN && max <= INT32_MAX; }
  bool isNonNegative() const { return min >= 0; }
  Interval unionWith(Interval other) const {
    return {std::min(min, other.min), std::max(max, other.max)};
  }
};
Interval operator+(Interval a, Interval b);
Interval operator-(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
/// Of `a floordiv divisor`; the divisor is positive.
Interval floorDivide(Interval a, int64_t divisor);
/// Of the smaller and of the larger of two numbers.
Interval min(Interval a, Interval b);
Interval max(Interval a, Interval b);

} // namespace weft

#endif
