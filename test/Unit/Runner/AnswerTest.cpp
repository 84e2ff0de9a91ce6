//===- AnswerTest.cpp - questions to tensors, results to answers ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Import/TemporaryFolder.h"
#include "TestModel.h"

#include "weft/Runner/Tasks/Answer.h"
#include "weft/Runner/Tasks/Prompt.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace weft;
using namespace weft::test;

namespace {

using Reals = std::vector<float>;
using Ids = std::vector<int32_t>;

// A folder with a tokenizer of a few words: [C] A [S] B [S].
class AnswerTest : public testing::Test {
protected:
  AnswerTest() {
    files.write("tokenizer.json", R"({"post_processor": {"type": "BertProcessing",
      "sep": ["[S]", 2], "cls": ["[C]", 1]}, "pre_tokenizer": {"type": "WhitespaceSplit"},
      "model": {"type": "WordLevel", "unk_token": "?",
        "vocab": {"?": 0, "[C]": 1, "[S]": 2, "[M]": 3, "a": 4, "b": 5, "c": 6}}})");
    files.write("tokenizer_config.json", R"({"mask_token": "[M]"})");
    files.write("config.json", R"({"id2label": {"0": "bad", "1": "good"}})");
    model.symbol("T", 16);
    model.entry("f",
                {{"input_ids", WEFT_I32, {symbol0}, false, 7},
                 {"token_type_ids", WEFT_I32, {symbol0}, true, 2}},
                {});
  }
  ModelFolder load() { return llvm::cantFail(ModelFolder::load(files.path("m.so"), "")); }
  llvm::Expected<QuestionInputs> prepare(const Question &question) {
    return prepareInputs(model.info.entries[0], load(), question);
  }
  // What the results say, "score text" a line.
  std::string answer(llvm::ArrayRef<OwnedTensor> results, const Question &question, int64_t top = 2,
                     size_t entry = 0) {
    ModelFolder folder = load();
    auto inputs = llvm::cantFail(prepareInputs(model.info.entries[entry], folder, question));
    auto answer = findAnswer(results, question, inputs, folder, top);
    if (!answer)
      return llvm::toString(answer.takeError());
    if (!*answer)
      return "nothing";
    std::string text;
    for (const Answer::Part &part : (*answer)->parts) {
      text += part.title.empty() ? "" : part.title + ": ";
      for (const Candidate &candidate : part.candidates)
        text +=
            std::to_string(int(std::lround(100 * candidate.score))) + " " + candidate.text + "; ";
    }
    return text;
  }

  TemporaryFolder files;
  TestModel model;
};

OwnedTensor reals(const char *name, std::vector<int64_t> shape, const Reals &values) {
  return owned(name, ElementType::F32, std::move(shape), values);
}

// The logarithm of a probability of so many percent: softmax gives it back.
float percent(double value) { return float(std::log(value / 100)); }

Ids idsOf(const StoredTensor &tensor) {
  Ids ids(tensor.bytes.size() / 4);
  std::memcpy(ids.data(), tensor.bytes.data(), tensor.bytes.size());
  return ids;
}

TEST_F(AnswerTest, TextsBecomeIdsAndTypes) {
  auto inputs = llvm::cantFail(prepare({"a b", "c", ""}));
  ASSERT_EQ(inputs.tensors.size(), 2u);
  EXPECT_EQ(inputs.tensors[0].name, "input_ids");
  EXPECT_EQ(idsOf(inputs.tensors[0]), (Ids{1, 4, 5, 2, 6, 2}));
  EXPECT_EQ(inputs.tensors[1].name, "token_type_ids");
  EXPECT_EQ(idsOf(inputs.tensors[1]), (Ids{0, 0, 0, 0, 1, 1}));
}

// A model whose mask has no default is told that all tokens count.
TEST_F(AnswerTest, NeededMask) {
  model.entry("g", {{"attention_mask", WEFT_I32, {symbol0}}, {"input_ids", WEFT_I32, {symbol0}}},
              {});
  ModelFolder folder = load();
  Question question{"a", std::nullopt, ""};
  auto inputs = llvm::cantFail(prepareInputs(model.info.entries[1], folder, question));
  ASSERT_EQ(inputs.tensors.size(), 2u);
  EXPECT_EQ(inputs.tensors[1].name, "attention_mask");
  EXPECT_EQ(idsOf(inputs.tensors[1]), (Ids{1, 1, 1}));
}

