//===- ParseName.cpp - Names and calls ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace weft;
using namespace weft::ast;

bool Parser::parsePath(Path &path) {
  SourceRange start = here();
  bool glue = !noBraceAfterName;
  if (is(TokenKind::LeftBrace))
    glue = true;
  do {
    if (!parseSegment(path.segments.emplace_back(), glue))
      return false;
    if (!is(TokenKind::Dot) || token.spaceBefore)
      break;
    advance();
    if (token.spaceBefore) {
      errorExpected("a name right after '.'");
      return false;
    }
  } while (true);
  path.range = rangeFrom(start);
  return true;
}

/// A word, `{expr}` or `{name: expr}`, and while `glue` allows it more of them without a space
/// between.
bool Parser::parseSegment(Path::Segment &segment, bool glue) {
  do {
    SourceRange start = here();
    unsigned outer = openBraces;
    if (is(TokenKind::Identifier)) {
      segment.pieces.push_back({textOf(token).str(), nullptr, start});
      advance();
    } else if (accept(TokenKind::LeftBrace)) {
      bool saved = std::exchange(noBraceAfterName, false);
      Identifier number; // of a stack, `{e: E}`
      bool isStack = is(TokenKind::Identifier) && ahead.kind == TokenKind::Colon;
      bool ok = !isStack || parseIdentifier(number, "the name of a number");
      if (isStack && ok)
        advance();
      ExprPtr expr = ok ? parseExpr() : nullptr;
      noBraceAfterName = saved;
      if (!expr || !expectClosing(TokenKind::RightBrace, "'}'", start)) {
        openBraces = outer; // a block does not end here
        return false;
      }
      segment.pieces.push_back({std::move(number.text), std::move(expr), rangeFrom(start)});
    } else {
      errorExpected("a name");
      return false;
    }
    bool word = is(TokenKind::Identifier) && segment.pieces.back().expr;
    if (token.spaceBefore || !glue || !(word || is(TokenKind::LeftBrace)))
      return true;
  } while (true);
}

ExprPtr Parser::parseNameOrCall() {
  bool callFollows = ahead.kind == TokenKind::LeftParen && !ahead.startsLine;
  if (is(TokenKind::Identifier) && callFollows)
    if (std::optional<ReductionKind> kind = reductionNamed(textOf(token)))
      return parseReductionOrCall(*kind);
  bool nameFirst = is(TokenKind::Identifier);
  Path path;
  if (!parsePath(path))
    return nullptr;
  if (is(TokenKind::Colon))
    return parseScopedCall(std::move(path));
  if (!nameFirst) {
    errorExpected("':' and a call", "only a scope can begin with '{'");
    return nullptr;
  }
  if (is(TokenKind::LeftParen) && !token.startsLine)
    return parseCall(std::move(path));
  auto name = std::make_unique<NameExpr>(path.range);
  name->path = std::move(path);
  return finishNode(std::move(name));
}

//===----------------------------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------------------------===//

ExprPtr Parser::parseScopedCall(Path scope) {
  auto scoped = std::make_unique<ScopedCallExpr>(scope.range);
  advance();
  if (!is(TokenKind::Identifier) || isReserved(textOf(token))) {
    errorExpected("the module called under '" + scope.str() + "'");
    return nullptr;
  }
  Path callee;
  if (!parsePath(callee))
    return nullptr;
  if (!is(TokenKind::LeftParen) || token.startsLine) {
    errorExpected("'('", "'" + scope.str() + ":' stands before the call of a module");
    return nullptr;
  }
  ExprPtr call = parseCall(std::move(callee));
  if (!call)
    return nullptr;
  scoped->scope = std::move(scope);
  scoped->call.reset(llvm::cast<CallExpr>(call.release()));
  scoped->range = rangeFrom(scoped->scope.range);
  return finishNode(std::move(scoped));
}

ExprPtr Parser::parseCall(Path callee) {
  auto call = std::make_unique<CallExpr>(callee.range);
  call->callee = std::move(callee);
  bool saved = std::exchange(noBraceAfterName, false);
  bool ok = parseArguments(*call);
  noBraceAfterName = saved;
  if (!ok || (startsOperand() && isMisspeltReduction(call->callee)))
    return nullptr;
  call->range = rangeFrom(call->callee.range);
  return finishNode(std::move(call));
}

bool Parser::parseArguments(CallExpr &call) {
  SourceRange open = here();
  advance();
  return parseList(TokenKind::RightParen, ")", open, [&] {
    Argument &argument = call.arguments.emplace_back();
    if (is(TokenKind::Identifier) && ahead.kind == TokenKind::Assign) {
      if (!parseIdentifier(argument.keyword, "the name of an argument"))
        return false;
      advance();
    } else if (call.arguments.size() > 1 &&
               !call.arguments[call.arguments.size() - 2].keyword.text.empty()) {
      report(here(), "an argument without a name cannot follow one with a name");
      return false;
    }
    argument.value = parseExpr();
    return argument.value && !(isWord("where") && isMisspeltReduction(call.callee));
  });
}
