//===- ParseBlock.cpp - Blocks and recovery -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A statement ends with its line. `input`, `output`, `generate`, `entry` and `checkpoint` are
// ordinary names unless a statement begins with them. After an error reading goes on at the next
// line that looks like a statement.
//
//===----------------------------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "weft/Support/NearestName.h"

using namespace weft;
using namespace weft::ast;

static constexpr llvm::StringLiteral statementWords[] = {
    "let", "dim",   "input",  "param",  "buffer", "output",     "generate", "for",
    "if",  "match", "assert", "return", "entry",  "checkpoint", "config"};

static bool belongsToGguf(const Stmt &stmt) {
  return llvm::isa<ConfigStmt, CheckpointStmt, LetStmt, IfStmt, MatchStmt, ForStmt, AssertStmt>(
      &stmt);
}

/// True if the current token is a word that begins a statement here, and not a name that is
/// defined.
bool Parser::isStatementKeyword() const {
  if (!is(TokenKind::Identifier) || !llvm::is_contained(statementWords, textOf(token)))
    return false;
  if (isReserved(textOf(token)))
    return true;
  if (textOf(token) == "config" && !inGguf)
    return false;
  bool block = textOf(token) == "checkpoint";
  return ahead.kind == (block ? TokenKind::LeftBrace : TokenKind::Identifier);
}

/// Whether the bracket at `open` is closed in its line and an '=' follows.
bool Parser::assignsAfterBracket(uint32_t open) const {
  llvm::StringRef line = text.substr(open).take_until([](char c) { return c == '\n'; });
  unsigned depth = 0;
  for (size_t i = 0; i < line.size() && line[i] != '#'; ++i) {
    if (line[i] == '(' || line[i] == '[')
      ++depth;
    else if ((line[i] == ')' || line[i] == ']') && --depth == 0) {
      llvm::StringRef rest = line.drop_front(i + 1).ltrim();
      return rest.starts_with("=") && !rest.starts_with("==");
    }
  }
  return false;
}

/// Whether the line that begins with the current token looks like a statement: where reading goes
/// on after an error.
bool Parser::isStatementStart() const {
  if (!token.startsLine)
    return false;
  if (is(TokenKind::LeftParen))
    return assignsAfterBracket(token.begin);
  if (!is(TokenKind::Identifier))
    return false;
  if (isItemStart())
    return true;
  if (isStatementKeyword()) // a word like `output` alone in its line is a name
    return isReserved(textOf(token)) || !ahead.startsLine;
  if (ahead.kind == TokenKind::Assign)
    return openBrackets == 0;
  // Two words in a row: a misspelt keyword.
  if (ahead.kind == TokenKind::Identifier && !ahead.startsLine)
    return openBrackets == 0 && !isReserved(textOf(token)) && !isReserved(textOf(ahead));
  return ahead.kind == TokenKind::LeftBracket && assignsAfterBracket(ahead.begin);
}

/// Skips to the next statement or to the end of the block that has `blockBraces` braces open around
/// its statements.
void Parser::skipToStatement(unsigned blockBraces) {
  for (; !is(TokenKind::End); advance()) {
    bool unindented = token.begin == 0 || text[token.begin - 1] == '\n';
    if (isItemStart() && unindented)
      break;
    if (openBraces <= blockBraces && (is(TokenKind::RightBrace) || isStatementStart()))
      break;
  }
  openBraces = blockBraces;
}

Diagnostic &Parser::errorNoClosingBrace(SourceRange open) {
  SourceRange place = is(TokenKind::End) ? SourceLocation{file, previousEnd} : here();
  return report(place, "expected '}' before " + describe(token)).note(open, "to close this '{'");
}

bool Parser::checkStatementEnd() {
  if (token.startsLine || is(TokenKind::RightBrace) || is(TokenKind::End))
    return true;
  errorExpected("the end of the line");
  return false;
}

bool Parser::parseBlock(Block &block, Scope scope) {
  Nesting nesting(*this);
  SourceRange open = here();
  if (tooDeep() || !expect(TokenKind::LeftBrace, "'{'"))
    return false;
  unsigned braces = openBraces;
  while (!is(TokenKind::RightBrace)) {
    bool unindented = token.begin == 0 || text[token.begin - 1] == '\n';
    if (is(TokenKind::End) || (isItemStart() && unindented)) {
      errorNoClosingBrace(open);
      return false;
    }
    uint32_t start = token.begin;
    openBrackets = 0;
    StmtPtr statement = parseStatement(scope);
    bool complete = statement != nullptr;
    if (statement)
      block.statements.push_back(std::move(statement));
    if (complete && checkStatementEnd())
      continue;
    if (token.begin == start && !is(TokenKind::RightBrace))
      advance();
    skipToStatement(braces);
  }
  block.endComments = takeComments(token.begin);
  advance();
  block.range = rangeFrom(open);
  return true;
}

StmtPtr Parser::parseStatement(Scope scope) {
  Comments comments = takeLeadingComments();
  StmtPtr statement = parseStatementBody(scope);
  if (!statement)
    return nullptr;
  statement->comments = std::move(comments);
  finishComments(statement->comments);
  return statement;
}

StmtPtr Parser::parseStatementBody(Scope scope) {
  SourceRange start = here();
  StmtPtr statement;
  if (isStatementKeyword())
    statement = parseKeywordStatement(textOf(token), scope);
  else if (isItemStart()) {
    report(here(), describe(token) + " belongs to the top of the file, not into a body");
    return nullptr;
  } else if (is(TokenKind::LeftParen))
    statement = parseTupleAssignment();
  else
    statement = parseDefinitionOrAssignment();
  if (statement)
    statement->range = rangeFrom(start);
  if (statement && inGguf && !belongsToGguf(*statement)) {
    report(start, "this does not belong into a gguf block, which has 'config', 'checkpoint' and "
                  "statements of compile time");
    return nullptr;
  }
  return statement;
}

StmtPtr Parser::parseKeywordStatement(llvm::StringRef word, Scope scope) {
  if (word == "let")
    return parseLet();
  if (word == "dim")
    return parseDim();
  if (word == "input")
    return parseInput();
  if (word == "param")
    return parseParam();
  if (word == "buffer")
    return parseBuffer();
  if (word == "output")
    return parseOutput();
  if (word == "generate")
    return parseGenerate();
  if (word == "for")
    return parseFor();
  if (word == "if")
    return parseIf();
  if (word == "match")
    return parseMatch();
  if (word == "assert")
    return parseAssert();
  if (word == "return")
    return parseReturn();
  if (word == "checkpoint")
    return parseCheckpoint();
  if (word == "config")
    return parseConfig();
  if (scope == Scope::Model)
    return parseEntry();
  report(here(), "an entry belongs directly to a model");
  return nullptr;
}

StmtPtr Parser::reportUnknownStatement() {
  if (!is(TokenKind::Identifier) || isReserved(textOf(token))) {
    report(here(), "expected a statement, found " + describe(token));
    return nullptr;
  }
  std::string name = describe(token);
  if (ahead.kind == TokenKind::Colon || ahead.kind == TokenKind::LeftParen)
    report(here(), "the result of a call must be named: write 'x = " + textOf(token) +
                       (ahead.kind == TokenKind::Colon ? ": ...'" : "(...)'"));
  else if (ahead.kind == TokenKind::Dot)
    report(here(), "only a simple name can be defined, and " + name + " has a dot after it");
  else
    report(here(), "expected a statement, found " + name +
                       suggestion(textOf(token),
                                  llvm::SmallVector<llvm::StringRef>(std::begin(statementWords),
                                                                     std::end(statementWords))));
  return nullptr;
}
