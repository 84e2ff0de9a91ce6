//===- Truncation.h - texts that are cut to a length ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_TRUNCATION_H
#define WEFT_LIB_TOKENIZER_TRUNCATION_H

#include "Components.h"

namespace weft::text {

// The "truncation" of a tokenizer.json: no more than `length` tokens, special ones included.
struct Truncation {
  // Which of two texts gets shorter: the longer one, then both alike; the first; the second.
  enum class Strategy { LongestFirst, OnlyFirst, OnlySecond };

  size_t length = 0;
  Strategy strategy = Strategy::LongestFirst;
  bool left = false; // tokens go from the beginning, not from the end

  // Cuts one text or two that `special` tokens will stand around; returns how many tokens went.
  // Fails if the special tokens alone are too many, or the text to be cut has not enough.
  llvm::Expected<size_t> apply(llvm::MutableArrayRef<std::vector<Token>> texts,
                               size_t special) const;
};

Truncation readTruncation(const JsonReader &json);

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_TRUNCATION_H
