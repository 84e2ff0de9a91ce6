//===- Parser.cpp - Tokens, recovery and declarations ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Frontend/Parser.h"

#include "ParserImpl.h"

using namespace weft;
using namespace weft::ast;

Parser::Parser(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics)
    : text(sources.text(file)), file(file), diagnostics(diagnostics),
      lexer(sources, file, diagnostics) {
  token = lexer.next();
  ahead = lexer.next();
}

//===----------------------------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------------------------===//

void Parser::advance() {
  if (is(TokenKind::LeftParen) || is(TokenKind::LeftBracket))
    ++openBrackets;
  else if ((is(TokenKind::RightParen) || is(TokenKind::RightBracket)) && openBrackets != 0)
    --openBrackets;
  else if (is(TokenKind::LeftBrace))
    ++openBraces;
  else if (is(TokenKind::RightBrace) && openBraces != 0)
    --openBraces;
  previousEnd = token.end;
  token = ahead;
  ahead = lexer.next();
  if (diagnostics.tooManyErrors() && !stopped)
    giveUp();
}

bool Parser::accept(TokenKind kind) {
  if (!is(kind))
    return false;
  advance();
  return true;
}

bool Parser::acceptWord(llvm::StringRef word) {
  if (!isWord(word))
    return false;
  advance();
  return true;
}

bool Parser::expect(TokenKind kind, llvm::StringRef what, llvm::StringRef hint) {
  if (accept(kind))
    return true;
  errorExpected(what, hint);
  return false;
}

bool Parser::expectWord(llvm::StringRef word) {
  if (acceptWord(word))
    return true;
  errorExpected("'" + word + "'");
  return false;
}

bool Parser::expectClosing(TokenKind kind, llvm::StringRef what, SourceRange open) {
  if (accept(kind))
    return true;
  errorExpected(what).note(open, "to close this '" + text.slice(open.begin.offset, open.end) + "'");
  return false;
}

std::string Parser::describe(const Token &t) const {
  if (t.kind == TokenKind::End)
    return "the end of the file";
  llvm::StringRef spelling = textOf(t);
  if (spelling.size() > 40)
    return ("'" + spelling.take_front(37) + "...'").str();
  return ("'" + spelling + "'").str();
}

Diagnostic &Parser::report(SourceRange range, const llvm::Twine &message) {
  bool reported = lastError == range.begin.offset ||
                  (is(TokenKind::Invalid) && range.begin.offset == token.begin);
  if (stopped || reported)
    return ignored = Diagnostic(Severity::Error, {}, "");
  lastError = range.begin.offset;
  Diagnostic &error = diagnostics.error(range, message);
  if (diagnostics.tooManyErrors())
    giveUp();
  return error;
}

Diagnostic &Parser::errorExpected(const llvm::Twine &what, llvm::StringRef hint) {
  std::string message = ("expected " + what).str();
  std::string end = hint.empty() ? "" : (": " + hint).str();
  // What is missing at the end of a line is shown there and not on the next line.
  bool lineEnds = token.startsLine && previousEnd != 0;
  if (lineEnds || is(TokenKind::End)) {
    message += is(TokenKind::End) ? " before the end of the file" : " before the end of the line";
    return report(SourceLocation{file, previousEnd}, message + end);
  }
  return report(here(), message + ", found " + describe(token) + end);
}

void Parser::giveUp() {
  stopped = true;
  lexer.stop();
  token.kind = ahead.kind = TokenKind::End;
}

void Parser::reportTooDeep(SourceRange range) {
  report(range, "this is nested too deeply: at most " + llvm::Twine(maxTreeHeight) +
                    " levels are allowed");
  giveUp();
}

bool Parser::tooDeep() {
  if (depth <= maxTreeHeight)
    return false;
  reportTooDeep(here());
  return true;
}

bool Parser::isReserved(llvm::StringRef word) const {
  static constexpr llvm::StringLiteral words[] = {
      "and",   "assert", "buffer", "dim", "else",  "false",  "for",  "if",   "let",
      "match", "not",    "null",   "or",  "param", "return", "then", "true", "where"};
  return llvm::is_contained(words, word);
}