TEST_F(AnswerTest, ChoosesTheEntryThatReads) {
  model.entry("picture", {{"pixel_values", WEFT_F32, {3, 4, 4}}}, {});
  model.entry("more", {{"input_ids", WEFT_I32, {symbol0}}, {"position_ids", WEFT_I32, {symbol0}}},
              {});
  CompiledModel compiled(model.info);
  ModelFolder folder = load();
  EXPECT_STREQ(llvm::cantFail(chooseEntry(compiled, "", folder, {"a", std::nullopt, ""}))->name,
               "f");
  EXPECT_STREQ(
      llvm::cantFail(chooseEntry(compiled, "", folder, {std::nullopt, std::nullopt, "x.png"}))
          ->name,
      "picture");
}

TEST_F(AnswerTest, RenamedInputs) {
  TestModel other;
  other.symbol("T", 16).entry("f", {{"words", WEFT_I32, {symbol0}}}, {});
  Question text{"a", std::nullopt, ""}, image{std::nullopt, std::nullopt, "x.png"};
  ModelFolder folder = load();
  EXPECT_EQ(errorOf(prepareInputs(other.info.entries[0], folder, text)),
            "entry 'f' reads no text: it has no 'input_ids' of tokens (texts need a model compiled "
            "without --batch)");
  EXPECT_EQ(errorOf(prepareInputs(other.info.entries[0], folder, image)),
            "entry 'f' reads no image: it has no 'pixel_values' of channels, height and width");
}

TEST_F(AnswerTest, TokenizersThatDoNotFit) {
  TestModel small;
  small.symbol("T", 16).entry("f", {{"input_ids", WEFT_I32, {symbol0}, false, 5}}, {});
  ModelFolder folder = load();
  Question text{"a", std::nullopt, ""};
  EXPECT_EQ(files.anonymous(errorOf(prepareInputs(small.info.entries[0], folder, text))),
            "the tokenizer DIR is another model's: it has 7 tokens, the model 5");
  TemporaryFolder empty;
  folder = llvm::cantFail(ModelFolder::load(empty.path("m.so"), ""));
  EXPECT_EQ(errorOf(prepareInputs(small.info.entries[0], folder, text)),
            "no tokenizer lies beside the model: name one by --tokenizer");
}

TEST_F(AnswerTest, Classes) {
  OwnedTensor logits = reals("logits", {3}, {percent(20), percent(70), percent(10)});
  Question text{"a", std::nullopt, ""};
  EXPECT_EQ(answer(logits, text), "70 good; 20 bad; ");
  EXPECT_EQ(answer(logits, text, 5), "70 good; 20 bad; 10 LABEL_2; ");
  EXPECT_EQ(answer(reals("logits", {1}, {-2.5f}), text), "-250 bad; ") << "a number is no share";
}

TEST_F(AnswerTest, ClassesThatDoNotExcludeEachOther) {
  files.write("config.json", R"({"problem_type": "multi_label_classification"})");
  EXPECT_EQ(answer(reals("logits", {2}, {0, 100}), {"a", std::nullopt, ""}),
            "100 LABEL_1; 50 LABEL_0; ");
}

TEST_F(AnswerTest, WordsForMasks) {
  Reals rows(21, -100);
  rows[7 + 6] = percent(80);
  rows[7 + 4] = percent(20);
  Question one{"[M]", std::nullopt, ""};
  EXPECT_EQ(answer(reals("logits", {3, 7}, rows), one), "80 c; 20 a; ");
  rows.resize(28, -100);
  rows[14 + 5] = 0;
  Question two{"[M] [M]", std::nullopt, ""};
  EXPECT_EQ(answer(reals("logits", {4, 7}, rows), two, 1), "mask 1: 80 c; mask 2: 100 b; ");
  Question none{"a b", std::nullopt, ""};
  EXPECT_EQ(answer(reals("logits", {4, 7}, rows), none),
            "the model tells the tokens at masks, and the text has none: write [M]");
  files.write("tokenizer_config.json", "{}");
  EXPECT_EQ(
      answer(reals("logits", {4, 7}, rows), none),
      "the model tells the tokens at masks, and the text has none (the files of the tokenizer "
      "name no mask_token)");
}

