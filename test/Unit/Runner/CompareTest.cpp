//===- CompareTest.cpp - results and what is expected of them -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestModel.h"

#include "weft/Runner/Compare.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace weft;
using namespace weft::test;

namespace {

using Reals = std::vector<float>;

Comparison compareReals(const Reals &got, const Reals &expected,
                        const StoredTensor *mask = nullptr) {
  return compare(stored("y", ElementType::F32, {int64_t(got.size())}, got),
                 stored("y", ElementType::F32, {int64_t(expected.size())}, expected), {0.01, 0.001},
                 mask);
}

TEST(Compare, AllowsAPartOfTheLargest) {
  Comparison result = compareReals({1, 2.02f, -10}, {1, 2, -10});
  EXPECT_TRUE(result.agrees());
  EXPECT_DOUBLE_EQ(result.allowed, 0.101);
  EXPECT_EQ(result.place, 1);
  EXPECT_NEAR(result.worst, 0.02, 1e-6);
  EXPECT_EQ(compareReals({1, 2.2f, -10.2f}, {1, 2, -10}).wrong, 2);
}

TEST(Compare, ShapesThatDiffer) { EXPECT_FALSE(compareReals({1, 2}, {1, 2, 3}).agrees()); }

TEST(Compare, NoNumbers) {
  EXPECT_TRUE(compareReals({INFINITY, 1}, {INFINITY, 1}).agrees());
  EXPECT_FALSE(compareReals({INFINITY, 1}, {-INFINITY, 1}).agrees());
  EXPECT_FALSE(compareReals({1, NAN}, {1, NAN}).agrees());
  EXPECT_FALSE(compareReals({1, NAN}, {1, 1}).agrees());
}

TEST(Compare, IdsAreEqualOrNot) {
  std::vector<int32_t> got = {1000000, 5}, expected = {1000000, 6};
  Comparison result = compare(stored("y", ElementType::I32, {2}, got),
                              stored("y", ElementType::I32, {2}, expected), {1, 1}, nullptr);
  EXPECT_EQ(result.wrong, 1);
  EXPECT_EQ(result.allowed, 0);
}

// What a model computes for padding means nothing, however large.
TEST(Compare, LeavesMaskedPositionsOut) {
  std::vector<int32_t> kept = {1, 0, 1};
  StoredTensor mask = stored("mask", ElementType::I32, {3}, kept);
  EXPECT_TRUE(compareReals({1, 500, 3}, {1, -900, 3}, &mask).agrees());
  EXPECT_FALSE(compareReals({1.5f, 500, 3}, {1, -900, 3}, &mask).agrees());
  Reals got = {1, 2, 9, 9, 3, 4}, expected = {1, 2, 8, 8, 3, 4};
  EXPECT_TRUE(compare(stored("y", ElementType::F32, {3, 2}, got),
                      stored("y", ElementType::F32, {3, 2}, expected), {0, 0}, &mask)
                  .agrees());
}

} // namespace
