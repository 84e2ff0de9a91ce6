//===- TokenStream.cpp - tokens and the first error -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Syntax/TokenStream.h"

#include "llvm/ADT/StringExtras.h"

using namespace weft::ptx;

bool TokenStream::fail(unsigned line, const llvm::Twine &text) {
  if (message.empty())
    message = (name + ":" + llvm::Twine(line) + ": error: " + text).str();
  return false;
}

// Any bytes may stand in the text, so what is shown of it is short and printable.
static std::string show(const Token &token) {
  if (token.kind == TokenKind::End)
    return "the end of the text";
  std::string shown;
  for (char c : token.text.take_front(40))
    shown += llvm::isPrint(c) ? c : '?';
  return "'" + shown + (token.text.size() > 40 ? "...'" : "'");
}

bool TokenStream::failHere(const llvm::Twine &what) {
  return fail(token.line, "expected " + what + ", found " + show(token));
}

bool TokenStream::expect(char c) { return consume(c) || failHere("'" + llvm::Twine(c) + "'"); }

bool TokenStream::expectWord(Token &word, const char *what) {
  if (token.kind != TokenKind::Word)
    return failHere(what);
  word = take();
  return true;
}

bool TokenStream::expectInteger(uint64_t &value, const char *what, uint64_t limit) {
  if (token.kind != TokenKind::Integer)
    return failHere(what);
  if (token.value > limit)
    return fail(token.line, llvm::Twine(what) + " is " + llvm::Twine(token.value) +
                                ", more than the limit of " + llvm::Twine(limit));
  value = take().value;
  return true;
}
