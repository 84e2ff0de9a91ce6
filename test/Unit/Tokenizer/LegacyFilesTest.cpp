//===- LegacyFilesTest.cpp - tokenizers from before tokenizer.json --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TokenizerTest.h"

#include "../Import/TemporaryFolder.h"

using namespace weft;
using namespace weft::test;

namespace {

// A folder with files whose quotes are written as '.
struct Folder {
  TemporaryFolder folder;

  Folder &write(const char *name, std::string text) {
    std::replace(text.begin(), text.end(), '`', '"');
    folder.write(name, text);
    return *this;
  }
  std::unique_ptr<Tokenizer> load() {
    auto tokenizer = Tokenizer::load(folder.path());
    if (tokenizer)
      return std::move(*tokenizer);
    ADD_FAILURE() << llvm::toString(tokenizer.takeError());
    return nullptr;
  }
  // The error without the path of the folder.
  std::string error() {
    auto tokenizer = Tokenizer::load(folder.path());
    return folder.anonymous(tokenizer ? "none" : llvm::toString(tokenizer.takeError()));
  }
};

} // namespace

static const char *const bertVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\nUn\n";

TEST(LegacyFiles, Bert) {
  Folder folder;
  folder.write("vocab.txt", bertVocabulary).write("config.json", "{`model_type`: `bert`}");
  auto tokenizer = folder.load();
  EXPECT_EQ(tokens(*tokenizer, "Unaffable [MASK]"), "[CLS] un ##aff ##able [MASK] [SEP]");
  EXPECT_EQ(pairTokens(*tokenizer, "un", "un"), "[CLS] un [SEP] un [SEP]");
  EXPECT_EQ(tokenizer->role("mask_token"), 4);
  EXPECT_EQ(tokenizer->size(), 9);

  folder.write("tokenizer_config.json",
               "{`do_lower_case`: false, `tokenizer_class`: `BertTokenizer`}");
  EXPECT_EQ(tokens(*folder.load(), "Unaffable"), "[CLS] Un ##aff ##able [SEP]");
}

TEST(LegacyFiles, BytePairs) {
  Folder folder;
  folder
      .write("vocab.json", "{`a`: 0, `b`: 1, `ab`: 2, `\u0120`: 3, `<s>`: 4, `</s>`: 5, `<unk>`: 6,"
                           "`<pad>`: 7, `<mask>`: 8}")
      .write("merges.txt", "#version: 0.2\na b\n")
      .write("config.json", "{`model_type`: `roberta`}");
  EXPECT_EQ(tokens(*folder.load(), "ab b <mask>"), "<s> ab \u0120 b <mask> </s>");
  EXPECT_EQ(pairTokens(*folder.load(), "a", "b"), "<s> a </s> </s> b </s>");

  folder.write("config.json", "{`model_type`: `opt`}")
      .write("tokenizer_config.json", "{`add_bos_token`: true, `tokenizer_class`: `GPT2Tokenizer`,"
                                      "`bos_token`: {`content`: `</s>`}, `eos_token`: `</s>`}");
  auto opt = folder.load();
  EXPECT_EQ(tokens(*opt, "ab"), "</s> ab");
  EXPECT_EQ(opt->role("eos_token"), 5);
}

TEST(LegacyFiles, AddedTokens) {
  Folder folder;
  folder.write("vocab.txt", bertVocabulary)
      .write("config.json", "{`model_type`: `bert`}")
      .write("added_tokens.json", "{`extra`: 20}")
      .write("tokenizer_config.json",
             "{`added_tokens_decoder`: {`21`: {`content`: `more`, `special`: true,"
             "`lstrip`: false, `rstrip`: false, `normalized`: false,"
             "`single_word`: false}}}");
  auto tokenizer = folder.load();
  EXPECT_EQ(tokenizer->id("extra"), 20);
  EXPECT_EQ(tokenizer->id("more"), 21);
  EXPECT_TRUE(tokenizer->isSpecial(21));
  EXPECT_EQ(tokens(*tokenizer, "un extra more"), "[CLS] un extra more [SEP]");
}

// A SentencePiece model as its protocol buffer: field 1 is a piece with its text (1), score (2) and
// type (3: 2 unknown, 3 control, 1 normal), field 3 the normaliser with its name (1).
static std::string sentencePiece(llvm::ArrayRef<std::pair<const char *, int>> pieces) {
  std::string model;
  float score = 0;
  for (auto [text, type] : pieces) {
    std::string piece = std::string("\x0A") + char(strlen(text)) + text + '\x15';
    piece.append(reinterpret_cast<char *>(&score), 4);
    piece += std::string("\x18") + char(type);
    model += std::string("\x0A") + char(piece.size()) + piece;
    score -= 1;
  }
  return model + "\x1A\x0A\x0A\x08identity";
}

