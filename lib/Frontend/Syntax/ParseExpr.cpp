//===- ParseExpr.cpp - Expressions ----------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Precedence climbing over the table ast::Precedence. The body of a reduction is the whole product
// that follows it.
//
//===----------------------------------------------------------------------------------------===//

#include "OpenReductions.h"
#include "ParserImpl.h"

using namespace weft;
using namespace weft::ast;

/// The operator a token stands for; `^` is read elsewhere.
static std::optional<BinaryOp> binaryOperator(TokenKind kind, llvm::StringRef word) {
  switch (kind) {
  case TokenKind::QuestionQuestion:
    return BinaryOp::Coalesce;
  case TokenKind::Identifier:
    if (word == "or")
      return BinaryOp::Or;
    if (word == "and")
      return BinaryOp::And;
    return std::nullopt;
  case TokenKind::EqualEqual:
    return BinaryOp::Equal;
  case TokenKind::NotEqual:
    return BinaryOp::NotEqual;
  case TokenKind::Less:
    return BinaryOp::Less;
  case TokenKind::LessEqual:
    return BinaryOp::LessEqual;
  case TokenKind::Greater:
    return BinaryOp::Greater;
  case TokenKind::GreaterEqual:
    return BinaryOp::GreaterEqual;
  case TokenKind::Plus:
    return BinaryOp::Add;
  case TokenKind::Minus:
    return BinaryOp::Subtract;
  case TokenKind::Star:
    return BinaryOp::Multiply;
  case TokenKind::Slash:
    return BinaryOp::Divide;
  case TokenKind::SlashSlash:
    return BinaryOp::FloorDivide;
  case TokenKind::Percent:
    return BinaryOp::Modulo;
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

ExprPtr Parser::parseExpr() { return parseBinary(Precedence::Coalesce); }

ExprPtr Parser::parseProduct() { return parseBinary(Precedence::Product); }

ExprPtr Parser::parseHeaderExpr() {
  bool saved = std::exchange(noBraceAfterName, true);
  ExprPtr result = parseExpr();
  noBraceAfterName = saved;
  return result;
}

ExprPtr Parser::parseBinary(Precedence minimum) {
  SourceRange begin =
      here(); // before the parenthesis of `(a + b) * c`, which is no part of `a + b`
  ExprPtr lhs = parseUnary();
  bool compared = false, summed = false;
  OpenReductions reductions(diagnostics);
  while (lhs) {
    std::optional<BinaryOp> op = binaryOperator(token.kind, textOf(token));
    if (!op || precedence(*op) < minimum)
      return lhs;
    if (isComparison(*op) && std::exchange(compared, true)) {
      report(here(), "comparisons cannot be chained: write 'a < b and b < c'");
      return nullptr;
    }
    compared = isComparison(*op);
    auto binary = std::make_unique<BinaryExpr>(lhs->range);
    binary->op = *op;
    binary->opRange = here();
    advance();
    bool isSum = precedence(*op) == Precedence::Sum;
    if (isSum && !std::exchange(summed, true))
      reductions.addTerm(*lhs);
    binary->lhs = std::move(lhs);
    binary->rhs = parseBinary(next(precedence(*op)));
    if (!binary->rhs)
      return nullptr;
    if (isSum)
      reductions.addTerm(*binary->rhs, binary->opRange, spelling(*op));
    binary->range = rangeFrom(begin);
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
  unary->operand = minus ? parseUnary() : parseBinary(Precedence::Comparison);
  if (!unary->operand)
    return nullptr;
  unary->range = rangeFrom(unary->range);
  return finishNode(std::move(unary));
}

ExprPtr Parser::parsePower() {
  SourceRange begin = here();
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
  power->range = rangeFrom(begin);
  return finishNode(std::move(power));
}

ExprPtr Parser::parsePostfix() {
  SourceRange start = here();
  ExprPtr base = parsePrimary();
  while (base) {
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
