//===- ByteLevelTest.cpp - every byte survives ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TokenizerTest.h"

#include "llvm/ADT/StringExtras.h"

#include <random>

using namespace weft;
using namespace weft::test;

// The characters of the bytes, as GPT-2's encoder.py makes them.
static std::string byteCharacter(unsigned byte) {
  std::vector<unsigned> others;
  for (unsigned b = 0; b < 256; ++b)
    if (!(b >= '!' && b <= '~') && !(b >= 0xA1 && b <= 0xAC) && !(b >= 0xAE))
      others.push_back(b);
  auto other = std::find(others.begin(), others.end(), byte);
  unsigned c = other == others.end() ? byte : 256 + unsigned(other - others.begin());
  if (c < 0x80)
    return std::string(1, char(c));
  return {char(0xC0 | c >> 6), char(0x80 | (c & 0x3F))};
}

// Every byte a token with its number as its id, and some merges.
static std::unique_ptr<Tokenizer> allBytes() {
  std::string vocab;
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string character = byteCharacter(byte);
    vocab += std::string(byte ? ", \"" : "\"") +
             (character == "\"" || character == "\\" ? "\\" : "") + character +
             "\": " + std::to_string(byte);
  }
  std::string json = "{\"added_tokens\": [{\"id\": 259, \"content\": \"<end>\", \"special\": "
                     "true}], \"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": "
                     "false}, \"decoder\": {\"type\": \"ByteLevel\"}, \"model\": {\"type\": "
                     "\"BPE\", \"vocab\": {" +
                     vocab +
                     ", \"th\": 256, \"\u0120th\": 257, \"\u00F0\u0141\": 258}, "
                     "\"merges\": [\"t h\", \"\u0120 th\", \"\u00F0 \u0141\"]}}";
  return llvm::cantFail(Tokenizer::parse(json, "t.json"));
}

TEST(ByteLevel, TheAlphabet) {
  auto tokenizer = allBytes();
  EXPECT_EQ(tokenizer->token(' '), "\u0120");
  EXPECT_EQ(tokenizer->token('\n'), "\u010A");
  EXPECT_EQ(tokenizer->token(0), "\u0100");
  EXPECT_EQ(tokenizer->token('!'), "!");
  EXPECT_EQ(tokenizer->token(0x7F), "\u0121");
  EXPECT_EQ(tokenizer->token(0xAD), "\u0143");
  EXPECT_EQ(tokenizer->token(0xFF), "\u00FF");
}

TEST(ByteLevel, WordsOfGPT2) {
  auto tokenizer = allBytes();
  EXPECT_EQ(tokens(*tokenizer, "the  th'll"), "th e \u0120 \u0120th ' l l");
}

TEST(ByteLevel, ArbitraryBytesSurvive) {
  auto tokenizer = allBytes();
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (size_t length = random() % 40; text.size() < length;)
      text += round % 2 ? char(random()) : "th \n'\xF0\x9F\x99\x82\xC3\xA9"[random() % 11];
    auto encoding = llvm::cantFail(tokenizer->encode(text));
    EXPECT_EQ(tokenizer->decode(encoding.ids), text);
    EXPECT_EQ(streamed(*tokenizer, encoding.ids), text);
  }
}

// Whatever is given out is whole characters, if the whole is.
TEST(StreamDecoder, NoHalfCharacters) {
  auto tokenizer = allBytes();
  std::string text = "a\u00E9\u20AC\U0001F642\U0001F642x";
  auto encoding = llvm::cantFail(tokenizer->encode(text));
  StreamDecoder decoder(*tokenizer);
  std::string all;
  for (int32_t id : encoding.ids) {
    std::string piece = decoder.push(id);
    if (!piece.empty())
      EXPECT_NE(uint8_t(piece[0]) & 0xC0, 0x80) << "begins within a character";
    all += piece;
    EXPECT_TRUE(llvm::StringRef(text).starts_with(all));
  }
  EXPECT_EQ(all, text);
  EXPECT_EQ(decoder.finish(), "");
}

TEST(StreamDecoder, GivesTheRestAtTheEnd) {
  auto tokenizer = allBytes();
  StreamDecoder decoder(*tokenizer);
  EXPECT_EQ(decoder.push('a'), "a");
  EXPECT_EQ(decoder.push(0xE2), "");
  EXPECT_EQ(decoder.push(0x82), "");
  EXPECT_EQ(decoder.finish(), "\xE2\x82");
}

TEST(StreamDecoder, SpecialTokensAreSilent) {
  auto tokenizer = allBytes();
  EXPECT_EQ(streamed(*tokenizer, {'a', 259, 0xC3, 259, 0xA9, 9999}), "a\u00E9");
  EXPECT_EQ(tokenizer->decode({'a', 259}, true), "a<end>");
}
