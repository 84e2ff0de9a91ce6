//===- RoleTableTest.cpp - what tensors are for ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestModel.h"

#include "weft/Runner/Tasks/RoleTable.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace weft;
using namespace weft::test;

namespace {

const RoleTable &table() { return RoleTable::standard(); }

// A small table with a place changed into something else.
std::string changed(const std::string &place, const std::string &other) {
  std::string text = R"({
"inputs": {
  "token_ids": {"names": ["ids"], "type": "int", "shape": ["tokens"]},
  "token_types": {"names": ["types", "segments"], "type": "int", "shape": ["tokens"]},
  "attention_mask": {"names": ["mask"], "type": "bool", "shape": ["tokens"]},
  "pixels": {"names": ["image"], "type": "real", "shape": [3, "height", "width"]}},
"tasks": [
  {"task": "spans", "most_tokens": 7, "results": {
    "starts": {"names": ["from"], "type": "real", "shape": ["tokens"]},
    "ends": {"names": ["to"], "type": "real", "shape": ["tokens"]}}},
  {"task": "classes", "results": {"scores": {"names": ["s"], "type": "real", "shape": [2]}}}],
"special_tokens": {"begin": ["b"], "end": ["e"], "mask": ["m"], "decoder_start": ["d", "b"],
  "decoder_second": ["f"]}})";
  size_t at = text.find(place);
  EXPECT_NE(at, std::string::npos) << place;
  return text.replace(at, place.size(), other);
}

std::string errorWith(const std::string &place, const std::string &other) {
  return errorOf(RoleTable::parse(changed(place, other), "t.json"));
}

TEST(RoleTable, FindsInputs) {
  TestModel model;
  model.symbol("T", 8).entry("f",
                             {{"pixel_values", WEFT_F32, {1, 24, 24}},
                              {"token_type_ids", WEFT_I32, {symbol0}},
                              {"input_ids", WEFT_I32, {symbol0}}},
                             {});
  const weft_entry_info &entry = model.info.entries[0];
  EXPECT_EQ(table().find(entry, InputRole::TokenIds), &entry.inputs[2]);
  EXPECT_EQ(table().find(entry, InputRole::TokenTypes), &entry.inputs[1]);
  EXPECT_EQ(table().find(entry, InputRole::Pixels), &entry.inputs[0]);
  EXPECT_EQ(table().find(entry, InputRole::AttentionMask), nullptr);
}

// Another name, rank or type has no role.
TEST(RoleTable, LeavesOtherInputsAlone) {
  for (const TensorText &other : {TensorText{"inputs_ids", WEFT_I32, {symbol0}},
                                  TensorText{"input_ids", WEFT_I32, {2, symbol0}},
                                  TensorText{"input_ids", WEFT_F32, {symbol0}}}) {
    TestModel model;
    model.symbol("T", 8).entry("f", {other}, {});
    EXPECT_EQ(table().find(model.info.entries[0], InputRole::TokenIds), nullptr) << other.name;
  }
}

// An entry whose outputs nothing is known of.
const weft_entry_info &anyEntry() {
  static const weft_entry_info entry = {};
  return entry;
}

Task taskOf(llvm::ArrayRef<OwnedTensor> results, TextSizes sizes,
            const weft_entry_info &entry = anyEntry()) {
  auto found = table().findTask(entry, results, sizes);
  EXPECT_TRUE(found);
  return found ? found->rule->task : Task::Spans;
}

OwnedTensor reals(const char *name, std::vector<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return owned(name, ElementType::F32, std::move(shape), std::vector<float>(size_t(count)));
}

TEST(RoleTable, FindsTasksByNamesAndShapes) {
  TextSizes text{5, 9};
  OwnedTensor starts = reals("start_logits", {5}), ends = reals("end_logits", {5});
  std::vector<OwnedTensor> spans;
  spans.push_back(std::move(ends));
  spans.push_back(std::move(starts));
  auto found = table().findTask(anyEntry(), spans, text);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rule->task, Task::Spans);
  EXPECT_EQ(found->results[0], &spans[1]);
  EXPECT_EQ(found->results[1], &spans[0]);
  EXPECT_EQ(taskOf(reals("logits", {3}), text), Task::Classes);
  EXPECT_EQ(taskOf(reals("logits", {3}), {}), Task::Classes) << "of an image";
  EXPECT_EQ(taskOf(reals("prediction_logits", {5, 9}), text), Task::Masks);
  EXPECT_EQ(taskOf(reals("logits", {5, 8}), text), Task::TokenClasses);
}

// As many numbers as tokens are classes only if they are so many of every text.
TEST(RoleTable, TellsTokensFromClasses) {
  TestModel model;
  model.symbol("T", 8)
      .entry("f", {}, {{"logits", WEFT_F32, {5}}})
      .entry("g", {}, {{"logits", WEFT_F32, {symbol0}}});
  EXPECT_EQ(taskOf(reals("logits", {5}), {5, 9}, model.info.entries[0]), Task::Classes);
  EXPECT_EQ(taskOf(reals("logits", {5}), {5, 9}, model.info.entries[1]), Task::TokenScores);
}