bool Parser::parseIdentifier(Identifier &identifier, llvm::StringRef what, bool startsStatement) {
  // Inside a statement a name may begin a line only after a comma or a bracket.
  bool lineEnds = !startsStatement && token.startsLine && previousEnd != 0 &&
                  !llvm::StringRef(",([").contains(text[previousEnd - 1]);
  if (!is(TokenKind::Identifier) || lineEnds) {
    errorExpected(what);
    return false;
  }
  if (isReserved(textOf(token))) {
    report(here(), "'" + textOf(token) + "' is a reserved word and cannot be a name");
    return false;
  }
  identifier = {textOf(token).str(), here()};
  advance();
  return true;
}

bool Parser::parseText(Identifier &result, llvm::StringRef what) {
  if (!is(TokenKind::String)) {
    errorExpected(what);
    return false;
  }
  result.range = here();
  if (!unescape(token, result.text))
    return false;
  advance();
  return true;
}

bool Parser::parseList(TokenKind close, llvm::StringRef closeText, SourceRange open,
                       llvm::function_ref<bool()> element) {
  while (!is(close)) {
    if (!element())
      return false;
    if (!accept(TokenKind::Comma))
      break;
  }
  return expectClosing(close, ("',' or '" + closeText + "'").str(), open);
}

//===----------------------------------------------------------------------------------------===//
// Comments
//===----------------------------------------------------------------------------------------===//

/// The comments not yet taken that begin before `before`, with "" where blank lines separate them
/// from each other or from the token that follows.
std::vector<std::string> Parser::takeComments(uint32_t before) {
  std::vector<std::string> lines;
  const std::vector<Comment> &comments = lexer.comments();
  while (nextComment < comments.size() && comments[nextComment].begin < before) {
    const Comment &comment = comments[nextComment++];
    lines.push_back(text.slice(comment.begin, comment.end).rtrim().str());
    bool last = nextComment == comments.size() || comments[nextComment].begin >= before;
    uint32_t next = last ? before : comments[nextComment].begin;
    if (text.slice(comment.end, next).count('\n') > 1 && next != text.size())
      lines.push_back("");
  }
  return lines;
}

Comments Parser::takeLeadingComments() {
  Comments result;
  const std::vector<Comment> &comments = lexer.comments();
  uint32_t begin = token.begin;
  if (nextComment < comments.size())
    begin = std::min(begin, comments[nextComment].begin);
  result.blankLineBefore = text.slice(previousEnd, begin).count('\n') > 1;
  result.leading = takeComments(token.begin);
  return result;
}

void Parser::finishComments(Comments &result) {
  for (std::string &line : takeComments(previousEnd))
    if (!line.empty())
      result.leading.push_back(std::move(line));
  const std::vector<Comment> &comments = lexer.comments();
  if (nextComment == comments.size() || comments[nextComment].begin >= token.begin)
    return;
  const Comment &comment = comments[nextComment];
  if (text.slice(previousEnd, comment.begin).contains('\n'))
    return;
  result.trailing = text.slice(comment.begin, comment.end).rtrim().str();
  ++nextComment;
  // The blank lines that follow are seen from here.
  previousEnd = comment.end;
}

//===----------------------------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------------------------===//

std::unique_ptr<File> weft::parseFile(SourceManager &sources, llvm::StringRef path,
                                      DiagnosticEngine &diagnostics) {
  std::string error;
  FileId file = sources.addFile(path, error);
  if (file == 0) {
    diagnostics.error({}, "cannot read '" + path + "': " + error);
    return nullptr;
  }
  return parseText(sources, file, diagnostics);
}

std::unique_ptr<File> weft::parseText(const SourceManager &sources, FileId file,
                                      DiagnosticEngine &diagnostics) {
  if (!checkText(sources, file, diagnostics))
    return nullptr;
  return Parser(sources, file, diagnostics).parseFile();
}
