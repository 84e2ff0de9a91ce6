//===- ParseExpr.cpp - Expressions ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Precedence climbing. Weakest first: `??`, `or`, `and`, `not`, comparisons, `+ -`, `* / // %`,
// unary minus and reductions, `^`. The body of a reduction is the whole product that follows it.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace weft;
using namespace weft::ast;

namespace {
enum Level : int { AnyLevel = 1, ComparisonLevel = 5, ProductLevel = 7 };

struct Operator {
  BinaryOp op;
  int level;
};
} // namespace

static std::optional<Operator> binaryOperator(TokenKind kind, llvm::StringRef word) {
  switch (kind) {
  case TokenKind::QuestionQuestion:
    return Operator{BinaryOp::Coalesce, 1};
  case TokenKind::Identifier:
    if (word == "or")
      return Operator{BinaryOp::Or, 2};
    if (word == "and")
      return Operator{BinaryOp::And, 3};
    return std::nullopt;
  case TokenKind::EqualEqual:
    return Operator{BinaryOp::Equal, ComparisonLevel};
  case TokenKind::NotEqual:
    return Operator{BinaryOp::NotEqual, ComparisonLevel};
  case TokenKind::Less:
    return Operator{BinaryOp::Less, ComparisonLevel};
  case TokenKind::LessEqual:
    return Operator{BinaryOp::LessEqual, ComparisonLevel};
  case TokenKind::Greater:
    return Operator{BinaryOp::Greater, ComparisonLevel};
  case TokenKind::GreaterEqual:
    return Operator{BinaryOp::GreaterEqual, ComparisonLevel};
  case TokenKind::Plus:
    return Operator{BinaryOp::Add, 6};
  case TokenKind::Minus:
    return Operator{BinaryOp::Subtract, 6};
  case TokenKind::Star:
    return Operator{BinaryOp::Multiply, ProductLevel};
  case TokenKind::Slash:
    return Operator{BinaryOp::Divide, ProductLevel};
  case TokenKind::SlashSlash:
    return Operator{BinaryOp::FloorDivide, ProductLevel};
  case TokenKind::Percent:
    return Operator{BinaryOp::Modulo, ProductLevel};
  default:
    return std::nullopt;
  }
}

ExprPtr Parser::finishNode(ExprPtr node) {
  unsigned height = 0;
  forEachChild(*node, [&](const Expr &child) { height = std::max(height, child.height); });
  node->height = height + 1;
  if (node->height <= maxTreeHeight)
    return node;
  reportTooDeep(node->range.begin);
  return nullptr;
}

ExprPtr Parser::parseExpr() { return parseBinary(AnyLevel); }

ExprPtr Parser::parseProduct() { return parseBinary(ProductLevel); }

ExprPtr Parser::parseHeaderExpr() {
  bool saved = std::exchange(noBraceAfterName, true);
  ExprPtr result = parseExpr();
  noBraceAfterName = saved;
  return result;
}

ExprPtr Parser::parseBinary(int minimum) {
  ExprPtr lhs = parseUnary();
  bool compared = false;
  while (lhs) {
    std::optional<Operator> found = binaryOperator(token.kind, textOf(token));
    if (!found || found->level < minimum)
      return lhs;
    if (found->level == ComparisonLevel && std::exchange(compared, true)) {
      report(here(), "comparisons cannot be chained: write 'a < b and b < c'");
      return nullptr;
    }
    compared = found->level == ComparisonLevel;
    auto binary = std::make_unique<BinaryExpr>(lhs->range);
    binary->op = found->op;
    binary->opRange = here();
    advance();
    binary->lhs = std::move(lhs);
    binary->rhs = parseBinary(found->level + 1);
    if (!binary->rhs)
      return nullptr;
    binary->range = rangeFrom(binary->range);
    lhs = finishNode(std::move(binary));
  }
  return nullptr;
}

