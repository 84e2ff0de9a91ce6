//===- LanguageModelTest.cpp - texts from models --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestModel.h"

#include "weft/Runner/Generate.h"
#include "weft/Runner/Perplexity.h"

#include "gtest/gtest.h"

using namespace weft;
using namespace weft::test;

namespace {

using Ids = std::vector<int32_t>;

// Of four tokens the next one is likeliest.
int logitsOfNext(const void *, void *, const int64_t *sizes, void *const *inputs,
                 void *const *outputs) {
  auto *ids = static_cast<const int32_t *>(inputs[0]);
  auto *logits = static_cast<float *>(outputs[0]);
  std::fill(logits, logits + 4 * sizes[0], 0.0f);
  for (int64_t t = 0; t < sizes[0]; ++t)
    logits[4 * t + (ids[t] + 1) % 4] = 50;
  return WEFT_OK;
}

int equalLogits(const void *, void *, const int64_t *sizes, void *const *, void *const *outputs) {
  std::fill_n(static_cast<float *>(outputs[0]), 4 * sizes[0], 7.0f);
  return WEFT_OK;
}

TestModel countingModel(weft_call call = logitsOfNext) {
  TestModel model;
  model.symbol("T", 3);
  model.entry("f", {{"ids", WEFT_I32, {symbol0}, false, 4}}, {{"y", WEFT_F32, {symbol0, 4}}}, call);
  model.generates(0, 0);
  return model;
}

class Recorder : public TokenSink {
public:
  explicit Recorder(size_t most) : most(most) {}
  void begin(llvm::ArrayRef<int32_t> prompt) override { tokens = prompt.vec(); }
  bool push(int32_t id) override {
    tokens.push_back(id);
    return tokens.size() < most;
  }
  void finish() override { finished = true; }

  Ids tokens;
  bool finished = false;

private:
  size_t most;
};

TEST(LanguageModel, Generates) {
  TestModel text = countingModel();
  CompiledModel model(text.info);
  auto language = llvm::cantFail(LanguageModel::create(model, true));
  EXPECT_EQ(language.vocabulary(), 4);
  EXPECT_FALSE(language.isEndless());
  Generation generation;
  generation.prompts = {{1, 2}};
  generation.count = 5;
  generation.keepLogits = true;
  EXPECT_TRUE(language.needsWindows(generation.length()));
  auto result = llvm::cantFail(generate(language, generation));
  EXPECT_EQ(result.ids.shape, (std::vector<int64_t>{7}));
  EXPECT_EQ(valuesOf<int64_t>(result.ids), (std::vector<int64_t>{1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(result.logits.shape, (std::vector<int64_t>{5, 4}));
  EXPECT_EQ(result.tokens, 5);
}

// The second token was another one: all later steps see that.
TEST(LanguageModel, SeesForcedTokens) {
  TestModel text = countingModel();
  CompiledModel model(text.info);
  auto language = llvm::cantFail(LanguageModel::create(model, true));
  Generation generation;
  generation.prompts = {{0}};
  generation.count = 3;
  Ids expected = {0, 3, 2, 1};
  forceTokens(stored("generated_ids", ElementType::I32, {4}, expected), generation);
  auto result = llvm::cantFail(generate(language, generation));
  EXPECT_EQ(valuesOf<int64_t>(result.ids), (std::vector<int64_t>{0, 1, 0, 3}));
  generation.forced = {{0, 9, 2, 1}};
  EXPECT_EQ(errorOf(generate(language, generation)),
            "the expected tokens contain 9, which is no token of the model");
}

TEST(LanguageModel, EndsWhenTheSinkHasEnough) {
  TestModel text = countingModel();
  CompiledModel model(text.info);
  auto language = llvm::cantFail(LanguageModel::create(model, true));
  Recorder recorder(4);
  Generation generation;
  generation.prompts = {{0, 1}};
  generation.count = 10;
  generation.sink = &recorder;
  auto result = llvm::cantFail(generate(language, generation));
  EXPECT_EQ(recorder.tokens, (Ids{0, 1, 2, 3}));
  EXPECT_TRUE(recorder.finished);
  EXPECT_EQ(result.tokens, 2);
}

TEST(LanguageModel, PromptsFromTensors) {
  TestModel text = countingModel();
  CompiledModel model(text.info);
  auto language = llvm::cantFail(LanguageModel::create(model, true));
  Ids ids = {0, 1, 2, 3, 0, 1, 2, 3}; // longer than a call
  Generation generation;
  llvm::cantFail(
      promptFromTensors(language, stored("ids", ElementType::I32, {2, 4}, ids), generation));
  EXPECT_TRUE(generation.batched);
  EXPECT_EQ(generation.prompts, (std::vector<Ids>{{0, 1, 2, 3}, {0, 1, 2, 3}}));
  Generation other;
  EXPECT_EQ(
      errorOf(promptFromTensors(language, stored("ids", ElementType::I32, {0}, Ids()), other)),
      "input 'ids' has shape [0], needed are [tokens] or [batch, tokens], not empty");
}

TEST(LanguageModel, RefusesOtherModels) {
  TestModel none;
  none.symbol("T", 3).entry("f", {}, {});
  CompiledModel model(none.info);
  EXPECT_EQ(errorOf(LanguageModel::create(model, true)), "model 'm' does not generate text");
  TestModel batched;
  batched.symbol("T", 3);
  batched.entry("f", {{"ids", WEFT_I32, {2, symbol0}, false, 4}}, {{"y", WEFT_F32, {symbol0, 4}}});
  batched.generates(0, 0);
  CompiledModel other(batched.info);
  EXPECT_EQ(
      errorOf(LanguageModel::create(other, true)),
      "cannot generate: the model does not take ids int[T] to logits [T, vocabulary] in 32 bits "
      "(generation needs it compiled without --batch)");
}

TEST(LanguageModel, NeedsMoreThanIds) {
  TestModel text;
  text.symbol("T", 3);
  text.entry("f", {{"ids", WEFT_I32, {symbol0}, false, 4}, {"image", WEFT_F32, {2}}},
             {{"y", WEFT_F32, {symbol0, 4}}}, logitsOfNext);
  text.generates(0, 0);
  CompiledModel model(text.info);
  auto language = llvm::cantFail(LanguageModel::create(model, true));
  EXPECT_EQ(errorOf(language.checkIdsSuffice()),
            "cannot generate from ids alone: input 'image' is needed too");
}

TEST(Perplexity, OfEqualLogits) {
  TestModel text = countingModel(equalLogits);
  CompiledModel model(text.info);
  auto language = llvm::cantFail(LanguageModel::create(model, true));
  auto score = llvm::cantFail(scoreText(language, {0, 3, 2, 1, 1, 0, 2})); // in windows of three
  EXPECT_EQ(score.tokens, 6);
  EXPECT_DOUBLE_EQ(score.bits, 12);
  EXPECT_EQ(errorOf(scoreText(language, {0})), "at least two tokens are needed for a perplexity");
}

} // namespace
