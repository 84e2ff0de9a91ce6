//===- Lexer.cpp - PTX text to tokens -------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace weft::ptx;

static bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }
static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_' || c == '$' || c == '%'; }

/// False at an unfinished comment, which ends the text.
bool Lexer::skipSpace() {
  while (position < text.size()) {
    if (text[position] == '\n')
      ++line;
    if (llvm::isSpace(text[position])) {
      ++position;
    } else if (text.substr(position).starts_with("//")) {
      position = std::min(text.find('\n', position), text.size());
    } else if (text.substr(position).starts_with("/*")) {
      size_t end = text.find("*/", position + 2);
      if (end == llvm::StringRef::npos)
        return false;
      line += text.slice(position, end).count('\n');
      position = end + 2;
    } else {
      return true;
    }
  }
  return true;
}

Token Lexer::finish(TokenKind kind, size_t length) {
  Token token;
  token.kind = kind;
  token.line = line;
  token.text = text.substr(position, length);
  position += token.text.size();
  return token;
}

Token Lexer::next() {
  if (!skipSpace())
    return finish(TokenKind::Invalid, text.size() - position);
  if (position == text.size())
    return finish(TokenKind::End, 0);
  char c = text[position];
  if (llvm::isDigit(c))
    return lexNumber();
  if (c == '"') {
    size_t end = text.find_first_of("\"\n", position + 1);
    bool closed = end != llvm::StringRef::npos && text[end] == '"';
    return finish(closed ? TokenKind::String : TokenKind::Invalid,
                  closed ? end + 1 - position : text.size());
  }
  if (isWordStart(c) || (c == '.' && isWordStart(at(position + 1)))) {
    size_t end = position + 1;
    while (isWordPart(at(end)) || (at(end) == '.' && isWordPart(at(end + 1))) ||
           (at(end) == ':' && at(end + 1) == ':' && isWordPart(at(end + 2))))
      end += at(end) == ':' ? 2 : 1;
    return finish(TokenKind::Word, end - position);
  }
  bool known = llvm::StringRef(",;{}[]()<>:|+-=!@*").contains(c);
  return finish(known ? TokenKind::Punctuation : TokenKind::Invalid, 1);
}

// 12, 0x1F, 12U, 0f3F800000 and 0d3FF0000000000000 (the bits of a real), 1.5.
Token Lexer::lexNumber() {
  size_t end = position;
  while (isWordPart(at(end)))
    ++end;
  llvm::StringRef word = text.slice(position, end);
  char form = word.size() > 1 && word[0] == '0' ? llvm::toLower(word[1]) : '\0';
  if (form == 'f' || form == 'd') {
    size_t digits = form == 'f' ? 8 : 16;
    uint64_t bits = 0;
    bool valid = word.size() == digits + 2 && !word.drop_front(2).getAsInteger(16, bits);
    Token token = finish(valid ? TokenKind::Real : TokenKind::Invalid, word.size());
    token.realBits = uint8_t(4 * digits);
    token.value = bits;
    return token;
  }
  if (at(end) == '.') {
    ++end;
    while (llvm::isAlnum(at(end)) ||
           ((at(end) == '-' || at(end) == '+') && llvm::toLower(at(end - 1)) == 'e'))
      ++end;
    double value = 0;
    bool valid = !text.slice(position, end).getAsDouble(value);
    Token token = finish(valid ? TokenKind::Real : TokenKind::Invalid, end - position);
    token.realBits = 64;
    token.value = llvm::bit_cast<uint64_t>(value);
    return token;
  }
  uint64_t value = 0;
  llvm::StringRef digits = word;
  digits.consume_back("U");
  bool valid = !digits.getAsInteger(0, value);
  Token token = finish(valid ? TokenKind::Integer : TokenKind::Invalid, word.size());
  token.value = value;
  return token;
}
