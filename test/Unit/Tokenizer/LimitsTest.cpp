//===- LimitsTest.cpp - tokenizers that would never end -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TokenizerTest.h"

using namespace weft;
using namespace weft::test;

static const char *const model =
    ", 'model': {'type': 'BPE', 'vocab': {'a': 0, 'b': 1}, 'merges': []}";

// What a text gives, or the error of the file or the text.
static std::string result(const std::string &members, const std::string &text = "ab") {
  auto tokenizer = tryParse(members);
  return tokenizer ? tokens(**tokenizer, text) : llvm::toString(tokenizer.takeError());
}

static std::string repeated(const std::string &text, int count, const char *between = "") {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += (i ? between : "") + text;
  return all;
}

static std::string sequence(const char *kind, const std::string &part, int count) {
  return "{'type': 'Sequence', '" + std::string(kind) + "': [" + repeated(part, count, ",") + "]}";
}

TEST(Limits, NormalizersThatMultiply) {
  std::string once =
      "{'type': 'Replace', 'pattern': {'String': 'a'}, 'content': '" + repeated("a", 100000) + "'}";
  EXPECT_EQ(result("'normalizer': " + once + model),
            "t.json: normalizer: makes 100001 characters of a text of 2 bytes, more than 4128");
  std::string ten = "{'type': 'Replace', 'pattern': {'Regex': 'a'}, 'content': 'aaaaaaaaaa'}";
  EXPECT_EQ(result("'normalizer': " + sequence("normalizers", ten, 9) + model),
            "t.json: normalizer.normalizers[3]: makes 10001 characters of a text of 2 bytes, more "
            "than 4128");
  EXPECT_EQ(
      result("'normalizer': {'type': 'Prepend', 'prepend': '" + repeated("b", 5000) + "'}" + model),
      "t.json: normalizer: makes 5002 characters of a text of 2 bytes, more than 4128");
  // Each makes two characters of one of two bytes.
  EXPECT_EQ(result("'normalizer': " + sequence("normalizers", "{'type': 'ByteLevel'}", 40) + model,
                   "\u00E9"),
            "t.json: normalizer.normalizers[12]: makes 8192 characters of a text of 2 bytes, more "
            "than 4128");
  EXPECT_EQ(
      result("'normalizer': " + sequence("normalizers", "{'type': 'Lowercase'}", 64) + model, "AB"),
      "a b");
}

TEST(Limits, PreTokenizersThatMultiply) {
  std::string bytes = "{'type': 'ByteLevel', 'use_regex': false, 'add_prefix_space': false}";
  EXPECT_EQ(result("'pre_tokenizer': " + sequence("pretokenizers", bytes, 40) + model, "\u00E9"),
            "t.json: pre_tokenizer.pretokenizers[12]: makes 8192 characters of a text of 2 bytes, "
            "more than 4128");
}

// No piece between two added tokens is long, but their sum is.
TEST(Limits, TheSumOfAllPieces) {
  std::string members =
      "'added_tokens': [{'id': 0, 'content': 'a', 'special': true}],"
      "'normalizer': {'type': 'Replace', 'pattern': {'String': 'b'}, 'content': '" +
      repeated("b", 4000) + "'}" + model;
  EXPECT_EQ(result(members, "abab"),
            "t.json: normalizer: makes 8000 characters of a text of 4 bytes, more than 4160");
}

TEST(Limits, RegularExpressions) {
  auto split = [](const std::string &pattern) {
    return "'pre_tokenizer': {'type': 'Split', 'pattern': {'Regex': '" + pattern +
           "'}, 'behavior': 'Isolated'}" + model;
  };
  std::string place = "t.json: pre_tokenizer.pattern: ";
  std::string text = repeated("a", 60) + "b";
  EXPECT_EQ(result(split("(a+)+$"), text),
            place + "the regular expression '(a+)+$' takes too many steps on the text");
  EXPECT_EQ(result(split("(a|aa)+$"), text),
            place + "the regular expression '(a|aa)+$' takes too many steps on the text");
  EXPECT_EQ(result(split("(?:a|b)*c"), repeated("a", 1000000)),
            place +
                "the regular expression '(?:a|b)*c' would have to keep more than 8 MB of states "
                "for going back in the text");
  EXPECT_EQ(result(split(repeated("(", 5000) + "a" + repeated(")", 5000))),
            place + "the regular expression '" + repeated("(", 60) + "...' is nested too deeply");
  EXPECT_EQ(result(split(repeated("a", 20000))), place + "the pattern has 20000 bytes, more than "
                                                         "16384");
  EXPECT_EQ(result(split("")), place + "the pattern is empty");
  // Words of which none takes too many: their sum counts.
  std::string words = "{'type': 'WhitespaceSplit'}, {'type': 'Split', 'pattern': {'Regex': "
                      "'(a|aa)+$'}, 'behavior': 'Isolated'}";
  EXPECT_EQ(result("'pre_tokenizer': " + sequence("pretokenizers", words, 1) + model,
                   repeated(repeated("a", 25) + "b ", 400)),
            "t.json: pre_tokenizer.pretokenizers[1].pattern: the regular expression '(a|aa)+$' "
            "takes too many steps on the text");
}

