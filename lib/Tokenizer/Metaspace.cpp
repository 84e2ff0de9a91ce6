//===- Metaspace.cpp - spaces as a character of their own -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// SentencePiece (Kudo and Richardson, 2018) writes a space as U+2581 and puts one before a text,
// so that a word is the same token in the middle and at the start.
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"

using namespace weft;
using namespace weft::text;

namespace {

enum class Prefix { Always, First, Never };

struct Metaspace : PreTokenizer {
  char32_t replacement;
  Prefix prefix;
  bool split;

  Text replaced(const Text &piece) const {
    Text result = mapCharacters(
        piece, [this](char32_t c) { return std::u32string(1, c == U' ' ? replacement : c); });
    bool wanted = prefix == Prefix::Always || (prefix == Prefix::First && piece.isFirst());
    if (wanted && !result.empty() && result[0] != replacement)
      result.prepend(std::u32string(1, replacement));
    return result;
  }

  llvm::Error apply(std::vector<Text> &pieces) const override {
    std::vector<Text> result;
    for (const Text &piece : pieces) {
      Text marked = replaced(piece);
      if (split)
        splitAtCharacters(
            marked, [this](char32_t c) { return c == replacement; }, Behavior::MergedWithNext,
            result);
      else
        result.push_back(std::move(marked));
    }
    pieces = std::move(result);
    return llvm::Error::success();
  }
};

// The first token of a text begins with a space that nobody wrote.
struct MetaspaceDecoder : Decoder {
  char32_t replacement;
  Prefix prefix;

  void apply(std::vector<std::string> &tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      std::string result;
      for (char32_t c : fromUtf8(tokens[i]))
        if (c != replacement)
          appendUtf8(c, result);
        else if (i > 0 || prefix == Prefix::Never)
          result += ' ';
      tokens[i] = result;
    }
  }
};

} // namespace

static char32_t readReplacement(const JsonReader &json) {
  std::u32string character = fromUtf8(json.string("replacement", "\u2581"));
  if (character.size() == 1)
    return character.front();
  json["replacement"].fail("expected one character");
  return U'\u2581';
}

// Older files say add_prefix_space, newer ones prepend_scheme.
static Prefix readPrefix(const JsonReader &json) {
  json.onlyMembers({"replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"});
  JsonReader scheme = json["prepend_scheme"];
  if (scheme.isNull())
    return json.boolean("add_prefix_space", true) ? Prefix::Always : Prefix::Never;
  std::string name = scheme.string();
  if (name != "always" && name != "first" && name != "never")
    scheme.fail("'" + name + "' is not supported");
  return name == "first" ? Prefix::First : name == "never" ? Prefix::Never : Prefix::Always;
}

std::unique_ptr<PreTokenizer> text::readMetaspace(const JsonReader &json) {
  auto result = std::make_unique<Metaspace>();
  result->prefix = readPrefix(json);
  result->replacement = readReplacement(json);
  result->split = json.boolean("split", true);
  return result;
}

std::unique_ptr<Decoder> text::readMetaspaceDecoder(const JsonReader &json) {
  auto result = std::make_unique<MetaspaceDecoder>();
  result->prefix = readPrefix(json);
  result->replacement = readReplacement(json);
  return result;
}
