//===- Lexer.h - Weft text to tokens --------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Tokens are made one at a time. Line breaks are no tokens: a token knows whether it is the first
// of its line, and the parser decides where that ends a statement. Keywords are identifiers here,
// because most are keywords only at the start of a statement (`output.dense.weight` is a fine
// name).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SYNTAX_LEXER_H
#define WEFT_LIB_FRONTEND_SYNTAX_LEXER_H

#include "weft/Frontend/Diagnostics.h"

namespace weft {

enum class TokenKind {
  End,
  Invalid,    ///< characters that start no token; the lexer has reported them
  Identifier, ///< after a dot also `0`: a segment of a parameter's name
  Integer,
  Real,
  String,
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Comma,
  Colon,
  Dot,
  DotDot,
  Assign,
  Arrow,
  Pipe,
  EqualEqual,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Plus,
  Minus,
  Star,
  Slash,
  SlashSlash,
  Percent,
  Caret,
  QuestionQuestion
};

struct Token {
  TokenKind kind = TokenKind::End;
  bool startsLine = false;  ///< the first token of its line
  bool spaceBefore = false; ///< does not touch the token before
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// A comment without its '#' and the spaces around.
struct Comment {
  uint32_t begin = 0;
  uint32_t end = 0;
};

class Lexer {
public:
  Lexer(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics);

  /// The next token; End for ever at the end.
  Token next();
  /// Makes everything left disappear: after an error that makes reading on useless.
  void stop() { position = static_cast<uint32_t>(text.size()); }
  /// The comments passed so far, in order.
  const std::vector<Comment> &comments() const { return passed; }

private:
  bool skipSpace(Token &token);
  Token finish(Token token, TokenKind kind, uint32_t length);
  Token lexWord(Token token);
  Token lexNumber(Token token);
  Token lexString(Token token);
  Token lexInvalid(Token token);
  TokenKind punctuation(uint32_t &length) const;
  char at(uint32_t offset) const { return offset < text.size() ? text[offset] : '\0'; }
  SourceRange range(uint32_t begin, uint32_t end) const { return {{file, begin}, end}; }

  llvm::StringRef text;
  FileId file;
  DiagnosticEngine &diagnostics;
  uint32_t position = 0;
  bool first = true;
  TokenKind previous = TokenKind::End;
  std::vector<Comment> passed;
};

/// Reports what makes a file not a text at all: a NUL byte or invalid UTF-8. True if it is a text.
bool checkText(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics);

} // namespace weft

#endif // WEFT_LIB_FRONTEND_SYNTAX_LEXER_H
