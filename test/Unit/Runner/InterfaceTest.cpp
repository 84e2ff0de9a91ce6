//===- InterfaceTest.cpp - what a compiled model says about itself --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestModel.h"

#include "weft/Runner/Interface.h"

#include "gtest/gtest.h"

using namespace weft;
using namespace weft::test;

namespace {

TEST(Interface, ShapesAndSizes) {
  TestModel model;
  model.symbol("T", 8).symbol("S", 4);
  model.entry("f", {{"a", WEFT_F32, {symbol0, 3, symbol1}}, {"b", WEFT_BOOL, {symbol0, symbol0}}},
              {});
  const weft_tensor_info *inputs = model.info.entries[0].inputs;
  EXPECT_EQ(shapeOf(inputs[0], {5, 2}), (llvm::SmallVector<int64_t>{5, 3, 2}));
  EXPECT_EQ(bytesOf(inputs[0], {5, 2}), 5 * 3 * 2 * 4);
  EXPECT_EQ(bytesOf(inputs[0], {5, 2}, {7}), 7 * 5 * 3 * 2 * 4);
  EXPECT_EQ(bytesOf(inputs[1], {5, 2}), 25);
  EXPECT_EQ(declaredShape(model.info, inputs[0]), "[T, 3, S]");
  EXPECT_EQ(dimsOf(inputs[1], 0), 2);
  EXPECT_EQ(dimsOf(inputs[1], 1), 0);
}

TEST(Interface, SizesBeyondCounting) {
  TestModel model;
  model.symbol("T", int64_t(1) << 40).entry("f", {{"a", WEFT_F32, {symbol0, symbol0}}}, {});
  EXPECT_EQ(bytesOf(model.info.entries[0].inputs[0], {int64_t(1) << 40}), INT64_MAX);
}

// Counts for any sizes, where a model has them; else a polynomial in one symbol.
TEST(Interface, Arithmetic) {
  static const weft_count_step steps[] = {
      {WEFT_COUNT_SYMBOL, 0, 0}, {WEFT_COUNT_SYMBOL, 1, 0}, {WEFT_COUNT_MULTIPLY, 0, 0}};
  static const weft_count counts[] = {{steps, 3, 0}, {nullptr, 0, 0}};
  TestModel model;
  model.symbol("T", 8).symbol("S", 4).entry("f", {}, {}).entry("g", {}, {});
  weft_entry_info second = model.info.entries[1];
  second.flops[1] = 5;
  second.flops_symbol = 1;
  weft_entry_info entries[] = {model.info.entries[0], second};
  model.info.entries = entries;
  model.info.entry_flops = counts;
  EXPECT_EQ(flopsOf(model.info, entries[0], {7, 3}), 21);
  EXPECT_EQ(flopsOf(model.info, entries[1], {7, 3}), 15);
  model.info.abi_version = 6;
  model.info.entry_flops = reinterpret_cast<const weft_count *>(8); // not there before version 7
  EXPECT_EQ(flopsOf(model.info, entries[0], {7, 3}), 0);
  EXPECT_EQ(flopsOf(model.info, entries[1], {7, 3}), 15);
}

TEST(Interface, FindsByName) {
  TestModel model;
  model.entry("f", {{"a", WEFT_F32, {}}, {"b", WEFT_F32, {}}}, {});
  const weft_entry_info &entry = model.info.entries[0];
  EXPECT_EQ(findTensor(inputsOf(entry), "b"), &entry.inputs[1]);
  EXPECT_EQ(findTensor(inputsOf(entry), "c"), nullptr);
}

// An input of the name, type and shape of an output, but not one with positions.
TEST(Interface, RecurrentPairs) {
  std::vector<TensorText> inputs = {{"x", WEFT_I32, {symbol0}},
                                    {"mem", WEFT_F32, {3}},
                                    {"other", WEFT_F32, {3}},
                                    {"seen", WEFT_F32, {symbol0}}};
  std::vector<TensorText> outputs = {{"seen", WEFT_F32, {symbol0}},
                                     {"other", WEFT_F32, {4}},
                                     {"mem", WEFT_F32, {3}},
                                     {"x", WEFT_F32, {symbol0}}};
  TestModel model;
  model.symbol("T", 8).entry("f", inputs, outputs).entry("g", inputs, outputs);
  EXPECT_TRUE(recurrentPairs(model.info, model.info.entries[0]).empty()) << "nothing is generated";
  model.generates(0, 0);
  auto pairs = recurrentPairs(model.info, model.info.entries[0]);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].input, 1);
  EXPECT_EQ(pairs[0].output, 2);
  EXPECT_TRUE(recurrentPairs(model.info, model.info.entries[1]).empty());
}

TEST(Interface, Steps) {
  TestModel model;
  model.symbol("T", 8).symbol("N", 8).entry("f", {}, {}).entry("g", {}, {});
  model.step({}, {}, 8, nullptr, nullptr);
  EXPECT_EQ(stepOf(model.info, model.info.entries[0]), model.info.steps);
  EXPECT_EQ(stepOf(model.info, model.info.entries[1]), nullptr);
  EXPECT_FALSE(countsNew(model.info, 0));
  EXPECT_TRUE(countsNew(model.info, 1));
}

} // namespace
