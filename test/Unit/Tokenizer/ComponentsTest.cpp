//===- ComponentsTest.cpp - normalisers, pre-tokenizers, decoders ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TokenizerTest.h"

#include "llvm/Support/Base64.h"

using namespace weft;
using namespace weft::test;

// The words that a pre-tokenizer (and a normaliser) cut a text into, with | between them: every
// one is unknown, and its span says what it is. `original`: as they stand in the text.
static std::string words(const std::string &members, const std::string &text) {
  auto tokenizer = parse(members + (members.empty() ? "" : ", ") +
                         "'model': {'type': 'WordLevel', 'unk_token': '?', 'vocab': {'?': 0}}");
  auto encoding = tokenizer->encode(text);
  if (!encoding)
    return llvm::toString(encoding.takeError());
  std::string result;
  for (Span span : encoding->spans)
    result += (result.empty() ? "" : "|") + text.substr(span.begin, span.end - span.begin);
  return result;
}

// A text behind a normaliser: a model that knows every letter there is in the test.
static std::string normalize(const std::string &normalizer, const std::string &text) {
  std::string pieces;
  for (const char *c : {"a", "e", "s", "i", " ", "f", "A", "E", "1", "_", "\u0301", "\u00E9",
                        "\u0307", "\u03C3", "\u6771", "x", "\u2581", "b"})
    pieces += std::string(", ['") + c + "', -1]";
  auto tokenizer =
      parse("'decoder': {'type': 'Fuse'}, 'normalizer': " + normalizer +
            ", 'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['?', 0]" + pieces + "]}");
  return tokenizer->decode(llvm::cantFail(tokenizer->encode(text)).ids);
}

TEST(Normalizers, Forms) {
  EXPECT_EQ(normalize("{'type': 'NFC'}", "e\u0301"), "\u00E9");
  EXPECT_EQ(normalize("{'type': 'NFD'}", "\u00E9"), "e\u0301");
  EXPECT_EQ(normalize("{'type': 'NFKC'}", "\uFB01"), "fi");
  EXPECT_EQ(normalize("{'type': 'NFKD'}", "\uFB01\u00E9"), "fie\u0301");
}

TEST(Normalizers, Plain) {
  EXPECT_EQ(normalize("{'type': 'Lowercase'}", "A\u0130\u03A3"), "ai\u0307\u03C3");
  EXPECT_EQ(normalize("{'type': 'StripAccents'}", "e\u0301"), "e");
  EXPECT_EQ(normalize("{'type': 'Strip', 'strip_left': true, 'strip_right': false}", " a "), "a ");
  EXPECT_EQ(normalize("{'type': 'Replace', 'pattern': {'String': ' '}, 'content': '_'}", "a  "),
            "a__");
  EXPECT_EQ(normalize("{'type': 'Replace', 'pattern': {'Regex': ' +'}, 'content': '_'}", "a  "),
            "a_");
  EXPECT_EQ(normalize("{'type': 'Prepend', 'prepend': '_'}", "a"), "_a");
  EXPECT_EQ(normalize("{'type': 'Nmt'}", "a\t\x01 e"), "a  e");
  EXPECT_EQ(normalize("{'type': 'Sequence', 'normalizers': [{'type': 'NFD'}, {'type': "
                      "'StripAccents'}, {'type': 'Prepend', 'prepend': '_'}]}",
                      "\u00E9"),
            "_e");
}

TEST(Normalizers, Bert) {
  EXPECT_EQ(normalize("{'type': 'BertNormalizer'}", "A\u0001\t\u00C9\u6771"), "a e \u6771 ");
  EXPECT_EQ(normalize("{'type': 'BertNormalizer', 'lowercase': false}", "\u00E9"), "\u00E9");
  EXPECT_EQ(
      normalize("{'type': 'BertNormalizer', 'lowercase': false, 'strip_accents': true}", "\u00E9"),
      "e");
  EXPECT_EQ(normalize("{'type': 'BertNormalizer', 'strip_accents': false}", "\u00C9"), "\u00E9");
}

