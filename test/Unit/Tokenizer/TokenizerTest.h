//===- TokenizerTest.h - tokenizers made in tests -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_TOKENIZER_TOKENIZERTEST_H
#define WEFT_TEST_UNIT_TOKENIZER_TOKENIZERTEST_H

#include "weft/Tokenizer/Tokenizer.h"

#include "gtest/gtest.h"

namespace weft::test {

// A tokenizer.json of these members, in which quotes are written as '.
inline llvm::Expected<std::unique_ptr<Tokenizer>> tryParse(std::string members) {
  std::replace(members.begin(), members.end(), '\'', '"');
  return Tokenizer::parse("{" + members + "}", "t.json");
}

inline std::unique_ptr<Tokenizer> parse(const std::string &members) {
  auto tokenizer = tryParse(members);
  if (tokenizer)
    return std::move(*tokenizer);
  ADD_FAILURE() << llvm::toString(tokenizer.takeError());
  return nullptr;
}

inline std::string errorOf(const std::string &members) {
  auto tokenizer = tryParse(members);
  return tokenizer ? "none" : llvm::toString(tokenizer.takeError());
}

inline std::string join(const Tokenizer &tokenizer, llvm::ArrayRef<int32_t> ids) {
  std::string result;
  for (int32_t id : ids)
    result += (result.empty() ? "" : " ") + tokenizer.token(id).value_or("?");
  return result;
}

// The tokens of a text, with spaces between them.
inline std::string tokens(const Tokenizer &tokenizer, llvm::StringRef text) {
  auto encoding = tokenizer.encode(text);
  return encoding ? join(tokenizer, encoding->ids) : llvm::toString(encoding.takeError());
}

inline std::string pairTokens(const Tokenizer &tokenizer, llvm::StringRef a, llvm::StringRef b) {
  auto encoding = tokenizer.encodePair(a, b);
  return encoding ? join(tokenizer, encoding->ids) : llvm::toString(encoding.takeError());
}

inline std::string streamed(const Tokenizer &tokenizer, llvm::ArrayRef<int32_t> ids) {
  StreamDecoder decoder(tokenizer);
  std::string result;
  for (int32_t id : ids)
    result += decoder.push(id);
  return result + decoder.finish();
}

} // namespace weft::test

#endif // WEFT_TEST_UNIT_TOKENIZER_TOKENIZERTEST_H