TEST_F(AnswerTest, ClassesOfTokens) {
  Reals rows = {0, 0, 0, 100, 100, 0, 0, 0};
  EXPECT_EQ(answer(reals("logits", {4, 2}, rows), {"b c", std::nullopt, ""}),
            "100 good  b; 100 bad  c; ");
}

TEST_F(AnswerTest, ScoresOfTokens) {
  model.entry("g", {{"input_ids", WEFT_I32, {symbol0}}}, {{"logits", WEFT_F32, {symbol0}}});
  EXPECT_EQ(answer(reals("logits", {4}, {9, 0, -100, 9}), {"b c", std::nullopt, ""}, 2, 1),
            "50 b; 0 c; ");
}

// The best pairs of a start and an end behind it, in the second text only.
TEST_F(AnswerTest, Spans) {
  std::vector<OwnedTensor> results;
  results.push_back(reals("start_logits", {7}, {0, 0, 0, percent(75), percent(25), -100, 0}));
  results.push_back(reals("end_logits", {7}, {0, 0, 0, -100, percent(80), percent(20), 0}));
  EXPECT_EQ(answer(results, {"a", "b c  a", ""}, 3), "60 b c; 20 c; 15 b c  a; ");
  EXPECT_EQ(answer(results, {"a b c a b", std::nullopt, ""}),
            "the model answers a question from a text: give the text by --text-pair");
}

TEST_F(AnswerTest, ResultsWithoutAMeaning) {
  Question text{"a", std::nullopt, ""};
  EXPECT_EQ(answer(reals("hidden", {3, 2}, Reals(6)), text), "nothing");
  EXPECT_EQ(answer(reals("logits", {2, 7}, Reals(14)), text), "nothing") << "not a row a token";
}

TEST_F(AnswerTest, TokensOfTheFiles) {
  files.write("config.json", R"({"eos_token_id": 2, "bos_token_id": 5})");
  files.write("generation_config.json", R"({"eos_token_id": [2, 6, -1]})");
  ModelFolder folder = load();
  EXPECT_EQ(folder.ids(TokenRole::End), (Ids{2, 6})) << "generation_config.json comes first";
  EXPECT_EQ(folder.ids(TokenRole::Begin), (Ids{5}));
  EXPECT_EQ(folder.ids(TokenRole::DecoderStart), (Ids{5})) << "the next name of the table";
  EXPECT_EQ(folder.ids(TokenRole::DecoderSecond), Ids());
  EXPECT_EQ(folder.ids(TokenRole::Mask), (Ids{3})) << "the tokenizer's";
}

TEST(ModelFolder, FindsTheLibrary) {
  TemporaryFolder files;
  EXPECT_EQ(files.anonymous(errorOf(findLibrary(files.path()))),
            "DIR: the folder has no library (.so)");
  files.write("a.so", "");
  EXPECT_EQ(llvm::cantFail(findLibrary(files.path())), files.path("a.so"));
  files.write("b.so", "");
  EXPECT_EQ(files.anonymous(errorOf(findLibrary(files.path()))),
            "DIR: the folder has several libraries (.so); name one");
  EXPECT_EQ(llvm::cantFail(findLibrary(files.path("a.so"))), files.path("a.so"));
}

// "stop" may begin in one token and end in another; what may become it is kept back.
TEST(TextStream, EndsBeforeAStop) {
  std::string written;
  llvm::raw_string_ostream os(written);
  TextStream stream(TokenText::Bytes, nullptr, os);
  stream.stopAt({0}, {"stop"});
  stream.begin({'>'});
  for (char c : llvm::StringRef("a sto"))
    EXPECT_TRUE(stream.push(c));
  EXPECT_EQ(written, ">a ");
  EXPECT_TRUE(stream.push('!'));
  EXPECT_EQ(written, ">a sto!");
  for (char c : llvm::StringRef("sto"))
    EXPECT_TRUE(stream.push(c));
  EXPECT_FALSE(stream.push('p'));
  EXPECT_FALSE(stream.push('x'));
  stream.finish();
  EXPECT_EQ(written, ">a sto!\n");
}

TEST(TextStream, Numbers) {
  std::string written;
  llvm::raw_string_ostream os(written);
  TextStream stream(TokenText::Numbers, nullptr, os);
  stream.stopAt({9}, {});
  stream.begin({3, 4});
  EXPECT_TRUE(stream.push(5));
  EXPECT_FALSE(stream.push(9));
  stream.finish();
  EXPECT_EQ(written, "3 4 5\n");
}

} // namespace
