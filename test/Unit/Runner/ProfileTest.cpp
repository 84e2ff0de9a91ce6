//===- ProfileTest.cpp - what kernels did ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Profile.h"

#include "TestModel.h"
#include "gtest/gtest.h"

using namespace weft;
using namespace weft::test;

// 5 * T operations, no function, 8 * T bytes of which 4 are weights.
static const weft_count_step steps[] = {{WEFT_COUNT_SYMBOL, 0, 0},   {WEFT_COUNT_NUMBER, 0, 5},
                                        {WEFT_COUNT_MULTIPLY, 0, 0}, {WEFT_COUNT_NUMBER, 0, 0},
                                        {WEFT_COUNT_SYMBOL, 0, 0},   {WEFT_COUNT_NUMBER, 0, 8},
                                        {WEFT_COUNT_MULTIPLY, 0, 0}, {WEFT_COUNT_NUMBER, 0, 4}};
static const weft_kernel_info kernels[] = {{"counted", "", {0, 5, 0}, 0, 0},
                                           {"not", "", {0, 7, 0}, 0, 0}};
static const weft_kernel_counts counts[] = {{steps, 8, WEFT_UNIT_F32, 1, 0},
                                            {nullptr, 0, WEFT_UNIT_NONE, 1, 0}};

static TestModel profiledModel() {
  TestModel model;
  model.symbol("T", 100);
  model.info.kernels = kernels;
  model.info.kernel_count = 2;
  model.info.kernel_counts = counts;
  return model;
}

static MachineLimits slowMachine() {
  MachineLimits machine;
  machine.f32 = machine.bf16 = machine.int8 = machine.exponentials = 1e-9; // one a second
  machine.reads = {{std::nullopt, 1}};
  return machine;
}

TEST(Profile, AddsUpWhatCallsDid) {
  TestModel model = profiledModel();
  Profile profile(model.info, slowMachine());
  profile.add({{2, 3.0}, {0, 0.0}}, {10});
  profile.add({{3, 4.0}, {1, 1.0}}, {20});
  const KernelProfile &counted = profile.kernels()[0], &other = profile.kernels()[1];
  EXPECT_EQ(counted.calls, 3);
  EXPECT_EQ(counted.seconds, 4);
  EXPECT_EQ(counted.flops, 2 * 50 + 100);
  EXPECT_EQ(counted.bytes, 2 * 80 + 160);
  EXPECT_EQ(counted.prediction(), 200);
  EXPECT_EQ(counted.limit(), "f32");
  // Without counts there are operations alone.
  EXPECT_EQ(other.flops, 140);
  EXPECT_FALSE(other.bytes);
  EXPECT_FALSE(other.prediction());
  profile.reset();
  EXPECT_EQ(profile.kernels()[0].calls, 0);
  EXPECT_EQ(profile.kernels()[0].flops, 0);
}

// Of an older model what is behind its description is not looked at.
TEST(Profile, ReadsOlderModels) {
  TestModel model = profiledModel();
  model.info.abi_version = WEFT_ABI_OLDEST;
  EXPECT_FALSE(workOf(model.info, 0, {10}));
  Profile profile(model.info, slowMachine());
  profile.add({{2, 3.0}, {0, 0.0}}, {10});
  EXPECT_EQ(profile.kernels()[0].flops, 100);
  EXPECT_FALSE(profile.kernels()[0].bytes);
}
