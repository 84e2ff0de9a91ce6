//===- ParseLiteral.cpp - Literals, brackets and choices ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace weft;
using namespace weft::ast;

ExprPtr Parser::parseInteger() {
  auto integer = std::make_unique<IntegerExpr>(here());
  if (textOf(token).getAsInteger(10, integer->value)) {
    if (llvm::all_of(textOf(token), [](char c) { return llvm::isDigit(c); }))
      report(here(), "the integer " + llvm::StringRef(describe(token)).trim('\'') +
                         " is too large: the largest is " + llvm::Twine(INT64_MAX));
    return nullptr; // otherwise the lexer has reported it
  }
  advance();
  return integer;
}

ExprPtr Parser::parseReal() {
  auto real = std::make_unique<RealExpr>(here());
  real->spelling = textOf(token).str();
  bool invalid = textOf(token).getAsDouble(real->value);
  if (invalid || !std::isfinite(real->value)) {
    if (!invalid)
      report(here(), "the number " + llvm::StringRef(describe(token)).trim('\'') + " is too large");
    return nullptr;
  }
  advance();
  return real;
}

ExprPtr Parser::parseString() {
  auto string = std::make_unique<StringExpr>(here());
  if (!unescape(token, string->value))
    return nullptr;
  advance();
  return string;
}

bool Parser::unescape(const Token &t, std::string &value) {
  llvm::StringRef quoted = textOf(t);
  if (quoted.size() < 2 || !quoted.ends_with("\""))
    return false; // not closed: the lexer has reported it
  llvm::StringRef inside = quoted.drop_front().drop_back();
  for (size_t i = 0; i < inside.size(); ++i) {
    char c = inside[i];
    SourceLocation place{file, static_cast<uint32_t>(t.begin + 1 + i)};
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      report(place, "a string cannot hold a control character: write '\\n' or '\\t'");
      return false;
    }
    if (c != '\\') {
      value += c;
      continue;
    }
    char escaped = i + 1 < inside.size() ? inside[++i] : '\0';
    size_t known = llvm::StringRef("\\\"nt").find(escaped);
    if (known == llvm::StringRef::npos) {
      report(place, "unknown escape in a string: only \\\\, \\\", \\n and \\t are known");
      return false;
    }
    value += "\\\"\n\t"[known];
  }
  return true;
}

ExprPtr Parser::parseParenthesized() {
  SourceRange open = here();
  advance();
  bool saved = std::exchange(noBraceAfterName, false);
  ExprPtr inner = parseExpr();
  noBraceAfterName = saved;
  if (!inner)
    return nullptr;
  if (is(TokenKind::Comma)) {
    report(here(), "an expression has one value: '(a, b)' stands only on the left of '='");
    return nullptr;
  }
  if (!expectClosing(TokenKind::RightParen, "')'", open))
    return nullptr;
  inner->parenthesized = true;
  return inner;
}

ExprPtr Parser::parseListExpr() {
  auto list = std::make_unique<ListExpr>(here());
  SourceRange open = here();
  advance();
  if (!parseBracketed(list->elements, TokenKind::RightBracket, "]", open))
    return nullptr;
  list->range = rangeFrom(open);
  return finishNode(std::move(list));
}

//===----------------------------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------------------------===//

ExprPtr Parser::parseIfExpr() {
  auto choice = std::make_unique<IfExpr>(here());
  advance();
  choice->condition = parseExpr();
  if (!choice->condition || !expectWord("then"))
    return nullptr;
  choice->thenValue = parseExpr();
  if (!choice->thenValue)
    return nullptr;
  if (!isWord("else")) {
    errorExpected("'else'", "an 'if' expression has a value in both cases");
    return nullptr;
  }
  advance();
  choice->elseValue = parseExpr();
  if (!choice->elseValue)
    return nullptr;
  choice->range = rangeFrom(choice->range);
  return finishNode(std::move(choice));
}

ExprPtr Parser::parseMatchExpr() {
  auto match = std::make_unique<MatchExpr>(here());
  advance();
  match->subject = parseHeaderExpr();
  SourceRange open = here();
  if (!match->subject || !expect(TokenKind::LeftBrace, "'{' and the cases"))
    return nullptr;
  bool saved = std::exchange(noBraceAfterName, false);
  bool ok = parseArms(open, [&](bool &isElse) {
    MatchExpr::Arm &arm = match->arms.emplace_back();
    arm.range = here();
    if (!parsePatterns(arm.patterns))
      return false;
    arm.range = rangeFrom(arm.range);
    isElse = arm.patterns.empty();
    if (!expect(TokenKind::Arrow, "'=>'"))
      return false;
    arm.value = parseExpr();
    return arm.value != nullptr;
  });
  noBraceAfterName = saved;
  if (!ok)
    return nullptr;
  match->range = rangeFrom(match->range);
  return finishNode(std::move(match));
}
