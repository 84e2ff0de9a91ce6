//===- Lexer.h - PTX text to tokens ---------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A word is what belongs together without blanks: a name, a directive (".reg"), or an opcode with
// its modifiers ("cp.async.bulk.shared::cluster.global").
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_SYNTAX_LEXER_H
#define WEFT_LIB_EMULATOR_SYNTAX_LEXER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace weft::ptx {

enum class TokenKind : uint8_t { End, Word, Integer, Real, String, Punctuation, Invalid };

struct Token {
  TokenKind kind = TokenKind::End;
  uint8_t realBits = 0;
  unsigned line = 0;
  uint64_t value = 0; ///< of a number; of a real its bits
  llvm::StringRef text;

  bool is(char c) const { return kind == TokenKind::Punctuation && text.front() == c; }
  bool is(llvm::StringRef word) const { return kind == TokenKind::Word && text == word; }
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : text(text) {}
  Token next();

private:
  bool skipSpace();
  Token finish(TokenKind kind, size_t length);
  Token lexNumber();
  char at(size_t place) const { return place < text.size() ? text[place] : '\0'; }

  llvm::StringRef text;
  size_t position = 0;
  unsigned line = 1;
};

} // namespace weft::ptx

#endif // WEFT_LIB_EMULATOR_SYNTAX_LEXER_H
