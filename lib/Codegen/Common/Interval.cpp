//===- Interval.cpp - where integers lie ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Interval.h"

using namespace weft;

static int64_t saturate(__int128 value) {
  return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : int64_t(value);
}

Interval weft::operator+(Interval a, Interval b) {
  return {saturate(__int128(a.min) + b.min), saturate(__int128(a.max) + b.max)};
}

Interval weft::operator-(Interval a, Interval b) {
  return {saturate(__int128(a.min) - b.max), saturate(__int128(a.max) - b.min)};
}

Interval weft::operator*(Interval a, Interval b) {
  __int128 products[] = {__int128(a.min) * b.min, __int128(a.min) * b.max, __int128(a.max) * b.min,
                         __int128(a.max) * b.max};
  return {saturate(*std::min_element(products, products + 4)),
          saturate(*std::max_element(products, products + 4))};
}

Interval weft::floorDivide(Interval a, int64_t divisor) {
  auto divide = [&](int64_t value) { return value / divisor - (value % divisor < 0); };
  return {divide(a.min), divide(a.max)};
}

Interval weft::min(Interval a, Interval b) {
  return {std::min(a.min, b.min), std::min(a.max, b.max)};
}

Interval weft::max(Interval a, Interval b) {
  return {std::max(a.min, b.min), std::max(a.max, b.max)};
}
