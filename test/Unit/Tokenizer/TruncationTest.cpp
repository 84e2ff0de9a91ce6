//===- TruncationTest.cpp - texts that are cut to a length ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TokenizerTest.h"

using namespace weft;
using namespace weft::test;

// [C] A [S] B [S], of tokens a to h.
static std::string cutBy(const std::string &truncation) {
  return "'truncation': {" + truncation +
         "}, 'padding': {'strategy': {'Fixed': 99}}, 'post_processor': {'type': 'BertProcessing', "
         "'sep': ['[S]', 2], 'cls': ['[C]', 1]}, 'pre_tokenizer': {'type': 'WhitespaceSplit'}, "
         "'model': {'type': 'WordLevel', 'unk_token': '?', 'vocab': {'?': 0, '[C]': 1, '[S]': 2, "
         "'a': 3, 'b': 4, 'c': 5, 'd': 6, 'e': 7, 'f': 8, 'g': 9, 'h': 10}}";
}

TEST(Truncation, OneText) {
  auto right = parse(cutBy("'max_length': 5, 'strategy': 'LongestFirst', 'stride': 2, "
                           "'direction': 'Right'"));
  EXPECT_EQ(tokens(*right, "a b c"), "[C] a b c [S]");
  EXPECT_EQ(tokens(*right, "a b c d"), "[C] a b c [S]");
  auto encoding = llvm::cantFail(right->encode("a b c d e"));
  EXPECT_EQ(encoding.cut, 2u);
  EXPECT_EQ(encoding.spans[3].end, 5u);
  auto left = parse(cutBy("'max_length': 5, 'direction': 'Left', 'strategy': 'OnlyFirst'"));
  EXPECT_EQ(tokens(*left, "a b c d e"), "[C] c d e [S]");

  EncodeOptions options;
  options.truncate = false;
  EXPECT_EQ(llvm::cantFail(right->encode("a b c d e", options)).ids.size(), 7u);
  options = {/*special=*/false, /*truncate=*/true};
  EXPECT_EQ(llvm::cantFail(right->encode("a b c d e f", options)).ids.size(), 5u);
}

// The longer text is cut, then both alike; an odd place is the longer one's.
TEST(Truncation, LongestFirst) {
  auto cut = parse(cutBy("'max_length': 8"));
  EXPECT_EQ(pairTokens(*cut, "a b", "c d e"), "[C] a b [S] c d e [S]");
  EXPECT_EQ(pairTokens(*cut, "a", "b c d e f"), "[C] a [S] b c d e [S]");
  EXPECT_EQ(pairTokens(*cut, "a b c d e", "f"), "[C] a b c d [S] f [S]");
  EXPECT_EQ(pairTokens(*cut, "a b c", "d e f g h"), "[C] a b [S] d e f [S]");
  EXPECT_EQ(pairTokens(*cut, "a b c d e", "f g h"), "[C] a b c [S] f g [S]");
  EXPECT_EQ(pairTokens(*cut, "a b c", "f g h"), "[C] a b [S] f g h [S]");
}

TEST(Truncation, OneOfTwo) {
  auto first = parse(cutBy("'max_length': 7, 'strategy': 'OnlyFirst'"));
  EXPECT_EQ(pairTokens(*first, "a b c d", "e f"), "[C] a b [S] e f [S]");
  EXPECT_EQ(pairTokens(*first, "a b", "c d e f"),
            "truncation.strategy leaves the text of 2 tokens to be cut, and 2 are too many");
  auto second = parse(cutBy("'max_length': 7, 'strategy': 'OnlySecond', 'direction': 'Left'"));
  EXPECT_EQ(pairTokens(*second, "a b", "c d e f"), "[C] a b [S] e f [S]");
  EXPECT_EQ(tokens(*second, "a b c"), "[C] a b c [S]");
  EXPECT_EQ(tokens(*second, "a b c d e f"),
            "truncation.strategy is OnlySecond, and there is one text");
}

TEST(Truncation, Errors) {
  EXPECT_EQ(tokens(*parse(cutBy("'max_length': 1")), "a"),
            "truncation.max_length is 1, but 2 special tokens stand around the text");
  EXPECT_EQ(errorOf(cutBy("'max_length': -1")),
            "t.json: truncation.max_length: -1 is not from 0 to 1073741824");
  EXPECT_EQ(errorOf(cutBy("'max_length': 4, 'strategy': 'Never'")),
            "t.json: truncation.strategy: 'Never' is not supported");
  EXPECT_EQ(errorOf(cutBy("'max_length': 4, 'direction': 'Up'")),
            "t.json: truncation.direction: expected Right or Left, found 'Up'");
  EXPECT_EQ(errorOf(cutBy("'max_length': 4, 'words': true")),
            "t.json: truncation.words: is not supported");
}
