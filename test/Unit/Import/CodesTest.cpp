//===- CodesTest.cpp - Weights as whole numbers with scales ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/Codes.h"

#include "gtest/gtest.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace llvm;
using namespace weft;

namespace {

double lossOf(ArrayRef<float> values, float scale, int limit) {
  std::vector<int8_t> codes(values.size());
  encode(values, scale, codes, {limit});
  double loss = 0;
  for (size_t i = 0; i < values.size(); ++i)
    loss += std::pow(double(values[i]) - double(codes[i]) * scale, 2);
  return loss;
}

TEST(Codes, WholeNumbersAreExact) {
  std::vector<float> values;
  for (int i = -127; i <= 127; ++i)
    values.push_back(float(i) * 0.5f);
  float scale = chooseScale(values);
  EXPECT_EQ(scale, 0.5f);
  std::vector<int8_t> codes(values.size());
  encode(values, scale, codes);
  for (int i = -127; i <= 127; ++i)
    EXPECT_EQ(codes[size_t(i + 127)], i);
}

TEST(Codes, NothingBeyondTheLargest) {
  std::vector<float> values = {1e30f, -1e30f, 3, -0.5f, 0};
  std::vector<int8_t> codes(values.size());
  encode(values, 0.01f, codes);
  EXPECT_EQ(codes, (std::vector<int8_t>{127, -127, 127, -50, 0}));
  encode(values, 0.01f, codes, {7});
  EXPECT_EQ(codes, (std::vector<int8_t>{7, -7, 7, -7, 0}));
}

TEST(Codes, ZerosAndNothing) {
  EXPECT_EQ(chooseScale({0, 0, 0}), 0);
  EXPECT_EQ(chooseScale({}), 0);
  EXPECT_EQ(chooseScale({1e-44f, 0}), 0) << "the inverse of the scale would be infinite";
  std::vector<int8_t> codes(2, 99);
  encode({0.0f, 5.0f}, 0, codes);
  EXPECT_EQ(codes, (std::vector<int8_t>{0, 0}));
}

// With few codes a large number that stands alone is better cut off; no scale that is tried loses
// less than the one that is chosen.
TEST(Codes, LosesLeast) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int limit : {7, 127})
    for (size_t size : {1, 13, 97, 1000}) {
      std::vector<float> values(size);
      for (float &value : values)
        value = normal(random);
      float scale = chooseScale(values, {limit});
      float largest =
          std::fabs(*std::max_element(values.begin(), values.end(), [](float a, float b) {
            return std::fabs(a) < std::fabs(b);
          }));
      double loss = lossOf(values, scale, limit);
      for (int i = 0; i != 20; ++i)
        EXPECT_LE(loss, lossOf(values, largest / float(limit) * (1 - 0.02f * float(i)), limit) *
                            (1 + 1e-5))
            << size << " values, limit " << limit;
      if (limit == 7 && size == 1000)
        EXPECT_LT(scale, largest / float(limit) * 0.9f);
    }
}

/// What a scale loses in the best codes of two neighbours, tried one by one.
double narrowLossOf(float a, float b, float scale) {
  double least = INFINITY;
  for (int i = -127; i <= 127; ++i)
    for (int j = std::max(-127, -128 - i); j <= std::min(127, 128 - i); ++j)
      least =
          std::min(least, std::pow(a - double(i) * scale, 2) + std::pow(b - double(j) * scale, 2));
  return least;
}

/// Neighbours come to 128 at most, and no others that do are nearer to what they stand for.
TEST(Codes, NarrowOnesLeaveRoom) {
  std::mt19937 random(19);
  std::student_t_distribution<float> heavy(3);
  CodeLimits narrow{kLargestCode, /*areNarrow=*/true};
  for (size_t size : {1, 2, 13, 97, 1000}) {
    std::vector<float> values(size);
    for (float &value : values)
      value = heavy(random);
    float whole = chooseScale(values, narrow);
    for (float scale : {whole, 0.7f * whole, 0.3f * whole, 2 * whole}) {
      std::vector<int8_t> codes(size);
      encode(values, scale, codes, narrow);
      for (size_t i = 0; i + 1 < size; i += 2) {
        int a = codes[i], b = codes[i + 1];
        EXPECT_LE(std::abs(a + b), 128) << i;
        EXPECT_TRUE(values[i] * float(a) >= 0 && values[i + 1] * float(b) >= 0) << i;
        double loss = std::pow(values[i] - double(a) * scale, 2) +
                      std::pow(values[i + 1] - double(b) * scale, 2);
        if (i <= 40)
          EXPECT_LE(loss, 1.0001 * narrowLossOf(values[i], values[i + 1], scale)) << i;
      }
    }
  }
}

