//===- SequenceTest.cpp - texts that are computed piece by piece ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestModel.h"

#include "weft/Runner/Execute.h"

#include "gtest/gtest.h"

using namespace weft;
using namespace weft::test;

namespace {

using Reals = std::vector<float>;

// sum[t] is the sum of x up to t, and `start` is added to all.
int sums(const void *, void *, const int64_t *sizes, void *const *inputs, void *const *outputs) {
  auto *x = static_cast<const float *>(inputs[0]), *start = static_cast<const float *>(inputs[1]);
  auto *sum = static_cast<float *>(outputs[0]);
  float total = start ? *start : 0;
  for (int64_t t = 0; t < sizes[0]; ++t)
    sum[t] = total += x[t];
  return WEFT_OK;
}

// The same, continued: the state is the total.
int begin(const void *, void *state, void *, const int64_t *, void *const *, void *const *) {
  *static_cast<float *>(state) = 0;
  return WEFT_OK;
}
int advance(const void *, void *state, void *, const int64_t *sizes, void *const *inputs,
            void *const *outputs) {
  auto *x = static_cast<const float *>(inputs[0]);
  auto *sum = static_cast<float *>(outputs[0]), *total = static_cast<float *>(state);
  for (int64_t t = 0; t < sizes[1]; ++t)
    sum[t] = *total += x[t];
  return WEFT_OK;
}

// The same by a state of the model's own, `start`, which each call also gives; `calls` counts them.
int calls;
int carrySums(const void *weights, void *scratch, const int64_t *sizes, void *const *inputs,
              void *const *outputs) {
  ++calls;
  sums(weights, scratch, sizes, inputs, outputs);
  *static_cast<float *>(outputs[1]) = static_cast<float *>(outputs[0])[sizes[0] - 1];
  return WEFT_OK;
}

TestModel steppingModel() {
  TestModel model;
  model.symbol("T", 8).symbol("N", 8);
  model.entry("sums", {{"x", WEFT_F32, {symbol0}}, {"start", WEFT_F32, {}, true}},
              {{"sum", WEFT_F32, {symbol0}}}, sums);
  model.step({{"x", WEFT_F32, {symbol1}}}, {{"sum", WEFT_F32, {symbol1}}}, 64, begin, advance);
  model.generates(0, 0);
  return model;
}

TestModel carryingModel() {
  TestModel model;
  model.symbol("T", 3);
  model.entry("sums", {{"x", WEFT_F32, {symbol0}}, {"start", WEFT_F32, {}, true}},
              {{"sum", WEFT_F32, {symbol0}}, {"start", WEFT_F32, {}}}, carrySums);
  model.generates(0, 0);
  return model;
}

llvm::Expected<std::vector<OwnedTensor>>
runInChunks(const TestModel &text, llvm::ArrayRef<StoredTensor> tensors, const Chunks &chunks) {
  CompiledModel model(text.info);
  const weft_entry_info &entry = text.info.entries[0];
  llvm::Expected<Binding> binding = bindInputs(text.info, entry, tensors, /*inPieces=*/true);
  if (!binding)
    return binding.takeError();
  return executeInChunks(model, entry, *binding, chunks);
}

const Reals ones = {1, 2, 3, 4, 5, 6};
const Reals summed = {1, 3, 6, 10, 15, 21};

TEST(Sequence, StepInChunksIsTheWhole) {
  TestModel text = steppingModel();
  for (const Chunks &chunks :
       {Chunks{{1}, 0}, Chunks{{4, 1}, 0}, Chunks{{}, 3}, Chunks{{100}, 0}}) {
    auto results =
        llvm::cantFail(runInChunks(text, stored("x", ElementType::F32, {6}, ones), chunks));
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].name, "sum");
    EXPECT_EQ(valuesOf<float>(results[0]), summed);
  }
}

// Each example of a batch begins anew.
TEST(Sequence, StepBeginsForEachExample) {
  auto results = llvm::cantFail(
      runInChunks(steppingModel(), stored("x", ElementType::F32, {2, 3}, ones), {{2}, 0}));
  EXPECT_EQ(results[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(valuesOf<float>(results[0]), (Reals{1, 3, 6, 4, 9, 15}));
}

// More positions than a call takes, from a state that is given; the state after the last comes out.
TEST(Sequence, CarriedState) {
  Reals ten = {10};
  calls = 0;
  auto results = llvm::cantFail(runInChunks(
      carryingModel(),
      {stored("x", ElementType::F32, {6}, ones), stored("start", ElementType::F32, {}, ten)},
      {{INT64_MAX}, 0}));
  EXPECT_EQ(calls, 2);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(valuesOf<float>(results[0]), (Reals{11, 13, 16, 20, 25, 31}));
  EXPECT_EQ(results[1].name, "start");
  EXPECT_EQ(results[1].data.as<float>().front(), 31);
}

TEST(Sequence, RefusesWhatHasNoPieces) {
  TestModel whole;
  whole.symbol("T", 8).entry("f", {{"x", WEFT_F32, {symbol0}}}, {{"y", WEFT_F32, {symbol0}}}, sums);
  EXPECT_EQ(errorOf(runInChunks(whole, stored("x", ElementType::F32, {6}, ones), {{1}, 0})),
            "entry 'f' has no step: --chunks needs a model that generates, does not look ahead and "
            "is compiled without --no-step");
  TestModel pairs;
  pairs.symbol("T", 8).symbol("N", 8);
  pairs.entry("f", {{"x", WEFT_F32, {symbol0, symbol0}}}, {{"y", WEFT_F32, {symbol0}}}, sums);
  pairs.step({{"x", WEFT_F32, {symbol1, symbol1}}}, {{"y", WEFT_F32, {symbol1}}}, 64, begin,
             advance);
  pairs.generates(0, 0);
  Reals four = {1, 2, 3, 4};
  EXPECT_EQ(errorOf(runInChunks(pairs, stored("x", ElementType::F32, {2, 2}, four), {{1}, 0})),
            "--chunks: input 'x' has the positions in two dimensions, of which a piece would see "
            "its own only");
}

} // namespace
