//===- TokenizerFuzzer.cpp - any bytes as a tokenizer and a text ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Before the first NUL: a tokenizer.json, which is refused or read. Behind it: a text. Whatever was
// read must take the text to ids that exist, and its ids to a text, at once or one after another.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Tokenizer/Tokenizer.h"

#include <cstdlib>

using namespace llvm;
using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [json, text] = StringRef(reinterpret_cast<const char *>(data), size).split('\0');
  Expected<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::parse(json, "fuzz.json");
  if (!tokenizer)
    return consumeError(tokenizer.takeError()), 0;
  Expected<Encoding> encoding = (*tokenizer)->encodePair(text, text);
  if (!encoding)
    return consumeError(encoding.takeError()), 0;
  StreamDecoder stream(**tokenizer);
  for (size_t i = 0; i < encoding->ids.size(); ++i) {
    Span span = encoding->spans[i];
    if (span.begin > span.end || span.end > text.size())
      std::abort();
    stream.push(encoding->ids[i]);
  }
  stream.finish();
  (*tokenizer)->decode(encoding->ids, true);
  return 0;
}