// A text of a million characters is no reason to stop a pattern that takes a few steps for each.
TEST(Limits, LongTextsGetThrough) {
  auto tokenizer = parse("'pre_tokenizer': {'type': 'ByteLevel'}" + std::string(model));
  auto encoding = tokenizer->encode(repeated("ab aab 12 ba!b ", 70000));
  ASSERT_TRUE(bool(encoding)) << llvm::toString(encoding.takeError());
  EXPECT_EQ(encoding->ids.size(), 70000u * 8);
}

TEST(Limits, Numbers) {
  EXPECT_EQ(result("'normalizer': " + sequence("normalizers", "{'type': 'NFC'}", 65) + model),
            "t.json: normalizer.normalizers: has 65 elements, more than 64");
  EXPECT_EQ(
      result("'pre_tokenizer': " + sequence("pretokenizers", "{'type': 'Digits'}", 65) + model),
      "t.json: pre_tokenizer.pretokenizers: has 65 elements, more than 64");
  EXPECT_EQ(result("'decoder': " + sequence("decoders", "{'type': 'Fuse'}", 65) + model),
            "t.json: decoder.decoders: has 65 elements, more than 64");
  std::string item = "{'Sequence': {'id': 'A', 'type_id': 0}}";
  EXPECT_EQ(result("'post_processor': {'type': 'TemplateProcessing', 'single': [" +
                   repeated(item, 100000, ",") + "], 'special_tokens': {}}" + model),
            "t.json: post_processor.single: has 100000 elements, more than 64");
  EXPECT_EQ(
      result("'added_tokens': [" + repeated("{'id': 0, 'content': 'a'}", 65537, ",") + "]" + model),
      "t.json: added_tokens: has 65537 elements, more than 65536");
  EXPECT_EQ(result("'added_tokens': [{'id': 0, 'content': '" + repeated("a", 1025) + "'}]" + model),
            "t.json: added_tokens[0].content: has 1025 bytes, more than 1024");
  std::string deep = repeated("{'type': 'Sequence', 'normalizers': [", 2000) +
                     "{'type': 'Lowercase'}" + repeated("]}", 2000);
  EXPECT_NE(result("'normalizer': " + deep + model).find("more than 64 nested values"),
            std::string::npos);
}

TEST(Limits, Models) {
  EXPECT_EQ(result("'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['a', -1e308], ['b', 0]]}"),
            "t.json: model.vocab[0][1]: is no score from -1e6 to 1e6");
  EXPECT_EQ(result("'model': {'type': 'Unigram', 'vocab': [['" + repeated("a", 1025) + "', 0]]}"),
            "t.json: model.vocab[0][0]: has 1025 bytes, more than 1024");
  EXPECT_EQ(result("'model': {'type': 'WordPiece', 'vocab': {'[UNK]': 0}, "
                   "'max_input_chars_per_word': 1000000000}"),
            "t.json: model.max_input_chars_per_word: 1000000000 is not from 1 to 1024");
  EXPECT_EQ(result("'model': {'type': 'BPE', 'vocab': {}, 'merges': [], 'end_of_word_suffix': '" +
                   repeated("a", 1025) + "'}"),
            "t.json: model.end_of_word_suffix: has 1025 bytes, more than 1024");
}

// An added token that the normaliser multiplies is refused like a text.
TEST(Limits, AddedTokensAreNormalized) {
  EXPECT_EQ(result("'added_tokens': [{'id': 0, 'content': 'a', 'normalized': true}], 'normalizer': "
                   "{'type': 'Replace', 'pattern': {'String': 'a'}, 'content': '" +
                   repeated("a", 5000) + "'}" + model),
            "t.json: added_tokens[0]: normalizer: makes 5000 characters of a text of 1 bytes, more "
            "than 4112");
}

// Of patterns with one beginning the longest counts, wherever the shorter ones end.
TEST(AddedTokens, LongestFirst) {
  std::string added;
  for (const char *token : {"b", "bab", "babab", "bac"})
    added += std::string(added.empty() ? "" : ",") + "{'id': " + std::to_string(added.size() + 2) +
             ", 'content': '" + token + "', 'special': true}";
  auto tokenizer = parse("'added_tokens': [" + added + "]" + model);
  EXPECT_EQ(tokens(*tokenizer, "babaababab"), "bab a a babab");
  EXPECT_EQ(tokens(*tokenizer, "bacba"), "bac b a");
}

TEST(Limits, DecodersThatMultiply) {
  std::string ten = "{'type': 'Replace', 'pattern': {'Regex': 'a'}, 'content': 'aaaaaaaaaa'}";
  auto tokenizer = parse("'decoder': " + sequence("decoders", ten, 9) + model);
  EXPECT_EQ(tokenizer->decode({0}).size(), 100000u);
}
