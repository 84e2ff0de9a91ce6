//===- IntervalTest.cpp - where integers lie ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Interval.h"

#include "gtest/gtest.h"

using namespace weft;

namespace weft {
// GoogleTest looks for this name.
// NOLINTNEXTLINE(readability-identifier-naming)
void PrintTo(const Interval &a, std::ostream *os) { *os << "[" << a.min << ", " << a.max << "]"; }
} // namespace weft

namespace {

const Interval unknown;

int64_t floorOf(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// The smallest interval with `function` of all pairs, found by trying them.
template <typename Function> Interval tryAll(Interval a, Interval b, Function function) {
  Interval result{INT64_MAX, INT64_MIN};
  for (int64_t x = a.min; x <= a.max; ++x)
    for (int64_t y = b.min; y <= b.max; ++y)
      result = result.unionWith({function(x, y), function(x, y)});
  return result;
}

bool contains(Interval outer, Interval inner) { return outer.unionWith(inner) == outer; }

template <typename Function> void forSmallIntervals(Function function) {
  for (int64_t first = -5; first <= 5; ++first)
    for (int64_t last = first; last <= 5; ++last)
      function(Interval{first, last});
}

TEST(Interval, IsExactForSmallNumbers) {
  forSmallIntervals([](Interval a) {
    forSmallIntervals([&](Interval b) {
      using Number = int64_t;
      EXPECT_EQ(a + b, tryAll(a, b, [](Number x, Number y) { return x + y; }));
      EXPECT_EQ(a - b, tryAll(a, b, [](Number x, Number y) { return x - y; }));
      EXPECT_EQ(a * b, tryAll(a, b, [](Number x, Number y) { return x * y; }));
      EXPECT_EQ(min(a, b), tryAll(a, b, [](Number x, Number y) { return std::min(x, y); }));
      EXPECT_EQ(max(a, b), tryAll(a, b, [](Number x, Number y) { return std::max(x, y); }));
    });
    EXPECT_EQ(-a, tryAll(a, {0, 0}, [](int64_t x, int64_t) { return -x; }));
    EXPECT_EQ(abs(a), tryAll(a, {0, 0}, [](int64_t x, int64_t) { return std::abs(x); }));
    EXPECT_EQ(clamp(a, {-2, 3}),
              tryAll(a, {0, 0}, [](int64_t x, int64_t) { return std::clamp<int64_t>(x, -2, 3); }));
  });
}

TEST(Interval, DividesDown) {
  forSmallIntervals([](Interval a) {
    forSmallIntervals([&](Interval b) {
      if (b.min < 1) {
        EXPECT_EQ(floorDivide(a, b), unknown);
        EXPECT_EQ(floorModulo(a, b), unknown);
        return;
      }
      EXPECT_EQ(floorDivide(a, b), tryAll(a, b, floorOf));
      Interval remainders =
          tryAll(a, b, [](int64_t x, int64_t y) { return x - y * floorOf(x, y); });
      EXPECT_PRED2(contains, floorModulo(a, b), remainders);
    });
  });
  // What is below every divisor remains as it is.
  EXPECT_EQ(floorModulo({0, 2}, {7, 9}), (Interval{0, 2}));
  EXPECT_EQ(floorModulo({-1, 2}, {7, 9}), (Interval{0, 8}));
}

TEST(Interval, SaturatesEachEndForItself) {
  EXPECT_EQ(unknown + (Interval{1, 2}), (Interval{INT64_MIN + 1, INT64_MAX}));
  EXPECT_EQ((Interval{3, INT64_MAX}) + (Interval{1, 1}), (Interval{4, INT64_MAX}));
  EXPECT_EQ((Interval{INT64_MIN, 3}) - (Interval{1, 1}), (Interval{INT64_MIN, 2}));
  EXPECT_EQ(unknown - unknown, unknown);
  EXPECT_EQ(-unknown, (Interval{-INT64_MAX, INT64_MAX}));
  EXPECT_EQ(unknown * unknown, unknown);
  EXPECT_EQ(unknown * (Interval{0, 0}), (Interval{0, 0}));
  EXPECT_EQ((Interval{1, INT64_MAX}) * (Interval{-1, -1}), (Interval{-INT64_MAX, -1}));
  EXPECT_EQ((Interval{1, int64_t(1) << 32}) * (Interval{2, int64_t(1) << 32}),
            (Interval{2, INT64_MAX}));
  EXPECT_EQ(abs(unknown), (Interval{0, INT64_MAX}));
  EXPECT_EQ(abs(Interval{INT64_MIN, -7}), (Interval{7, INT64_MAX}));
}

TEST(Interval, DividesTheExtremes) {
  EXPECT_EQ(floorDivide(unknown, {1, 1}), unknown);
  EXPECT_EQ(floorDivide(unknown, {2, 2}), (Interval{INT64_MIN / 2, INT64_MAX / 2}));
  EXPECT_EQ(floorDivide({INT64_MIN, -1}, {1, INT64_MAX}), (Interval{INT64_MIN, -1}));
  EXPECT_EQ(floorModulo(unknown, {1, INT64_MAX}), (Interval{0, INT64_MAX - 1}));
  EXPECT_EQ(floorModulo(unknown, {1, 1}), (Interval{0, 0}));
}

TEST(Interval, SaysWhatFits) {
  EXPECT_TRUE((Interval{INT32_MIN, INT32_MAX}).fitsInt32());
  EXPECT_FALSE((Interval{0, int64_t(INT32_MAX) + 1}).fitsInt32());
  EXPECT_FALSE(unknown.fitsInt32());
  EXPECT_TRUE((Interval{0, 1}).isNonNegative());
  EXPECT_FALSE((Interval{-1, 1}).isNonNegative());
}

} // namespace
