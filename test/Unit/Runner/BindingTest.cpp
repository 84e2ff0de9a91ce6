//===- BindingTest.cpp - tensors of a file to the inputs of an entry ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestModel.h"

#include "weft/Runner/Binding.h"

#include "gtest/gtest.h"

using namespace weft;
using namespace weft::test;

namespace {

using Ints = std::vector<int64_t>;
using Reals = std::vector<float>;

// Reals x[T, 2], ids below 10 that may be left out, and truth values that may be, too.
class BindInputs : public testing::Test {
protected:
  BindInputs() {
    model.symbol("T", 4).symbol("S", 4);
    model.entry("f",
                {{"x", WEFT_F32, {symbol0, 2}},
                 {"ids", WEFT_I32, {symbol0}, true, 10},
                 {"on", WEFT_BOOL, {3}, true}},
                {{"y", WEFT_F32, {symbol0}}});
  }
  llvm::Expected<Binding> bind(llvm::ArrayRef<StoredTensor> tensors) {
    return bindInputs(model.info, model.info.entries[0], tensors);
  }
  std::string error(llvm::ArrayRef<StoredTensor> tensors) { return errorOf(bind(tensors)); }

  TestModel model;
  Reals x = {1, 2, 3, 4, 5, 6};
};

TEST_F(BindInputs, ReadsSizesFromShapes) {
  Ints ids = {7, 0, 9};
  auto binding = llvm::cantFail(
      bind({stored("x", ElementType::F32, {3, 2}, x), stored("ids", ElementType::I64, {3}, ids)}));
  EXPECT_EQ(binding.sizes, (llvm::SmallVector<int64_t>{3, 0}));
  EXPECT_EQ(binding.examples(), 1);
  EXPECT_EQ(binding.inputs[1].as<int32_t>().take_front(3), llvm::ArrayRef<int32_t>({7, 0, 9}));
  std::vector<const void *> pointers = binding.pointers(model.info.entries[0], 0);
  EXPECT_EQ(pointers[0], binding.inputs[0].data());
  EXPECT_EQ(pointers[2], nullptr) << "left out";
}

// Two examples of x, one row of ids for both.
TEST_F(BindInputs, SharesWhatHasNoBatch) {
  Ints ids = {4};
  Reals two = {1, 2, 3, 4};
  auto binding = llvm::cantFail(bind(
      {stored("x", ElementType::F32, {2, 1, 2}, two), stored("ids", ElementType::I64, {1}, ids)}));
  EXPECT_EQ(binding.batch, (llvm::SmallVector<int64_t>{2}));
  EXPECT_EQ(binding.examples(), 2);
  const weft_entry_info &entry = model.info.entries[0];
  EXPECT_EQ(*static_cast<const float *>(binding.pointers(entry, 1)[0]), 3);
  EXPECT_EQ(binding.pointers(entry, 1)[1], binding.pointers(entry, 0)[1]);
}

TEST_F(BindInputs, Names) {
  EXPECT_EQ(error({}), "input 'x' is missing; the model needs it");
  EXPECT_EQ(
      error({stored("x", ElementType::F32, {3, 2}, x), stored("z", ElementType::F32, {1}, x)}),
      "the model has no input 'z'; it has: x, ids, on");
}

TEST_F(BindInputs, Shapes) {
  EXPECT_EQ(error({stored("x", ElementType::F32, {6}, x)}),
            "input 'x' has shape [6], the model declares [T, 2] (a batch may come before it)");
  EXPECT_EQ(error({stored("x", ElementType::F32, {2, 3}, x)}),
            "input 'x' has shape [2, 3], the model declares [T, 2] (a batch may come before it)");
  EXPECT_EQ(error({stored("x", ElementType::F32, {5, 2}, Reals(10))}),
            "input 'x' has T = 5, the model is compiled for T <= 4");
  EXPECT_EQ(error({stored("x", ElementType::F32, {0, 2}, Reals())}),
            "input 'x' has T = 0, at least 1 is needed");
  EXPECT_EQ(error({stored("x", ElementType::F32, {0, 1, 2}, Reals())}),
            "input 'x' has an empty batch");
}

TEST_F(BindInputs, ShapesThatDisagree) {
  Ints ids = {1, 2};
  EXPECT_EQ(
      error({stored("x", ElementType::F32, {3, 2}, x), stored("ids", ElementType::I64, {2}, ids)}),
      "input 'ids' has T = 2, but input 'x' has T = 3");
  EXPECT_EQ(error({stored("x", ElementType::F32, {3, 1, 2}, x),
                   stored("ids", ElementType::I64, {2, 1}, ids)}),
            "input 'ids' has a batch of [2], but input 'x' has [3]");
}

TEST_F(BindInputs, Values) {
  StoredTensor good = stored("x", ElementType::F32, {3, 2}, x);
  Ints ids = {1, 10, 2}, large = {1, int64_t(1) << 40, 2};
  EXPECT_EQ(error({good, stored("ids", ElementType::I64, {3}, ids)}),
            "input 'ids': element [1] is 10, out of range: ids go from 0 to 9");
  EXPECT_EQ(error({good, stored("ids", ElementType::F32, {3}, Reals(3))}),
            "input 'ids' has type F32, the model reads int");
  EXPECT_EQ(error({good, stored("on", ElementType::I64, {3}, ids)}),
            "input 'on': element [1] is 10, which is neither 0 nor 1");
  std::vector<double> reals = {0, 0, 1e300, 0};
  EXPECT_EQ(error({stored("x", ElementType::F64, {2, 2}, reals)}),
            "input 'x': element [1, 0] is 1e+300, too large for a 32-bit real");
  Ints odd = {0, (1 << 24) + 1};
  EXPECT_EQ(error({stored("x", ElementType::I64, {1, 2}, odd)}),
            "input 'x': element [0, 1] is 16777217, which a 32-bit real does not hold exactly");
}

// Inputs that are stored in fewer bits take what every type of the kind holds of them.
TEST(Binding, ConvertsToStoredTypes) {
  TestModel model;
  model.symbol("T", 4).entry(
      "f", {{"x", WEFT_BF16, {symbol0}}, {"h", WEFT_F16, {}}, {"n", WEFT_I8, {symbol0}}}, {});
  Reals x = {1.001f, -2, 3e38f}, h = {65504}, far = {65520};
  Ints n = {-128, 127, 5}, large = {1, 128, 2}, integer = {2049};
  auto bind = [&](StoredTensor other, StoredTensor codes) {
    return bindInputs(model.info, model.info.entries[0],
                      {stored("x", ElementType::F32, {3}, x), other, codes});
  };
  StoredTensor good = stored("h", ElementType::F32, {}, h);
  StoredTensor codes = stored("n", ElementType::I64, {3}, n);
  Binding binding = llvm::cantFail(bind(good, codes));
  EXPECT_EQ(binding.inputs[0].as<uint16_t>().take_front(3),
            llvm::ArrayRef<uint16_t>({0x3f80, 0xc000, 0x7f62}));
  EXPECT_EQ(binding.inputs[1].as<uint16_t>().front(), 0x7bff);
  EXPECT_EQ(binding.inputs[2].as<int8_t>().take_front(3), llvm::ArrayRef<int8_t>({-128, 127, 5}));
  EXPECT_EQ(errorOf(bind(stored("h", ElementType::F32, {}, far), codes)),
            "input 'h': element [] is 65520, too large for a 16-bit real");
  EXPECT_EQ(errorOf(bind(stored("h", ElementType::I64, {}, integer), codes)),
            "input 'h': element [] is 2049, which a 16-bit real does not hold exactly");
  EXPECT_EQ(errorOf(bind(good, stored("n", ElementType::I64, {3}, large))),
            "input 'n': element [1] is 128, which an integer of 8 bits does not hold");
}

TEST(Binding, SizeThatNothingTells) {
  TestModel model;
  model.symbol("T", 4).entry("f", {}, {{"y", WEFT_F32, {symbol0}}});
  EXPECT_EQ(errorOf(bindInputs(model.info, model.info.entries[0], {})),
            "no given input tells the value of T, needed by 'y'");
}

// A model that carries a state reads more positions than a call takes.
TEST(Binding, InPieces) {
  TestModel model;
  model.symbol("T", 2).entry("f", {{"x", WEFT_F32, {symbol0}}, {"mem", WEFT_F32, {}, true}},
                             {{"y", WEFT_F32, {symbol0}}, {"mem", WEFT_F32, {}}});
  model.generates(0, 0);
  Reals x = {1, 2, 3};
  StoredTensor tensor = stored("x", ElementType::F32, {3}, x);
  const weft_entry_info &entry = model.info.entries[0];
  EXPECT_EQ(errorOf(bindInputs(model.info, entry, tensor)),
            "input 'x' has T = 3, the model is compiled for T <= 2");
  auto binding = llvm::cantFail(bindInputs(model.info, entry, tensor, true));
  EXPECT_EQ(binding.sizes[0], 3);
  EXPECT_TRUE(binding.isLongerThanCall(model.info));
}

TEST(Binding, ChoosesTheEntry) {
  TestModel text;
  text.entry("f", {{"x", WEFT_F32, {1}}}, {{"a", WEFT_F32, {1}}});
  text.entry("g", {{"x", WEFT_F32, {1}}, {"z", WEFT_F32, {1}}}, {{"b", WEFT_F32, {1}}});
  text.entry("h", {{"x", WEFT_F32, {1}}}, {{"c", WEFT_F32, {1}}});
  CompiledModel model(text.info);
  Reals one = {1};
  StoredTensor x = stored("x", ElementType::F32, {1}, one),
               z = stored("z", ElementType::F32, {1}, one);
  StoredTensor c = stored("c", ElementType::F32, {1}, one);
  EXPECT_STREQ(llvm::cantFail(chooseEntry(model, "", {x, z}, {}))->name, "g");
  EXPECT_STREQ(llvm::cantFail(chooseEntry(model, "", {x}, {&c}))->name, "h");
  EXPECT_STREQ(llvm::cantFail(chooseEntry(model, "f", {z}, {}))->name, "f");
  EXPECT_EQ(errorOf(chooseEntry(model, "", {x}, {})),
            "the inputs fit several entries, choose one by --entry: f, h");
  EXPECT_EQ(errorOf(chooseEntry(model, "", {z}, {})),
            "the inputs fit no entry of the model:\n  f: the model has no input 'z'; it has: x"
            "\n  g: input 'x' is missing; the model needs it"
            "\n  h: the model has no input 'z'; it has: x");
  EXPECT_EQ(errorOf(chooseEntry(model, "i", {x}, {})),
            "no entry 'i' in the model; it has: f, g, h");
}

} // namespace
