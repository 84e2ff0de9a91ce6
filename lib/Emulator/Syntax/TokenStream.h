//===- TokenStream.h - tokens and the first error -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Functions that parse return false after an error; the first error is kept.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_SYNTAX_TOKENSTREAM_H
#define WEFT_LIB_EMULATOR_SYNTAX_TOKENSTREAM_H

#include "Syntax/Lexer.h"

#include "llvm/ADT/Twine.h"

#include <string>

namespace weft::ptx {

class TokenStream {
public:
  TokenStream(llvm::StringRef text, llvm::StringRef name) : lexer(text), name(name) { take(); }

  const Token &peek() const { return token; }
  Token take() {
    Token taken = token;
    token = lexer.next();
    return taken;
  }
  template <typename T> bool consume(T what) {
    if (!token.is(what))
      return false;
    take();
    return true;
  }
  bool expect(char c);
  bool expectWord(Token &word, const char *what);
  bool expectInteger(uint64_t &value, const char *what, uint64_t limit);

  bool fail(unsigned line, const llvm::Twine &message);
  /// "expected WHAT, found ...".
  bool failHere(const llvm::Twine &what);
  const std::string &error() const { return message; }

private:
  Lexer lexer;
  llvm::StringRef name;
  Token token;
  std::string message;
};

} // namespace weft::ptx

#endif // WEFT_LIB_EMULATOR_SYNTAX_TOKENSTREAM_H