ExprPtr Parser::parseUnary() {
  Nesting nesting(*this);
  if (tooDeep())
    return nullptr;
  bool minus = is(TokenKind::Minus);
  if (!minus && !isWord("not"))
    return parsePower();
  auto unary = std::make_unique<UnaryExpr>(here());
  unary->op = minus ? UnaryOp::Negate : UnaryOp::Not;
  advance();
  unary->operand = minus ? parseUnary() : parseBinary(ComparisonLevel);
  if (!unary->operand)
    return nullptr;
  unary->range = rangeFrom(unary->range);
  return finishNode(std::move(unary));
}

ExprPtr Parser::parsePower() {
  ExprPtr base = parsePostfix();
  if (!base || !is(TokenKind::Caret))
    return base;
  auto power = std::make_unique<BinaryExpr>(base->range);
  power->op = BinaryOp::Power;
  power->opRange = here();
  advance();
  power->lhs = std::move(base);
  power->rhs = parseUnary(); // right associative, and `2 ^ -3` needs no parentheses
  if (!power->rhs)
    return nullptr;
  power->range = rangeFrom(power->range);
  return finishNode(std::move(power));
}

ExprPtr Parser::parsePostfix() {
  ExprPtr base = parsePrimary();
  while (base) {
    SourceRange start = base->range;
    if (is(TokenKind::LeftBracket) && !token.startsLine) {
      SourceRange open = here();
      advance();
      auto element = std::make_unique<ElementExpr>(start);
      element->base = std::move(base);
      if (is(TokenKind::RightBracket)) {
        report(here(), "an element needs at least one index");
        return nullptr;
      }
      if (!parseBracketed(element->indices, TokenKind::RightBracket, "]", open))
        return nullptr;
      base = std::move(element);
    } else if (is(TokenKind::Dot) && !token.spaceBefore) {
      advance();
      auto member = std::make_unique<MemberExpr>(start);
      member->base = std::move(base);
      if (!is(TokenKind::Identifier)) {
        errorExpected("a name after '.'");
        return nullptr;
      }
      member->member = {textOf(token).str(), here()};
      advance();
      base = std::move(member);
    } else {
      return base;
    }
    base->range = rangeFrom(start);
    base = finishNode(std::move(base));
  }
  return nullptr;
}

/// Expressions up to `close`. Inside brackets a name may have a brace right after it again.
bool Parser::parseBracketed(std::vector<ExprPtr> &elements, TokenKind close,
                            llvm::StringRef closeText, SourceRange open) {
  bool saved = std::exchange(noBraceAfterName, false);
  bool ok = parseList(close, closeText, open,
                      [&] { return (elements.emplace_back(parseExpr())) != nullptr; });
  noBraceAfterName = saved;
  return ok;
}

ExprPtr Parser::parsePrimary() {
  switch (token.kind) {
  case TokenKind::Integer:
    return parseInteger();
  case TokenKind::Real:
    return parseReal();
  case TokenKind::String:
    return parseString();
  case TokenKind::LeftParen:
    return parseParenthesized();
  case TokenKind::LeftBracket:
    return parseListExpr();
  case TokenKind::LeftBrace:
    if (!noBraceAfterName)
      return parseNameOrCall();
    break;
  case TokenKind::Identifier:
    return parseWord();
  default:
    break;
  }
  errorExpected("an expression");
  return nullptr;
}

/// An expression that begins with a word: a literal, `if`, `match` or a name.
ExprPtr Parser::parseWord() {
  llvm::StringRef word = textOf(token);
  if (word == "if")
    return parseIfExpr();
  if (word == "match")
    return parseMatchExpr();
  if (word == "null") {
    auto null = std::make_unique<NullExpr>(here());
    advance();
    return null;
  }
  if (word == "true" || word == "false") {
    auto literal = std::make_unique<BoolExpr>(here());
    literal->value = word == "true";
    advance();
    return literal;
  }
  // A name at the start of a line that begins a statement is no part of this one.
  if (isReserved(word) || (openBrackets == 0 && isStatementStart())) {
    errorExpected("an expression");
    return nullptr;
  }
  return parseNameOrCall();
}
