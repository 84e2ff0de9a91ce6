//===- Text.cpp - characters that remember where they come from -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Text.h"

#include "llvm/Support/ConvertUTF.h"
#include <algorithm>
#include <unicode/utf8.h>

using namespace weft;
using namespace weft::text;

// One character from `at` on, which moves behind it.
static char32_t readCharacter(llvm::StringRef bytes, size_t &at) {
  const llvm::UTF8 *start = bytes.bytes_begin() + at, *end = start;
  llvm::UTF32 character;
  if (llvm::convertUTF8Sequence(&end, bytes.bytes_end(), &character, llvm::strictConversion) !=
      llvm::conversionOK) {
    ++at;
    return strayByte + *start;
  }
  at += size_t(end - start);
  return character;
}

std::u32string text::fromUtf8(llvm::StringRef bytes) {
  std::u32string result;
  for (size_t at = 0; at < bytes.size();)
    result += readCharacter(bytes, at);
  return result;
}

void text::appendUtf8(char32_t character, std::string &bytes) {
  if (isStrayByte(character)) {
    bytes += char(character - strayByte);
    return;
  }
  uint8_t buffer[4];
  int32_t length = 0;
  U8_APPEND_UNSAFE(buffer, length, character);
  bytes.append(reinterpret_cast<char *>(buffer), size_t(length));
}

std::string text::toUtf8(std::u32string_view characters) {
  std::string bytes;
  for (char32_t character : characters)
    appendUtf8(character, bytes);
  return bytes;
}

Text::Text(llvm::StringRef bytes) {
  for (size_t at = 0; at < bytes.size();) {
    uint32_t begin = uint32_t(at);
    chars += readCharacter(bytes, at);
    spans.push_back({begin, uint32_t(at)});
  }
}

Span Text::span(size_t begin, size_t end) const {
  if (begin == end)
    return begin < spans.size() ? Span{spans[begin].begin, spans[begin].begin} : Span{};
  Span result = spans[begin];
  for (size_t i = begin; i < end; ++i)
    result = {std::min(result.begin, spans[i].begin), std::max(result.end, spans[i].end)};
  return result;
}

Text Text::slice(size_t begin, size_t end) const {
  Text result;
  result.chars = chars.substr(begin, end - begin);
  result.first = first && begin == 0;
  result.spans.assign(spans.begin() + begin, spans.begin() + end);
  return result;
}

void Text::keep(const Text &from, size_t i) {
  first = from.first;
  chars += from.chars[i];
  spans.push_back(from.spans[i]);
}

void Text::replace(const Text &from, size_t begin, size_t end, std::u32string_view by) {
  first = from.first;
  chars += by;
  spans.resize(chars.size(), from.span(begin, end));
}

void Text::prepend(std::u32string_view characters) {
  Span start = empty() ? Span{} : Span{spans.front().begin, spans.front().begin};
  chars.insert(0, characters);
  spans.insert(spans.begin(), characters.size(), start);
}

Text text::mapCharacters(const Text &text, llvm::function_ref<std::u32string(char32_t)> map) {
  Text result;
  for (size_t i = 0; i < text.size(); ++i)
    result.replace(text, i, i + 1, map(text[i]));
  return result;
}

Utf8Text::Utf8Text(const Text &text) : text(text) {
  for (size_t i = 0; i < text.size(); ++i) {
    appendUtf8(text[i], bytes);
    characters.resize(bytes.size(), i);
  }
  characters.push_back(text.size());
}

Span Utf8Text::span(size_t begin, size_t end) const {
  return text.span(characters[begin], end > begin ? characters[end - 1] + 1 : characters[begin]);
}