// A table of one entry, "a" to "bb": a trie with the nodes root, "a" and its value.
TEST(Normalizers, Precompiled) {
  std::vector<uint32_t> trie(256);
  trie[0] = 1u << 10;                          // children of the root at 1 ^ byte
  trie[1 ^ 'a'] = (32u << 10) | 1u << 8 | 'a'; // a value at (1 ^ 'a') ^ 32
  trie[(1 ^ 'a') ^ 32] = 0x80000000u;          // the replacement at offset 0
  uint32_t bytes = uint32_t(trie.size() * 4);
  std::string table(reinterpret_cast<char *>(&bytes), 4);
  table.append(reinterpret_cast<char *>(trie.data()), bytes);
  table.append("bb\0", 3);
  std::string normalizer =
      "{'type': 'Precompiled', 'precompiled_charsmap': '" + llvm::encodeBase64(table) + "'}";
  EXPECT_EQ(normalize(normalizer, "eax"), "ebbx");
  EXPECT_EQ(normalize("{'type': 'Precompiled', 'precompiled_charsmap': ''}", "eax"), "eax");
}

TEST(PreTokenizers, Words) {
  EXPECT_EQ(words("'pre_tokenizer': {'type': 'Whitespace'}", "Hey, you_1  there"),
            "Hey|,|you_1|there");
  EXPECT_EQ(words("'pre_tokenizer': {'type': 'WhitespaceSplit'}", "Hey, you\u3000there"),
            "Hey,|you|there");
  EXPECT_EQ(words("'pre_tokenizer': {'type': 'BertPreTokenizer'}", "a$b -- c\u2014d"),
            "a|$|b|-|-|c|\u2014|d");
  EXPECT_EQ(words("'pre_tokenizer': {'type': 'Punctuation', 'behavior': 'Contiguous'}", "a--b c"),
            "a|--|b c");
  EXPECT_EQ(words("'pre_tokenizer': {'type': 'Digits', 'individual_digits': true}", "a12"),
            "a|1|2");
  EXPECT_EQ(words("'pre_tokenizer': {'type': 'Digits'}", "a12b"), "a|12|b");
  EXPECT_EQ(words("'pre_tokenizer': {'type': 'CharDelimiterSplit', 'delimiter': '-'}", "a--b"),
            "a|b");
}

TEST(PreTokenizers, SplitBehaviors) {
  auto split = [](const char *behavior, const char *invert) {
    return words(std::string("'pre_tokenizer': {'type': 'Split', 'pattern': {'String': '-'}, "
                             "'behavior': '") +
                     behavior + "', 'invert': " + invert + "}",
                 "the-final--countdown");
  };
  // The examples of the documentation of Hugging Face tokenizers.
  EXPECT_EQ(split("Removed", "false"), "the|final|countdown");
  EXPECT_EQ(split("Isolated", "false"), "the|-|final|-|-|countdown");
  EXPECT_EQ(split("MergedWithPrevious", "false"), "the-|final-|-|countdown");
  EXPECT_EQ(split("MergedWithNext", "false"), "the|-final|-|-countdown");
  EXPECT_EQ(split("Contiguous", "false"), "the|-|final|--|countdown");
  EXPECT_EQ(split("Removed", "true"), "-|-|-");
}

TEST(PreTokenizers, EndlessPatternsAreStopped) {
  std::string text(60, 'a');
  EXPECT_NE(words("'pre_tokenizer': {'type': 'Split', 'pattern': {'Regex': '(a|a)+b'}, "
                  "'behavior': 'Removed'}",
                  text)
                .find("takes too many steps on the text"),
            std::string::npos);
}

TEST(Metaspace, PrependsOnce) {
  auto tokenizer = [](const char *scheme) {
    return parse(std::string("'added_tokens': [{'id': 5, 'content': '<s>', 'special': true}],"
                             "'pre_tokenizer': {'type': 'Metaspace', 'prepend_scheme': '") +
                 scheme + "'}, 'decoder': {'type': 'Metaspace', 'prepend_scheme': '" + scheme +
                 "'}, 'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['?', 0],"
                 "['\u2581a', -1], ['a', -2], ['\u2581', -3]]}");
  };
  EXPECT_EQ(tokens(*tokenizer("always"), "a a<s>a"), "\u2581a \u2581a <s> \u2581a");
  EXPECT_EQ(tokens(*tokenizer("first"), "a a<s>a"), "\u2581a \u2581a <s> a");
  EXPECT_EQ(tokens(*tokenizer("never"), "a a"), "a \u2581a");
  EXPECT_EQ(tokenizer("always")->decode({1, 1}), "a a");
  EXPECT_EQ(tokenizer("never")->decode({2, 1}), "a a");
}

