//===- TextStream.cpp - tokens to a text that is written as it comes ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Tasks/TextStream.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

TextStream::TextStream(TokenText kind, const Tokenizer *tokenizer, llvm::raw_ostream &os)
    : kind(kind), tokenizer(tokenizer), os(os) {}

void TextStream::stopAt(std::vector<int32_t> ids, std::vector<std::string> strings) {
  stopIds = std::move(ids);
  stopStrings = std::move(strings);
}

void TextStream::begin(llvm::ArrayRef<int32_t> prompt) {
  if (kind == TokenText::Words)
    decoder.emplace(*tokenizer);
  kept.clear();
  first = true;
  stopped = false;
  std::string text;
  for (int32_t id : prompt)
    text += textOf(id);
  write(opening ? *opening : text);
}

std::string TextStream::textOf(int32_t id) {
  if (decoder)
    return decoder->push(id);
  if (kind == TokenText::Bytes)
    return std::string(1, char(id));
  bool space = !first;
  first = false;
  return (space ? " " : "") + std::to_string(id);
}

void TextStream::write(llvm::StringRef text) {
  os << text;
  os.flush();
}

// How many bytes at the end of `text` may become one of the strings.
static size_t beginningOf(llvm::ArrayRef<std::string> strings, llvm::StringRef text) {
  size_t longest = 0;
  for (llvm::StringRef string : strings)
    for (size_t length = std::min(string.size() - 1, text.size()); length > longest; --length)
      if (text.ends_with(string.take_front(length)))
        longest = length;
  return longest;
}

bool TextStream::push(int32_t id) {
  if (stopped || llvm::is_contained(stopIds, id)) {
    stopped = true;
    return false;
  }
  kept += textOf(id);
  size_t stop = std::string::npos;
  for (const std::string &string : stopStrings)
    stop = std::min(stop, kept.find(string));
  stopped = stop != std::string::npos;
  size_t ready = stopped ? stop : kept.size() - beginningOf(stopStrings, kept);
  write(llvm::StringRef(kept).take_front(ready));
  kept.erase(0, stopped ? kept.size() : ready);
  return !stopped;
}

void TextStream::finish() {
  if (decoder && !stopped)
    kept += decoder->finish();
  write(kept + "\n");
}