TEST(RoleTable, KnowsNoTaskOfOtherResults) {
  TextSizes text{5, 9};
  EXPECT_FALSE(table().findTask(anyEntry(), {}, text));
  EXPECT_FALSE(table().findTask(anyEntry(), reals("last_hidden_state", {5, 9}), text));
  EXPECT_FALSE(table().findTask(anyEntry(), reals("start_logits", {5}), text)) << "no end";
  EXPECT_FALSE(table().findTask(anyEntry(), reals("logits", {4, 9}), text))
      << "not of these tokens";
  EXPECT_FALSE(table().findTask(anyEntry(), reals("logits", {5, 9}), {0, 9})) << "no text";
  EXPECT_FALSE(table().findTask(
      anyEntry(), owned("logits", ElementType::I32, {1}, std::vector<int32_t>(1)), text));
  std::vector<OwnedTensor> shorter; // one that the code would read beyond its end
  shorter.push_back(reals("start_logits", {5}));
  shorter.push_back(reals("end_logits", {4}));
  EXPECT_FALSE(table().findTask(anyEntry(), shorter, text));
}

// The names of a model are data: another table reads a model with other names.
TEST(RoleTable, OtherNames) {
  auto other = llvm::cantFail(RoleTable::parse(changed("", ""), "t.json"));
  TestModel model;
  model.symbol("T", 8).entry("f",
                             {{"segments", WEFT_I32, {symbol0}},
                              {"image", WEFT_F32, {1, 4, 4}},
                              {"image", WEFT_F32, {3, 4, 4}}},
                             {});
  const weft_entry_info &entry = model.info.entries[0];
  EXPECT_EQ(other.find(entry, InputRole::TokenTypes), &entry.inputs[0]);
  EXPECT_EQ(other.find(entry, InputRole::Pixels), &entry.inputs[2]) << "of three channels";
  EXPECT_EQ(other.pattern(InputRole::TokenTypes).str(), "'types' or 'segments' of tokens");
  EXPECT_EQ(other.pattern(InputRole::Pixels).str(), "'image' of 3, height and width");
  EXPECT_EQ(other.names(TokenRole::DecoderStart), llvm::ArrayRef<std::string>({"d", "b"}));
  EXPECT_FALSE(other.findTask(anyEntry(), reals("s", {3}), {})) << "two classes";
  EXPECT_TRUE(other.findTask(anyEntry(), reals("s", {2}), {}));
}

TEST(RoleTable, BadEntries) {
  EXPECT_EQ(errorWith("\"token_ids\"", "\"tokens\""), "t.json: inputs.tokens: is not supported");
  EXPECT_EQ(errorWith(R"(["ids"])", R"("ids")"),
            "t.json: inputs.token_ids.names: expected an array, found a string");
  EXPECT_EQ(errorWith(R"(["ids"])", "[]"), "t.json: inputs.token_ids.names: names nothing");
  EXPECT_EQ(errorWith(R"(["ids"])", R"([""])"), "t.json: inputs.token_ids.names[0]: is empty");
  EXPECT_EQ(errorWith(R"(["mask"])", R"(["ids"])"),
            "t.json: inputs.attention_mask.names: 'ids' has another role already");
  EXPECT_EQ(errorWith(R"("int")", R"("f16")"),
            "t.json: inputs.token_ids.type: 'f16' is none of real, int, bool");
  EXPECT_EQ(errorWith(R"(["tokens"])", R"(["token"])"),
            "t.json: inputs.token_ids.shape[0]: 'token' is none of tokens, vocabulary, classes, "
            "channels, height, width");
  EXPECT_EQ(errorWith(R"([3, "height")", R"([0, "height")"),
            "t.json: inputs.pixels.shape[0]: 0 is not from 1 to 2147483647");
  EXPECT_EQ(errorWith(R"("names": ["ids"], )", ""),
            "t.json: inputs.token_ids.names: expected an array, found nothing");
  EXPECT_EQ(errorWith(R"("names": ["ids"])", R"("names": ["ids"], "dtype": "int")"),
            "t.json: inputs.token_ids.dtype: is not supported");
}

TEST(RoleTable, BadTasks) {
  EXPECT_EQ(errorWith(R"("spans")", R"("span")"),
            "t.json: tasks[0].task: 'span' is none of spans, classes, masks, token_classes, "
            "token_scores");
  EXPECT_EQ(errorWith(R"("starts")", R"("begins")"),
            "t.json: tasks[0].results.begins: is not supported");
  EXPECT_EQ(errorWith(R"("most_tokens": 7, )", ""),
            "t.json: tasks[0].most_tokens: expected an integer, found nothing");
  EXPECT_EQ(errorWith(R"("task": "classes")", R"("task": "classes", "most_tokens": 3)"),
            "t.json: tasks[1].most_tokens: is not supported");
  EXPECT_EQ(errorWith(R"("task": "classes")", R"("task": "classes", "not_exclusive": {})"),
            "t.json: tasks[1].not_exclusive: expected one setting and its value");
}

TEST(RoleTable, BadFiles) {
  EXPECT_EQ(errorWith(R"("end": ["e"], )", ""),
            "t.json: special_tokens.end: expected an array, found nothing");
  EXPECT_EQ(errorWith(R"("special_tokens")", R"("tokens")"), "t.json: tokens: is not supported");
  EXPECT_EQ(errorOf(RoleTable::parse("[]", "t.json")),
            "t.json: expected an object, found an array");
  std::string message = errorOf(RoleTable::parse("{", "t.json"));
  EXPECT_EQ(message.find("t.json:1:"), 0u) << message;
}

} // namespace
