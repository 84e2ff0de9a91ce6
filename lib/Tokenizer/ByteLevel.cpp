//===- ByteLevel.cpp - bytes as characters that can be seen ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// GPT-2's vocabulary (Radford et al., 2019) is made of bytes, but its file of characters. A byte
// that prints as one Latin-1 character stands for itself; the others stand, in their order, as
// the characters from U+0100 on: a space is U+0120.
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"

#include <array>

using namespace weft;
using namespace weft::text;

static std::array<char32_t, 256> makeAlphabet() {
  std::array<char32_t, 256> alphabet{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    bool prints = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    alphabet[byte] = prints ? char32_t(byte) : next++;
  }
  return alphabet;
}

static const std::array<char32_t, 256> &alphabet() {
  static const std::array<char32_t, 256> result = makeAlphabet();
  return result;
}

char32_t text::characterOfByte(uint8_t byte) { return alphabet()[byte]; }

std::optional<uint8_t> text::byteOfCharacter(char32_t character) {
  for (unsigned byte = 0; byte < 256; ++byte)
    if (alphabet()[byte] == character)
      return uint8_t(byte);
  return std::nullopt;
}

Text text::byteCharacters(const Text &text) {
  return mapCharacters(text, [](char32_t character) {
    std::string bytes;
    appendUtf8(character, bytes);
    std::u32string result;
    for (char byte : bytes)
      result += characterOfByte(uint8_t(byte));
    return result;
  });
}

// GPT-2's words: contractions, letters, digits or other marks with a space before them, spaces.
static const char wordPattern[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

namespace {

struct ByteLevel : PreTokenizer {
  bool addPrefixSpace;
  std::optional<Regex> words;

  llvm::Error split(const Text &piece, std::vector<Text> &result) const {
    if (!words) {
      result.push_back(piece);
      return llvm::Error::success();
    }
    llvm::Expected<std::vector<Range>> ranges = words->matches(piece.characters());
    if (!ranges)
      return ranges.takeError();
    splitAt(piece, *ranges, Behavior::Isolated, false, result);
    return llvm::Error::success();
  }

  llvm::Error apply(std::vector<Text> &pieces) const override {
    std::vector<Text> result;
    for (Text &piece : pieces) {
      if (addPrefixSpace && !piece.empty() && piece[0] != U' ')
        piece.prepend(U" ");
      if (llvm::Error error = split(piece, result))
        return error;
    }
    pieces.clear();
    for (const Text &word : result)
      pieces.push_back(byteCharacters(word));
    return llvm::Error::success();
  }
};

struct ByteLevelDecoder : Decoder {
  void apply(std::vector<std::string> &tokens) const override {
    std::string bytes;
    for (const std::string &token : tokens)
      bytes += toBytes(token);
    tokens.assign(1, bytes);
  }

  // A token with a character of no byte (an added one) is taken as it is.
  static std::string toBytes(const std::string &token) {
    std::string bytes;
    for (char32_t character : fromUtf8(token)) {
      std::optional<uint8_t> byte = byteOfCharacter(character);
      if (!byte)
        return token;
      bytes += char(*byte);
    }
    return bytes;
  }
};

} // namespace

std::unique_ptr<PreTokenizer> text::readByteLevel(const JsonReader &json) {
  json.onlyMembers({"add_prefix_space", "trim_offsets", "use_regex"});
  auto result = std::make_unique<ByteLevel>();
  result->addPrefixSpace = json.boolean("add_prefix_space", true);
  if (json.boolean("use_regex", true))
    result->words = llvm::cantFail(Regex::compile(wordPattern, json.origin()));
  return result;
}

std::unique_ptr<Decoder> text::readByteLevelDecoder(const JsonReader &json) {
  // Those of the pre-tokenizer, which mean nothing here.
  json.onlyMembers({"add_prefix_space", "trim_offsets", "use_regex"});
  return std::make_unique<ByteLevelDecoder>();
}
