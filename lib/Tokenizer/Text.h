//===- Text.h - characters that remember where they come from -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Normalisers change a text, and a token still has to say which bytes of the original it stands
// for. So every character carries the span of original bytes it was made from.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_TEXT_H
#define WEFT_LIB_TOKENIZER_TEXT_H

#include "weft/Tokenizer/Tokenizer.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string_view>

namespace weft::text {

// A byte that is no UTF-8 is one "character" of its own: a lone surrogate, which no text contains.
constexpr char32_t strayByte = 0xDC00;
inline bool isStrayByte(char32_t c) { return c >= strayByte + 0x80 && c <= strayByte + 0xFF; }

std::u32string fromUtf8(llvm::StringRef bytes);
void appendUtf8(char32_t character, std::string &bytes);
std::string toUtf8(std::u32string_view characters);

class Text {
public:
  Text() = default;
  explicit Text(llvm::StringRef bytes);

  size_t size() const { return chars.size(); }
  bool empty() const { return chars.empty(); }
  char32_t operator[](size_t i) const { return chars[i]; }
  std::u32string_view characters() const { return chars; }
  std::string utf8() const { return toUtf8(chars); }
  // Where characters [begin, end) come from.
  Span span(size_t begin, size_t end) const;
  Span span() const { return span(0, size()); }
  // How many bytes of the original it comes from.
  size_t sourceBytes() const { return span().end - span().begin; }
  Text slice(size_t begin, size_t end) const;
  // It is a whole text, or the beginning of one.
  bool isFirst() const { return first; }

  // For building a text from another: one character as it is; or others in the place of [begin,
  // end), which all come from there.
  void keep(const Text &from, size_t i);
  void replace(const Text &from, size_t begin, size_t end, std::u32string_view by);
  void prepend(std::u32string_view characters);

private:
  std::u32string chars;
  std::vector<Span> spans; // one per character
  bool first = true;
};

// Each character becomes others, or none, which come from where it came from.
Text mapCharacters(const Text &text, llvm::function_ref<std::u32string(char32_t)> map);

// A text as models that cut bytes see it.
struct Utf8Text {
  explicit Utf8Text(const Text &text);
  // Where bytes [begin, end) come from: the characters that they are of.
  Span span(size_t begin, size_t end) const;

  std::string bytes;

private:
  const Text &text;
  std::vector<size_t> characters; // the one that each byte is of, and one more
};

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_TEXT_H
