//===- CodesTest.cpp - Weights as whole numbers with scales ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/Codes.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace llvm;
using namespace weft;

namespace {

double lossOf(ArrayRef<float> values, float scale, int limit) {
  std::vector<int8_t> codes(values.size());
  encode(values, scale, codes, limit);
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
  encode(values, 0.01f, codes, 7);
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
      float scale = chooseScale(values, limit);
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
  std::vector<double> decoded = decode(coded, {2, 3, 2}, {1});
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(decoded[i], double(coded.codes[i]) * coded.scales[i / 6 * 2 + i % 2]) << i;
}

} // namespace
