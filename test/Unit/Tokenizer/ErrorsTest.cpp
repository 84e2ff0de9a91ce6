//===- ErrorsTest.cpp - files that are refused ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TokenizerTest.h"

using namespace weft;
using namespace weft::test;

static const char *const model = ", 'model': {'type': 'BPE', 'vocab': {}, 'merges': []}";

TEST(Errors, Syntax) {
  auto parsed = Tokenizer::parse("{\"model\":", "t.json");
  EXPECT_EQ(llvm::toString(parsed.takeError()).rfind("t.json:1:", 0), 0u);
  auto array = Tokenizer::parse("[]", "t.json");
  EXPECT_EQ(llvm::toString(array.takeError()), "t.json: expected an object, found an array");
}

TEST(Errors, Unknown) {
  std::string rest = model;
  EXPECT_EQ(errorOf("'normalizer': {'type': 'Rot13'}" + rest),
            "t.json: normalizer: normalizer 'Rot13' is not supported");
  EXPECT_EQ(errorOf("'pre_tokenizer': {'type': 'Sequence', 'pretokenizers': [{'type': "
                    "'UnicodeScripts'}]}" +
                    rest),
            "t.json: pre_tokenizer.pretokenizers[0]: pre_tokenizer 'UnicodeScripts' is not "
            "supported");
  EXPECT_EQ(errorOf("'post_processor': {'type': 'X'}" + rest),
            "t.json: post_processor: post_processor 'X' is not supported");
  EXPECT_EQ(errorOf("'decoder': {'type': 'CTC'}" + rest),
            "t.json: decoder: decoder 'CTC' is not supported");
  EXPECT_EQ(errorOf("'model': {'type': 'X'}"), "t.json: model: model 'X' is not supported");
  EXPECT_EQ(errorOf("'decoder': {'type': 'Fuse', 'x': 1}" + rest),
            "t.json: decoder.x: is not supported");
  EXPECT_EQ(errorOf("'extra': 1" + rest), "t.json: extra: is not supported");
  EXPECT_EQ(errorOf("'pre_tokenizer': {'type': 'Split', 'pattern': {'String': ' '}, 'behavior': "
                    "'X'}" +
                    rest),
            "t.json: pre_tokenizer.behavior: behavior 'X' is not supported");
  EXPECT_EQ(errorOf("'pre_tokenizer': {'type': 'Metaspace', 'prepend_scheme': 'X'}" + rest),
            "t.json: pre_tokenizer.prepend_scheme: 'X' is not supported");
}

TEST(Errors, Values) {
  std::string rest = model;
  EXPECT_EQ(errorOf("'version': '1.0'"), "t.json: model: expected an object, found nothing");
  EXPECT_EQ(errorOf("'normalizer': {'type': 'Prepend', 'prepend': 1}" + rest),
            "t.json: normalizer.prepend: expected a string, found a number");
  EXPECT_EQ(
      errorOf("'normalizer': {'type': 'Replace', 'pattern': {'Regex': '('}, 'content': ''}" + rest),
      "t.json: normalizer.pattern: the regular expression '(' is not understood: "
      "U_REGEX_MISMATCHED_PAREN");
  EXPECT_EQ(errorOf("'normalizer': {'type': 'Precompiled', 'precompiled_charsmap': '/w=='}" + rest),
            "t.json: normalizer.precompiled_charsmap: the table of replacements is cut short");
  EXPECT_EQ(errorOf("'added_tokens': [{'id': -1, 'content': 'a'}]" + rest),
            "t.json: added_tokens[0].id: -1 is not from 0 to 2147483646");
  EXPECT_EQ(errorOf("'post_processor': {'type': 'TemplateProcessing', 'single': [{'SpecialToken': "
                    "{'id': 'x', 'type_id': 0}}], 'special_tokens': {}}" +
                    rest),
            "t.json: post_processor.single[0].SpecialToken.id: special token 'x' is not among "
            "special_tokens");
  EXPECT_EQ(errorOf("'post_processor': {'type': 'TemplateProcessing', 'single': [{'Sequence': "
                    "{'id': 'C', 'type_id': 0}}], 'special_tokens': {}}" +
                    rest),
            "t.json: post_processor.single[0].Sequence.id: expected A or B, found 'C'");
}