TEST(LegacyFiles, SentencePiece) {
  Folder folder;
  folder
      .write("spiece.model",
             sentencePiece(
                 {{"<unk>", 2}, {"<s>", 3}, {"</s>", 3}, {"\u2581ab", 1}, {"c", 1}, {"\u2581", 1}}))
      .write("config.json", "{`model_type`: `t5`}");
  auto t5 = folder.load();
  auto encoding = llvm::cantFail(t5->encode("ab abc x <extra_id_0>"));
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{3, 3, 4, 5, 0, 105, 2}));
  EXPECT_EQ(encoding.spans[2].begin, 5u);
  EXPECT_EQ(encoding.spans[2].end, 6u);
  EXPECT_EQ(t5->token(105), "<extra_id_0>");
  EXPECT_EQ(t5->decode({3, 3, 4, 2}), "ab abc");
  EXPECT_EQ(streamed(*t5, {3, 3, 4, 2}), "ab abc");

  folder.write("config.json", "{`model_type`: `xlm-roberta`}");
  auto xlmr = folder.load();
  // <s> <pad> </s> <unk> come first, all others are moved by one, and the mask is the last.
  EXPECT_EQ(llvm::cantFail(xlmr->encode("abc x <mask>")).ids,
            (std::vector<int32_t>{0, 4, 5, 6, 3, 7, 2}));
  EXPECT_EQ(tokens(*xlmr, "abc x <mask>"), "<s> \u2581ab c \u2581 <unk> <mask> </s>");
}

TEST(LegacyFiles, Errors) {
  Folder folder;
  EXPECT_EQ(folder.error(), "DIR/tokenizer.json: error: cannot read: No such file or directory");
  folder.write("vocab.txt", bertVocabulary);
  EXPECT_EQ(
      folder.error(),
      "DIR: neither tokenizer_config.json (tokenizer_class) nor config.json (model_type) says "
      "what kind of tokenizer its vocabulary is for");
  folder.write("config.json", "{`model_type`: `ctrl`}");
  EXPECT_EQ(folder.error().rfind("DIR: the tokenizer of model_type 'ctrl' is supported with a "
                                 "tokenizer.json only; without one these are: AlbertTokenizer, ",
                                 0),
            0u);
  folder.write("tokenizer_config.json", "{`tokenizer_class`: `DebertaV2TokenizerFast`,"
                                        "`split_by_punct`: true}");
  EXPECT_EQ(folder.error(), "DIR: tokenizer_config.json: split_by_punct is supported with a "
                            "tokenizer.json only");
  folder.write("tokenizer_config.json", "{`tokenizer_class`: `T5Tokenizer`}");
  EXPECT_EQ(folder.error(), "DIR: no SentencePiece model (.model) in the folder");
  folder.write("spiece.model", sentencePiece({{"<unk>", 2}, {"a", 1}}))
      .write("tokenizer_config.json",
             "{`tokenizer_class`: `T5Tokenizer`, `extra_ids`: 9223372036854775807}");
  EXPECT_EQ(folder.error(), "DIR: tokenizer_config.json: extra_ids: 9223372036854775807 is not "
                            "from 0 to 4096");
  folder.write("tokenizer_config.json",
               "{`tokenizer_class`: `T5Tokenizer`, `added_tokens_decoder`: {`x`: {}}}");
  EXPECT_EQ(folder.error(), "DIR: tokenizer_config.json: added_tokens_decoder.x: expected an id "
                            "and a token");
  folder.write("spiece.model", "nonsense");
  EXPECT_EQ(folder.error().rfind("DIR/spiece.model: error: not a SentencePiece model: ", 0), 0u)
      << folder.error();
  folder.write("tokenizer_config.json", "{`tokenizer_class`: `GPT2Tokenizer`}");
  EXPECT_EQ(folder.error(), "DIR: no vocab.json in the folder");
  folder.write("vocab.json", "{`a`: 0}");
  EXPECT_EQ(folder.error(), "DIR/merges.txt: error: cannot read: No such file or directory");
  folder.write("merges.txt", "a b\n");
  EXPECT_EQ(folder.error(), "DIR: model.merges[0]: 'b' is not in the vocabulary");
  folder.write("tokenizer_config.json", "{`tokenizer_class`: `BertTokenizer`, `cls_token`: `x`}");
  EXPECT_EQ(folder.error(), "DIR: the vocabulary has no token 'x', the cls_token");
  folder.write("vocab.txt", "[UNK]\n\xFF\n");
  EXPECT_EQ(folder.error(), "DIR/vocab.txt:2: error: not UTF-8");
}