/// The scale has room for two large neighbours, and is that of others where there are none.
TEST(Codes, NarrowScales) {
  CodeLimits narrow{kLargestCode, /*areNarrow=*/true};
  EXPECT_EQ(chooseScale({1, 1, -1, -1}, narrow), 1.0f / 64);
  std::vector<int8_t> codes(4);
  encode({1, 1, -1, -1}, 1.0f / 64, codes, narrow);
  EXPECT_EQ(codes, (std::vector<int8_t>{64, 64, -64, -64}));
  encode({1, 1, -1, 1}, 1.0f / 127, codes, narrow); // cut off alike; no sum is too large behind
  EXPECT_EQ(codes, (std::vector<int8_t>{64, 64, -127, 127}));
  std::vector<float> alternating;
  for (int i = 1; i <= 127; ++i)
    alternating.insert(alternating.end(), {float(i), -float(i)});
  EXPECT_EQ(chooseScale(alternating, narrow), chooseScale(alternating));
  EXPECT_EQ(chooseScale({0, 0}, narrow), 0);
  EXPECT_EQ(chooseScale({}, narrow), 0);
  EXPECT_EQ(chooseScale({3e38f, 3e38f}, narrow), 3e38f / 64);
}

struct ShortRow {
  ShortRow(ArrayRef<float> values, size_t numGroups, bool asymmetric)
      : codes(values.size()), groups(numGroups) {
    scale = encodeShort(values, asymmetric, codes, groups);
    for (size_t i = 0; i < values.size(); ++i)
      loss += std::pow(double(values[i]) - double(codes[i]) * scale, 2);
  }

  std::vector<int8_t> codes;
  std::vector<CodeGroup> groups;
  float scale;
  double loss = 0;
};

/// Whatever the values are, a code is one that 4 bits, a factor and a zero say.
TEST(ShortCodes, CodesAreNumbersOfTheirGroup) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  for (bool asymmetric : {false, true})
    for (size_t numGroups : {1, 3, 31})
      for (float shift : {0.0f, 0.5f, 40.0f, -40.0f}) {
        std::vector<float> values(numGroups * 32);
        for (size_t i = 0; i < values.size(); ++i)
          values[i] = (normal(random) + shift) * (i / 32 % 4 == 3 ? 0.01f : 1.0f);
        ShortRow row(values, numGroups, asymmetric);
        for (size_t i = 0; i < values.size(); ++i) {
          const CodeGroup &group = row.groups[i / 32];
          ASSERT_LE(group.factor, 15);
          ASSERT_LE(group.zero, 15);
          if (!asymmetric) {
            ASSERT_TRUE(group.zero == 7 || group.zero == 8);
          }
          ASSERT_NE(group.factor, 0);
          int number = row.codes[i] / group.factor + group.zero;
          ASSERT_EQ((number - group.zero) * group.factor, row.codes[i]);
          ASSERT_GE(number, 0);
          ASSERT_LE(number, 15);
        }
      }
}

/// Numbers that are codes are found again: of either sign, of a range beside 0, and of groups whose
/// steps are as 1 to 15.
TEST(ShortCodes, ExactValues) {
  for (bool asymmetric : {false, true}) {
    std::vector<float> values;
    for (int factor : {15, 7, 1})
      for (int i = 0; i < 32; ++i)
        values.push_back(0.25f * float(factor * (i % 16 - (factor == 7 ? 7 : 8))));
    ShortRow row(values, 3, asymmetric);
    EXPECT_NEAR(row.loss, 0, 1e-9);
    EXPECT_NEAR(row.scale, 0.25f, 1e-6);
  }
  std::vector<float> beside;
  for (int i = 0; i < 32; ++i)
    beside.push_back(float(i % 16 - 3));
  EXPECT_NEAR(ShortRow(beside, 1, true).loss, 0, 1e-9);
  EXPECT_GT(ShortRow(beside, 1, false).loss, 1);
}

