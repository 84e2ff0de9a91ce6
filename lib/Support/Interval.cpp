//===- Interval.cpp - where integers lie ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Interval.h"

#include "llvm/Support/MathExtras.h"

using namespace weft;

static int64_t saturate(__int128 value) {
  return int64_t(std::clamp<__int128>(value, INT64_MIN, INT64_MAX));
}

/// Of a function whose extremes are at the ends of both intervals.
template <typename Function> static Interval atCorners(Interval a, Interval b, Function function) {
  auto [least, greatest] = std::minmax({function(a.min, b.min), function(a.min, b.max),
                                        function(a.max, b.min), function(a.max, b.max)});
  return {saturate(least), saturate(greatest)};
}

Interval weft::operator-(Interval a) { return Interval{0, 0} - a; }

Interval weft::operator+(Interval a, Interval b) {
  return {saturate(__int128(a.min) + b.min), saturate(__int128(a.max) + b.max)};
}

Interval weft::operator-(Interval a, Interval b) {
  return {saturate(__int128(a.min) - b.max), saturate(__int128(a.max) - b.min)};
}

Interval weft::operator*(Interval a, Interval b) {
  return atCorners(a, b, [](__int128 x, __int128 y) { return x * y; });
}

Interval weft::floorDivide(Interval a, Interval divisor) {
  if (divisor.min < 1)
    return {};
  return atCorners(a, divisor, llvm::divideFloorSigned<int64_t, int64_t>);
}

Interval weft::floorModulo(Interval a, Interval divisor) {
  if (divisor.min < 1)
    return {};
  return {0, a.isNonNegative() ? std::min(divisor.max - 1, a.max) : divisor.max - 1};
}

Interval weft::abs(Interval a) {
  return a.isNonNegative() ? a : a.max <= 0 ? -a : Interval{0, max(-a, a).max};
}

Interval weft::min(Interval a, Interval b) {
  return {std::min(a.min, b.min), std::min(a.max, b.max)};
}

Interval weft::max(Interval a, Interval b) {
  return {std::max(a.min, b.min), std::max(a.max, b.max)};
}

Interval weft::clamp(Interval a, Interval range) {
  return {std::clamp(a.min, range.min, range.max), std::clamp(a.max, range.min, range.max)};
}
