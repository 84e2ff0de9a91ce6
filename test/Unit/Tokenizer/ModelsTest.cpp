//===- ModelsTest.cpp - the published examples of the algorithms ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TokenizerTest.h"

using namespace weft;
using namespace weft::test;

// google-research/bert, tokenization_test.py.
static const char *const bert =
    "'normalizer': {'type': 'BertNormalizer', 'lowercase': true},"
    "'pre_tokenizer': {'type': 'BertPreTokenizer'},"
    "'decoder': {'type': 'WordPiece', 'prefix': '##', 'cleanup': true},"
    "'model': {'type': 'WordPiece', 'unk_token': '[UNK]', 'vocab': {'[UNK]': 0, '[CLS]': 1,"
    "'[SEP]': 2, 'want': 3, '##want': 4, '##ed': 5, 'wa': 6, 'un': 7, 'runn': 8, '##ing': 9,"
    "',': 10, '##aff': 11, '##able': 12}}";

TEST(WordPiece, BertsExamples) {
  auto tokenizer = parse(bert);
  EXPECT_EQ(tokens(*tokenizer, "unaffable"), "un ##aff ##able");
  auto encoding = llvm::cantFail(tokenizer->encode("UNwant\u00E9d,running"));
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{7, 4, 5, 10, 8, 9}));
  EXPECT_EQ(tokens(*tokenizer, "unwantedX running"), "[UNK] runn ##ing");
  EXPECT_EQ(tokens(*tokenizer, ""), "");
  EXPECT_EQ(tokenizer->decode(encoding.ids), "unwanted, running");
}

TEST(WordPiece, SpansAreThoseOfTheOriginal) {
  auto tokenizer = parse(bert);
  std::string text = "  UNwant\u00E9d,running";
  auto encoding = llvm::cantFail(tokenizer->encode(text));
  std::vector<std::string> parts;
  parts.reserve(encoding.spans.size());
  for (Span span : encoding.spans)
    parts.push_back(text.substr(span.begin, span.end - span.begin));
  EXPECT_EQ(parts, (std::vector<std::string>{"UN", "want", "\u00E9d", ",", "runn", "ing"}));
}

TEST(WordPiece, LongWordsAreUnknown) {
  auto tokenizer = parse("'pre_tokenizer': {'type': 'WhitespaceSplit'}, 'model': {'type': "
                         "'WordPiece', 'max_input_chars_per_word': 3, 'vocab': {'[UNK]': 0, 'a': 1,"
                         "'##a': 2}}");
  EXPECT_EQ(tokens(*tokenizer, "aaa aaaa"), "a ##a ##a [UNK]");
}

// Sennrich et al., 2016: "low", "lowest" and "newer" were seen, "lower" is made of their parts.
TEST(BPE, SennrichsExample) {
  auto tokenizer = parse(
      "'pre_tokenizer': {'type': 'WhitespaceSplit'}, 'decoder': {'type': 'BPEDecoder', 'suffix': "
      "'</w>'}, 'model': {'type': 'BPE', 'unk_token': '<unk>', 'end_of_word_suffix': '</w>',"
      "'vocab': {'<unk>': 0, 'l': 1, 'o': 2, 'w': 3, 'e': 4, 'r</w>': 5, 'lo': 6, 'low': 7,"
      "'er</w>': 8, 'w</w>': 9}, 'merges': ['l o', 'lo w', 'e r</w>']}");
  EXPECT_EQ(tokens(*tokenizer, "lower low"), "low er</w> lo w</w>");
  EXPECT_EQ(tokens(*tokenizer, "xower"), "<unk> o w er</w>");
  EXPECT_EQ(tokenizer->decode({7, 8, 6, 9}), "lower low");
}

TEST(BPE, TheBestRankFirstThenTheLeftmost) {
  auto tokenizer = parse("'model': {'type': 'BPE', 'vocab': {'a': 0, 'b': 1, 'ab': 2, 'ba': 3,"
                         "'aa': 4}, 'merges': [['b', 'a'], ['a', 'b'], ['a', 'a']]}");
  EXPECT_EQ(tokens(*tokenizer, "abab"), "a ba b");
  EXPECT_EQ(tokens(*tokenizer, "aaaaa"), "aa aa a");
  EXPECT_EQ(tokens(*tokenizer, "a?b"), "ab"); // what no token can say is left out
}

TEST(BPE, UnknownCharacters) {
  std::string members = "'model': {'type': 'BPE', 'unk_token': '?', 'vocab': {'?': 0, 'a': 1},"
                        "'merges': []";
  EXPECT_EQ(tokens(*parse(members + "}"), "axya"), "a ? ? a");
  EXPECT_EQ(tokens(*parse(members + ", 'fuse_unk': true}"), "axya"), "a ? a");
}

TEST(BPE, FallsBackToBytes) {
  auto tokenizer =
      parse("'decoder': {'type': 'ByteFallback'}, 'model': {'type': 'BPE', 'unk_token': '?',"
            "'byte_fallback': true, 'vocab': {'?': 0, 'a': 1, '<0xC3>': 2, '<0xA9>': 3,"
            "'<0xFF>': 4}, 'merges': []}");
  EXPECT_EQ(tokens(*tokenizer, "a\u00E9a"), "a <0xC3> <0xA9> a");
  EXPECT_EQ(tokens(*tokenizer, "\u00E8"), "?");
  EXPECT_EQ(tokens(*tokenizer, "\xFF"), "<0xFF>");
  EXPECT_EQ(tokenizer->decode({2, 3, 4}), "\u00E9\xFF");
}

// The worked example of the Hugging Face course: log(frequency / 210).
TEST(Unigram, TheLikeliestPieces) {
  auto tokenizer =
      parse("'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['<unk>', 0], ['h', -2.6391],"
            "['u', -1.7636], ['g', -2.3514], ['hu', -2.6391], ['ug', -2.3514], ['p', -2.5139],"
            "['pu', -2.5139], ['n', -2.5745], ['un', -2.5745], ['b', -3.9608], ['bu', -3.9608],"
            "['s', -3.7377], ['hug', -2.6391], ['gs', -3.7377], ['ugs', -3.7377]]}");
  EXPECT_EQ(tokens(*tokenizer, "unhug"), "un hug");
  EXPECT_EQ(tokens(*tokenizer, "hugxyb"), "hug <unk> b");
  EXPECT_EQ(tokens(*tokenizer, "\u00E9"), "<unk>");
}

TEST(Unigram, WithoutUnknown) {
  auto tokenizer = parse("'model': {'type': 'Unigram', 'vocab': [['a', -1]]}");
  EXPECT_EQ(tokens(*tokenizer, "aa"), "a a");
  EXPECT_EQ(tokens(*tokenizer, "ab"),
            "the vocabulary has neither 'b' nor a token for what is unknown");
}

TEST(WordLevel, Words) {
  auto tokenizer = parse("'pre_tokenizer': {'type': 'Whitespace'}, 'model': {'type': 'WordLevel',"
                         "'unk_token': '?', 'vocab': {'?': 0, 'hello': 1, '!': 2}}");
  EXPECT_EQ(tokens(*tokenizer, "hello there!"), "hello ? !");
  EXPECT_EQ(tokenizer->decode({1, 2}), "hello !");
}