/// Groups lose less than rows, a zero of their own less than none; and the whole of normal values
/// is what is known of 4 bits.
TEST(ShortCodes, Loss) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> values(4096);
  for (float &value : values)
    value = normal(random);
  double all = 0;
  for (float value : values)
    all += double(value) * value;
  double row = ShortRow(values, 1, false).loss, groups = ShortRow(values, 128, false).loss,
         zeros = ShortRow(values, 128, true).loss;
  EXPECT_LT(std::sqrt(row / all), 0.13);
  EXPECT_LT(std::sqrt(groups / all), 0.095);
  EXPECT_LT(groups, row);
  EXPECT_LT(zeros, groups);
}

TEST(ShortCodes, ZerosAndNothing) {
  std::vector<float> values(64, 0);
  EXPECT_EQ(ShortRow(values, 2, false).scale, 0);
  values[40] = 1e-44f;
  EXPECT_EQ(ShortRow(values, 2, false).scale, 0) << "the inverse of the scale would be infinite";
  values[40] = -3;
  ShortRow one(values, 2, true);
  EXPECT_NEAR(one.loss, 0, 1e-9);
  EXPECT_EQ(one.codes[0], 0);
}

/// Squares of errors and ranges of numbers that f32 just holds are beyond it; of small ones
/// nothing.
TEST(Codes, LargeAndSmallValues) {
  std::mt19937 random(17);
  std::uniform_real_distribution<float> uniform(-0.9f, 0.9f);
  std::vector<float> values(96), scaled(96);
  for (float &value : values)
    value = uniform(random);
  for (int power : {-60, 40, 64, 100, 125, 128}) {
    for (auto [from, to] : zip_equal(values, scaled))
      to = float(std::ldexp(double(from), power));
    EXPECT_EQ(chooseScale(scaled), std::ldexp(chooseScale(values), power)) << power;
    EXPECT_EQ(chooseScale(scaled, {7}), std::ldexp(chooseScale(values, {7}), power)) << power;
    for (size_t groups : {1, 3})
      for (bool asymmetric : {false, true}) {
        ShortRow row(scaled, groups, asymmetric), expected(values, groups, asymmetric);
        EXPECT_EQ(row.codes, expected.codes) << power;
        EXPECT_EQ(row.scale, std::ldexp(expected.scale, power)) << power;
      }
  }
}

TEST(Codes, RowsOfATensor) {
  // Along the middle dimension of [2, 3, 2].
  std::vector<float> values = {1, 10, 2, 20, 3, 30, -1, 0, -2, 0, -127, 0};
  auto read = [&](int64_t first, MutableArrayRef<float> out) {
    std::copy_n(values.begin() + first, out.size(), out.begin());
  };
  CodedTensor coded = encode(read, {2, 3, 2}, {1});
  ASSERT_EQ(coded.scales.size(), 4u);
  EXPECT_EQ(coded.scales[3], 0);
  EXPECT_EQ(coded.sums[3], 0);
  EXPECT_EQ(coded.scales[2], 1);
  EXPECT_EQ(coded.sums[2], -130);
  EXPECT_EQ(coded.codes[6], -1);
  EXPECT_EQ(coded.codes[10], -127);
  EXPECT_EQ(coded.codes[7], 0);
  for (size_t i : {0, 2, 4})
    EXPECT_NEAR(coded.codes[i] * coded.scales[0], values[i], coded.scales[0] / 2);
  CodeFormat narrow;
  narrow.narrow = true; // 1 and 2, 10 and 20, -1 and -2 are neighbours
  CodedTensor other = encode(read, {2, 3, 2}, {1}, narrow);
  EXPECT_EQ(other.codes[6], -1);
  EXPECT_EQ(other.codes[8], -2);
  EXPECT_EQ(other.codes[10], -127);
  EXPECT_EQ(other.codes[4], 127);
  EXPECT_EQ(other.sums[2], -130);
  std::vector<double> decoded = decode(coded, {2, 3, 2}, {1});
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(decoded[i], double(coded.codes[i]) * coded.scales[i / 6 * 2 + i % 2]) << i;
}

} // namespace
