//===- StreamDecoder.cpp - text as it comes -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a token says can depend on those before it (a space at the very start) and be less than a
// character. So the text of some tokens given out before is decoded again and again in front of
// the new ones, and what is new is given out when it is whole.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Tokenizer/Tokenizer.h"

using namespace weft;

// How many bytes at the end of `text` are the beginning of a UTF-8 character.
static size_t incompleteBytes(llvm::StringRef text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    uint8_t byte = uint8_t(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80)
      continue; // within a character
    size_t length = byte >= 0xF0 && byte <= 0xF4 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return byte <= 0xF4 && length > back ? back : 0;
  }
  return 0;
}

// The text of `more` after `context`.
static std::string textAfter(const Tokenizer &tokenizer, llvm::ArrayRef<int32_t> context,
                             llvm::ArrayRef<int32_t> more) {
  std::vector<int32_t> all = context.vec();
  all.insert(all.end(), more.begin(), more.end());
  std::string before = tokenizer.decode(context), text = tokenizer.decode(all);
  return llvm::StringRef(text).starts_with(before) ? text.substr(before.size()) : "";
}

std::string StreamDecoder::push(int32_t id) {
  waiting.push_back(id);
  std::string text = textAfter(tokenizer, context, waiting);
  if (text.empty() || incompleteBytes(text) > 0)
    return "";
  context = std::move(waiting);
  waiting.clear();
  return text;
}

std::string StreamDecoder::finish() {
  std::string text = textAfter(tokenizer, context, waiting);
  waiting.clear();
  return text;
}
