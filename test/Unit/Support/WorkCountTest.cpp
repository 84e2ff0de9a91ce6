//===- WorkCountTest.cpp - counts for any sizes ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/WorkCount.h"

#include "gtest/gtest.h"

using namespace weft;

static const llvm::StringRef names[] = {"T", "N"};

TEST(Count, HasAValueForSizes) {
  Count T = Count::ofSymbol(0), N = Count::ofSymbol(1);
  Count flops = T * N * 768.0 + N * 3.0;
  EXPECT_EQ(flops.at({10, 2}), 10 * 2 * 768 + 6);
  EXPECT_EQ(least(T * 4.0, N * 100.0).at({10, 2}), 40);
  EXPECT_EQ(least(T * 4.0, N * 100.0).at({100, 2}), 200);
  EXPECT_EQ(most(T, N).at({10, 2}), 10);
  EXPECT_EQ(most(T, N).at({1, 2}), 2);
  EXPECT_EQ(flops.rename({1, 0}).at({2, 10}), 10 * 2 * 768 + 6);
}

TEST(Count, LeavesOutWhatIsKnown) {
  Count T = Count::ofSymbol(0);
  EXPECT_EQ((Count(0) + T).getText(names), "T");
  EXPECT_EQ((T * 1.0 + 0.0).getText(names), "T");
  EXPECT_EQ((Count(2) * 3.0 + 0.5).getText(names), "6.5");
  EXPECT_EQ(most(T * 4.0, T * 4.0).getText(names), "T 4 *");
  EXPECT_EQ(most(Count(0), T).getText(names), "T");
  EXPECT_EQ(least(Count(0), T).getText(names), "0 T <");
}

TEST(Count, IsText) {
  Count T = Count::ofSymbol(0), N = Count::ofSymbol(1);
  Count count = most(least(T * 4.25, N), T + 1.0);
  EXPECT_EQ(count.getText(names), "T 4.25 * N < T 1 + >");
  std::optional<Count> read = Count::parse(count.getText(names), names);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->getText(names), count.getText(names));
  for (const char *text : {"", "T T", "T +", "M", "-1", "T  N +", "inf", "nan"})
    EXPECT_FALSE(Count::parse(text, names)) << text;
}

// What a library says is looked at before it is believed.
TEST(Count, RunsNothingElse) {
  weft_count_step symbol = {WEFT_COUNT_SYMBOL, 1, 0}, add = {WEFT_COUNT_ADD, 0, 0};
  EXPECT_EQ(runCount({symbol, symbol, add}, {5, 6})->front(), 12);
  EXPECT_EQ(runCount({symbol, symbol}, {5, 6})->size(), 2u);
  EXPECT_FALSE(runCount({symbol}, {5}));
  EXPECT_FALSE(runCount({symbol, add}, {5, 6}));
  EXPECT_FALSE(runCount({symbol, symbol, {99, 0, 0}}, {5, 6}));
}

// A split product is as many of the unit's.
TEST(Prediction, CountsPasses) {
  MachineLimits machine;
  machine.f32 = machine.int8 = machine.exponentials = 1;
  machine.bf16 = 10;
  machine.reads = {{std::nullopt, 1}};
  WorkCount work{Count::ofSymbol(0), 0, 0, 0, Unit::BF16, 6};
  Prediction time = predictTime(machine, work.at({1000}), 0);
  EXPECT_DOUBLE_EQ(time.seconds, 600e-9);
  EXPECT_EQ(time.limit, "bf16");
}