TEST(Errors, Kinds) {
  std::string rest = model;
  EXPECT_EQ(errorOf("'model': {'type': 'Unigram', 'vocab': [['a', 'b']]}"),
            "t.json: model.vocab[0][1]: expected a number, found a string");
  EXPECT_EQ(errorOf("'added_tokens': {}" + rest),
            "t.json: added_tokens: expected an array, found an object");
  EXPECT_EQ(errorOf("'decoder': {'type': 'Strip', 'content': '', 'start': 0, 'stop': 0}" + rest),
            "t.json: decoder.content: expected a character");
  EXPECT_EQ(errorOf("'pre_tokenizer': {'type': 'Metaspace', 'replacement': 'ab'}" + rest),
            "t.json: pre_tokenizer.replacement: expected one character");
  EXPECT_EQ(errorOf("'pre_tokenizer': {'type': 'CharDelimiterSplit', 'delimiter': 'ab'}" + rest),
            "t.json: pre_tokenizer.delimiter: expected one character");
  EXPECT_EQ(errorOf("'normalizer': {'type': 'Precompiled', 'precompiled_charsmap': '%'}" + rest)
                .rfind("t.json: normalizer.precompiled_charsmap: not base64: ", 0),
            0u);
  EXPECT_EQ(
      errorOf("'post_processor': {'type': 'BertProcessing', 'sep': ['a'], 'cls': ['b', 1]}" + rest),
      "t.json: post_processor.sep: expected a token and its id");
  std::string bert = "{'type': 'BertProcessing', 'sep': ['a', 0], 'cls': ['b', 1]}";
  EXPECT_EQ(errorOf("'post_processor': {'type': 'Sequence', 'processors': [" + bert + ", " + bert +
                    "]}" + rest),
            "t.json: post_processor.processors[1]: a second processor that puts in tokens is not "
            "supported");
}

TEST(Errors, Models) {
  EXPECT_EQ(errorOf("'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': ['a b']}"),
            "t.json: model.merges[0]: 'b' is not in the vocabulary");
  EXPECT_EQ(errorOf("'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': ['a']}"),
            "t.json: model.merges[0]: expected two tokens with a space between them, found 'a'");
  EXPECT_EQ(errorOf("'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': [['a']]}"),
            "t.json: model.merges[0]: expected two tokens, found 1");
  EXPECT_EQ(errorOf("'model': {'type': 'BPE', 'vocab': {'a': 'x'}, 'merges': []}"),
            "t.json: model.vocab.a: expected an integer, found a string");
  EXPECT_EQ(errorOf("'model': {'type': 'BPE', 'dropout': 0.1, 'vocab': {}, 'merges': []}"),
            "t.json: model.dropout: merges that are left out at random are for training only");
  EXPECT_EQ(errorOf("'model': {'type': 'WordPiece', 'vocab': {'a': 0}}"),
            "t.json: model.unk_token: '[UNK]' is not in the vocabulary");
  EXPECT_EQ(errorOf("'model': {'type': 'WordLevel', 'unk_token': 'x', 'vocab': {}}"),
            "t.json: model.unk_token: 'x' is not in the vocabulary");
  EXPECT_EQ(errorOf("'model': {'type': 'Unigram', 'vocab': []}"),
            "t.json: model.vocab: the vocabulary is empty");
  EXPECT_EQ(errorOf("'model': {'type': 'Unigram', 'unk_id': 1, 'vocab': [['a', 0]]}"),
            "t.json: model.unk_id: 1 is not from 0 to 0");
  EXPECT_EQ(errorOf("'model': {'type': 'Unigram', 'vocab': [['a']]}"),
            "t.json: model.vocab[0]: expected a piece and its score");
}

TEST(Errors, NoFile) {
  auto missing = Tokenizer::load("/nowhere/tokenizer.json");
  EXPECT_EQ(llvm::toString(missing.takeError()),
            "/nowhere/tokenizer.json: error: cannot read: No such file or directory");
  auto text = Tokenizer::load("/nowhere/vocab.txt");
  EXPECT_EQ(llvm::toString(text.takeError()),
            "/nowhere/vocab.txt: error: expected a tokenizer.json or a folder");
}
