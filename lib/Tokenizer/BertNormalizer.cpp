//===- BertNormalizer.cpp - BERT's cleaning of texts ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"

using namespace weft;
using namespace weft::text;

namespace {

struct BertNormalizer : Normalizer {
  bool clean, spaceIdeographs, stripAccents, lower;

  llvm::Error apply(Text &text) const override {
    if (clean)
      text = cleaned(text);
    if (spaceIdeographs)
      text = spaced(text);
    if (stripAccents)
      text = withoutAccents(normalized(text, Form::NFD));
    if (lower)
      text = lowered(text);
    return llvm::Error::success();
  }

  static Text cleaned(const Text &text);
  static Text spaced(const Text &text);
  static Text withoutAccents(const Text &text);
  static Text lowered(const Text &text);
};

} // namespace

// Drops control characters; every kind of white space is a space.
Text BertNormalizer::cleaned(const Text &text) {
  Text result;
  for (size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    if (c == 0 || c == 0xFFFD || isControl(c))
      continue;
    if (isWhitespace(c))
      result.replace(text, i, i + 1, U" ");
    else
      result.keep(text, i);
  }
  return result;
}

// Each ideograph is a word.
Text BertNormalizer::spaced(const Text &text) {
  Text result;
  for (size_t i = 0; i < text.size(); ++i)
    if (isIdeograph(text[i]))
      result.replace(text, i, i + 1, std::u32string{U' ', text[i], U' '});
    else
      result.keep(text, i);
  return result;
}

Text BertNormalizer::withoutAccents(const Text &text) {
  Text result;
  for (size_t i = 0; i < text.size(); ++i)
    if (!isNonspacingMark(text[i]))
      result.keep(text, i);
  return result;
}

Text BertNormalizer::lowered(const Text &text) {
  Text result;
  for (size_t i = 0; i < text.size(); ++i)
    result.replace(text, i, i + 1, lowercase(text[i]));
  return result;
}

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
