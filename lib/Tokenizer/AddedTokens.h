//===- AddedTokens.h - tokens that are found before all else --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_ADDEDTOKENS_H
#define WEFT_LIB_TOKENIZER_ADDEDTOKENS_H

#include "Components.h"

#include <map>

namespace weft::text {

struct AddedToken {
  int32_t id = 0;
  std::string content;
  bool singleWord = false;                    // not within a word
  bool stripLeft = false, stripRight = false; // takes the white space beside it
  bool normalized = false;                    // looked for after the normaliser, not before
  bool special = false;                       // not part of the text
};

// A stretch of a text: one added token, or what is between two.
struct Piece {
  Text text;
  std::optional<int32_t> token;
};

class AddedTokens {
public:
  // Fails if the normaliser does not get through it.
  llvm::Error add(AddedToken token, const Normalizer *normalizer);
  // Cuts at the tokens that are looked for before the normaliser, or after it. Where several
  // begin, the longest counts.
  std::vector<Piece> split(const Text &text, bool normalized) const;
  const AddedToken *find(int32_t id) const;
  const AddedToken *find(llvm::StringRef content) const;
  int32_t size() const { return largest + 1; }

private:
  // What is looked for, and the number of its token.
  using Patterns = std::map<std::u32string, size_t, std::less<>>;
  const Patterns::value_type *match(const Text &text, size_t at, bool normalized) const;

  std::vector<AddedToken> tokens;
  llvm::DenseMap<int32_t, size_t> byId;
  llvm::StringMap<size_t> byContent;
  // By their first character; [1]: after the normaliser.
  llvm::DenseMap<uint32_t, Patterns> patterns[2];
  int32_t largest = -1;
};

AddedToken readAddedToken(const JsonReader &json);

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_ADDEDTOKENS_H
