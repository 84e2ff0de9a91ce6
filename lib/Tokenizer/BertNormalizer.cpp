//===- BertNormalizer.cpp - BERT's cleaning of texts ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"

using namespace weft;
using namespace weft::text;

// Drops control characters; every kind of white space is a space.
static std::u32string cleaned(char32_t c) {
  if (c == 0 || c == 0xFFFD || isControl(c))
    return {};
  return std::u32string(1, isWhitespace(c) ? U' ' : c);
}

// Each ideograph is a word.
static std::u32string spaced(char32_t c) {
  return isIdeograph(c) ? std::u32string{U' ', c, U' '} : std::u32string(1, c);
}

static std::u32string withoutAccent(char32_t c) {
  return isNonspacingMark(c) ? std::u32string() : std::u32string(1, c);
}

namespace {

struct BertNormalizer : Normalizer {
  bool clean, spaceIdeographs, stripAccents, lower;

  llvm::Error apply(Text &text) const override {
    if (clean)
      text = mapCharacters(text, cleaned);
    if (spaceIdeographs)
      text = mapCharacters(text, spaced);
    if (stripAccents)
      text = mapCharacters(normalized(text, UnicodeForm::NFD), withoutAccent);
    if (lower)
      text = mapCharacters(text, lowercase);
    return llvm::Error::success();
  }
};

} // namespace

std::unique_ptr<Normalizer> text::readBertNormalizer(const JsonReader &json) {
  json.onlyMembers({"clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
  auto result = std::make_unique<BertNormalizer>();
  result->clean = json.boolean("clean_text", true);
  result->spaceIdeographs = json.boolean("handle_chinese_chars", true);
  result->lower = json.boolean("lowercase", true);
  // Where nothing is said, accents go with the capitals.
  result->stripAccents = json.boolean("strip_accents", result->lower);
  return result;
}