TEST(AddedTokens, Flags) {
  auto added = [](const char *flags) {
    return parse(std::string("'added_tokens': [{'id': 1, 'content': 'am', 'special': false, "
                             "'normalized': false, ") +
                 flags +
                 "}, {'id': 2, 'content': 'amb', 'normalized': false, 'special': false}],"
                 "'model': {'type': 'WordLevel', 'unk_token': '?', 'vocab': {'?': 0}}");
  };
  EXPECT_EQ(tokens(*added("'lstrip': false"), "I am amber"), "? am ? amb ?");
  EXPECT_EQ(tokens(*added("'lstrip': true, 'rstrip': true"), "I am "), "? am");
  EXPECT_EQ(tokens(*added("'single_word': true"), "spam am"), "? am");
}

TEST(AddedTokens, AfterTheNormalizer) {
  auto tokenizer = parse("'normalizer': {'type': 'Lowercase'}, 'added_tokens': [{'id': 1, "
                         "'content': 'AM', 'normalized': true, 'special': false}], 'model': {"
                         "'type': 'WordLevel', 'unk_token': '?', 'vocab': {'?': 0}}");
  EXPECT_EQ(tokens(*tokenizer, "am Am"), "AM ? AM");
}

TEST(Templates, Kinds) {
  std::string model = ", 'pre_tokenizer': {'type': 'WhitespaceSplit'}, 'model': {'type': "
                      "'WordLevel', 'unk_token': '?', 'vocab': {'?': 0, '[C]': 1, '[S]': 2}}";
  auto bert = parse("'post_processor': {'type': 'BertProcessing', 'sep': ['[S]', 2], 'cls': "
                    "['[C]', 1]}" +
                    model);
  EXPECT_EQ(tokens(*bert, "a b"), "[C] ? ? [S]");
  EXPECT_EQ(pairTokens(*bert, "a", "b"), "[C] ? [S] ? [S]");
  auto pair = llvm::cantFail(bert->encodePair("a", "b"));
  EXPECT_EQ(pair.types, (std::vector<int32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(pair.source, (std::vector<int8_t>{-1, 0, -1, 1, -1}));
  EXPECT_EQ(llvm::cantFail(bert->encode("a", {/*special=*/false})).ids.size(), 1u);

  auto roberta = parse("'post_processor': {'type': 'Sequence', 'processors': [{'type': 'ByteLevel'}"
                       ", {'type': 'RobertaProcessing', 'sep': ['[S]', 2], 'cls': ['[C]', 1]}]}" +
                       model);
  EXPECT_EQ(pairTokens(*roberta, "a", "b"), "[C] ? [S] [S] ? [S]");

  auto none = parse(model.substr(2));
  EXPECT_EQ(llvm::cantFail(none->encodePair("a", "b")).types, (std::vector<int32_t>{0, 1}));
}

TEST(Decoders, Kinds) {
  auto decode = [](const std::string &decoder) {
    return parse("'decoder': " + decoder +
                 ", 'model': {'type': 'BPE', 'merges': [], 'vocab': {'\u2581a': 0, 'b': 1, "
                 "'##c': 2, '.': 3, '<0x41>': 4, '<0xzz>': 5}}")
        ->decode({0, 1, 2, 3, 4, 5});
  };
  EXPECT_EQ(decode("{'type': 'Fuse'}"), "\u2581ab##c.<0x41><0xzz>");
  EXPECT_EQ(decode("{'type': 'WordPiece'}"), "\u2581a bc. <0x41> <0xzz>");
  EXPECT_EQ(decode("{'type': 'WordPiece', 'cleanup': false}"), "\u2581a bc . <0x41> <0xzz>");
  EXPECT_EQ(decode("{'type': 'Sequence', 'decoders': [{'type': 'Replace', 'pattern': {'String': "
                   "'\u2581'}, 'content': ' '}, {'type': 'ByteFallback'}, {'type': 'Fuse'}, "
                   "{'type': 'Strip', 'content': ' ', 'start': 1, 'stop': 0}]}"),
            "ab##c.A<0xzz>");
}
