//===- Lexer.cpp - Weft text to tokens ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace weft;

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

bool weft::checkText(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics) {
  llvm::StringRef text = sources.text(file);
  auto place = [&](size_t offset) { return SourceLocation{file, static_cast<uint32_t>(offset)}; };
  if (text.size() > SourceManager::maxFileBytes) {
    diagnostics.error({}, "'" + sources.name(file) + "' has " + llvm::Twine(text.size()) +
                              " bytes, more than the limit of " +
                              llvm::Twine(SourceManager::maxFileBytes));
    return false;
  }
  size_t nul = text.find('\0');
  if (nul != llvm::StringRef::npos) {
    diagnostics.error(place(nul), "the file contains a NUL byte: it is not a text");
    return false;
  }
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const llvm::UTF8 *at = begin;
  if (!llvm::isLegalUTF8String(&at, begin + text.size())) {
    diagnostics.error(place(at - begin), "invalid UTF-8: byte 0x" + llvm::utohexstr(*at) +
                                             " does not belong to a character");
    return false;
  }
  return true;
}

Lexer::Lexer(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics)
    : text(sources.text(file)), file(file), diagnostics(diagnostics) {
  if (text.starts_with("\xEF\xBB\xBF")) // a byte order mark
    position = 3;
}

/// Skips blanks, line breaks and comments and notes in `token` what was passed. False at the end of
/// the text.
bool Lexer::skipSpace(Token &token) {
  token.startsLine = first;
  token.spaceBefore = first;
  first = false;
  while (position < text.size()) {
    char c = text[position];
    if (c == '#') {
      size_t end = std::min(text.find('\n', position), text.size());
      passed.push_back({position, static_cast<uint32_t>(end)});
      position = static_cast<uint32_t>(end);
    } else if (c == '\n') {
      token.startsLine = true;
      ++position;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position;
    } else {
      return true;
    }
    token.spaceBefore = true;
  }
  return false;
}

Token Lexer::finish(Token token, TokenKind kind, uint32_t length) {
  token.kind = kind;
  token.begin = position;
  position += length;
  token.end = position;
  previous = kind;
  return token;
}

Token Lexer::next() {
  Token token;
  if (!skipSpace(token))
    return finish(token, TokenKind::End, 0);
  char c = text[position];
  // After a dot a digit continues a name, as in `encoder.layer.0.weight`.
  if (isWordStart(c) || (previous == TokenKind::Dot && !token.spaceBefore && isWord(c)))
    return lexWord(token);
  if (llvm::isDigit(c))
    return lexNumber(token);
  if (c == '"')
    return lexString(token);
  uint32_t length = 1;
  TokenKind kind = punctuation(length);
  if (kind != TokenKind::End)
    return finish(token, kind, length);
  return lexInvalid(token);
}

/// How Weft writes what other languages write with the character.
static llvm::StringRef hintFor(char c) {
  switch (c) {
  case '&':
    return ": write 'and'";
  case '|':
    return ": write 'or'";
  case '!':
    return ": write 'not'";
  case '?':
    return ": write 'if p then a else b'";
  case '@':
    return ": write the sum, as in 'sum(d) x[t, d] * w[d, f]'";
  case ';':
    return ": a statement ends with its line";
  case '\'':
    return ": strings are in double quotes";
  default:
    return "";
  }
}

/// A run of foreign characters is one error, and so are `&&` and `||`.
Token Lexer::lexInvalid(Token token) {
  uint32_t end = position + 1;
  char c = text[position];
  while (static_cast<unsigned char>(at(end)) >= 0x80 || ((c == '&' || c == '|') && at(end) == c))
    ++end;
  bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  diagnostics.error(
      range(position, end),
      control ? "unexpected control character 0x" + llvm::utohexstr(c, false, 2)
              : ("unexpected character '" + text.slice(position, end) + "'" + hintFor(c)).str());
  return finish(token, TokenKind::Invalid, end - position);
}

Token Lexer::lexWord(Token token) {
  uint32_t end = position;
  while (isWord(at(end)))
    ++end;
  return finish(token, TokenKind::Identifier, end - position);
}

Token Lexer::lexNumber(Token token) {
  uint32_t end = position;
  TokenKind kind = TokenKind::Integer;
  auto digits = [&] {
    while (llvm::isDigit(at(end)))
      ++end;
  };
  digits();
  // `0..4` is a range, so a fraction has a digit after its dot.
  if (at(end) == '.' && llvm::isDigit(at(end + 1))) {
    kind = TokenKind::Real;
    ++end;
    digits();
  }
  if (at(end) == 'e' || at(end) == 'E') {
    uint32_t exponent = end + 1;
    if (at(exponent) == '+' || at(exponent) == '-')
      ++exponent;
    if (llvm::isDigit(at(exponent))) {
      kind = TokenKind::Real;
      end = exponent;
      digits();
    }
  }
  if (isWord(at(end))) {
    while (isWord(at(end)))
      ++end;
    diagnostics.error(range(position, end), "'" + text.slice(position, end) + "' is not a number");
  }
  return finish(token, kind, end - position);
}

/// The token spans the quotes; escapes are checked and resolved by the parser.
Token Lexer::lexString(Token token) {
  uint32_t end = position + 1;
  while (end < text.size() && text[end] != '"' && text[end] != '\n')
    end += text[end] == '\\' && at(end + 1) != '\n' ? 2 : 1;
  end = std::min(end, static_cast<uint32_t>(text.size()));
  if (at(end) == '"')
    return finish(token, TokenKind::String, end + 1 - position);
  diagnostics.error(range(position, end), "the string is not closed: '\"' is missing at the end");
  return finish(token, TokenKind::String, end - position);
}

/// The punctuation at the current place; End if there is none. Sets `length` to 2 for the long
/// ones.
TokenKind Lexer::punctuation(uint32_t &length) const {
  char next = at(position + 1);
  auto either = [&](char second, TokenKind two, TokenKind one) {
    length = next == second ? 2 : 1;
    return next == second ? two : one;
  };
  switch (text[position]) {
  case '(':
    return TokenKind::LeftParen;
  case ')':
    return TokenKind::RightParen;
  case '[':
    return TokenKind::LeftBracket;
  case ']':
    return TokenKind::RightBracket;
  case '{':
    return TokenKind::LeftBrace;
  case '}':
    return TokenKind::RightBrace;
  case ',':
    return TokenKind::Comma;
  case ':':
    return TokenKind::Colon;
  case '|':
    return next == '|' ? TokenKind::End : TokenKind::Pipe;
  case '+':
    return TokenKind::Plus;
  case '-':
    return TokenKind::Minus;
  case '*':
    return TokenKind::Star;
  case '%':
    return TokenKind::Percent;
  case '^':
    return TokenKind::Caret;
  case '.':
    return either('.', TokenKind::DotDot, TokenKind::Dot);
  case '/':
    return either('/', TokenKind::SlashSlash, TokenKind::Slash);
  case '<':
    return either('=', TokenKind::LessEqual, TokenKind::Less);
  case '>':
    return either('=', TokenKind::GreaterEqual, TokenKind::Greater);
  case '!':
    return either('=', TokenKind::NotEqual, TokenKind::End);
  case '?':
    return either('?', TokenKind::QuestionQuestion, TokenKind::End);
  case '=':
    if (next == '>')
      return either('>', TokenKind::Arrow, TokenKind::Assign);
    return either('=', TokenKind::EqualEqual, TokenKind::Assign);
  default:
    return TokenKind::End;
  }
}
