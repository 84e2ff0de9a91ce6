//===- Unicode.h - what ICU knows about characters ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_UNICODE_H
#define WEFT_LIB_TOKENIZER_UNICODE_H

#include "Text.h"

namespace weft::text {

bool isWhitespace(char32_t c);
bool isControl(char32_t c);        // control and private characters, but no tab and newlines
bool isPunctuation(char32_t c);    // category P, and the symbols of ASCII
bool isNumeric(char32_t c);        // category N
bool isWordCharacter(char32_t c);  // \w of regular expressions
bool isNonspacingMark(char32_t c); // category Mn
bool isMark(char32_t c);           // category M
bool isIdeograph(char32_t c);      // of the blocks of Chinese characters that BERT sets apart

std::u32string lowercase(char32_t c);

enum class UnicodeForm { NFC, NFD, NFKC, NFKD };
Text normalized(const Text &text, UnicodeForm form);

// The number of characters of each grapheme: what a reader takes for one.
std::vector<size_t> graphemes(const Text &text);

// Matches are character ranges [first, second).
using Range = std::pair<size_t, size_t>;

class Regex {
public:
  // `origin`: where the pattern stands, for errors that a text brings.
  static llvm::Expected<Regex> compile(llvm::StringRef pattern, std::string origin = "");
  // All matches from left to right; fails where the pattern needs too much time or memory.
  llvm::Expected<std::vector<Range>> matches(std::u32string_view text) const;

private:
  struct Handle;
  explicit Regex(std::shared_ptr<Handle> handle) : handle(std::move(handle)) {}
  std::shared_ptr<Handle> handle;
};

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_UNICODE_H
