//===- ParseReduction.cpp - Reductions ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `max(a, b)` is a call and `max(s) x[s]` a reduction: which one is decided by what follows the
// closing parenthesis.
//
//===----------------------------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "weft/Support/NearestName.h"

using namespace weft;
using namespace weft::ast;

/// What stands between the parentheses of a reduction, or of a call of `max` or `min`.
struct Parser::ReductionArguments {
  struct Item {
    ExprPtr value; ///< a NameExpr if the item is an index
    ExprPtr range; ///< `u: 16`
  };
  std::vector<Item> items;
  ExprPtr predicate;
  SourceRange range; ///< with the parentheses
};

/// The identifier an expression consists of, or null.
static const Path *asIdentifier(const ExprPtr &expr) {
  auto *name = llvm::dyn_cast<NameExpr>(expr.get());
  return name && name->path.isIdentifier() ? &name->path : nullptr;
}

bool Parser::parseReductionArguments(ReductionArguments &arguments) {
  SourceRange open = here();
  advance();
  bool saved = std::exchange(noBraceAfterName, false);
  bool ok = parseList(TokenKind::RightParen, ")", open, [&] {
    if (arguments.predicate) {
      report(here(), "the condition after 'where' comes last");
      return false;
    }
    ReductionArguments::Item &item = arguments.items.emplace_back();
    if (is(TokenKind::Identifier) && ahead.kind == TokenKind::Colon) {
      Identifier name;
      if (!parseIdentifier(name, "the name of an index"))
        return false;
      auto index = std::make_unique<NameExpr>(name.range);
      index->path.segments.emplace_back().pieces.push_back({name.text, nullptr, name.range});
      index->path.range = name.range;
      item.value = std::move(index);
      advance();
      item.range = parseExpr();
      if (!item.range)
        return false;
    } else {
      item.value = parseExpr();
      if (!item.value)
        return false;
    }
    if (acceptWord("where")) {
      arguments.predicate = parseExpr();
      return arguments.predicate != nullptr;
    }
    return true;
  });
  noBraceAfterName = saved;
  arguments.range = rangeFrom(open);
  return ok;
}

/// Whether `max(...)` or `min(...)` is a reduction of what follows.
bool Parser::startsReductionBody(const ReductionArguments &arguments) const {
  if (arguments.predicate)
    return true;
  for (const ReductionArguments::Item &item : arguments.items)
    if (item.range)
      return true;
  for (const ReductionArguments::Item &item : arguments.items)
    if (!asIdentifier(item.value))
      return false;
  if (arguments.items.size() == 1)
    return true; // the largest of one number is no call
  return startsOperand();
}

/// Whether an operand stands where, after a call, none can.
bool Parser::startsOperand() const {
  if (token.startsLine)
    return false;
  if (is(TokenKind::Identifier)) {
    llvm::StringRef word = textOf(token);
    return !isReserved(word) || word == "if" || word == "not" || word == "match";
  }
  return is(TokenKind::Integer) || is(TokenKind::Real) || is(TokenKind::LeftParen);
}

/// What looks like the call of `callee` goes on as only a reduction does, with a condition or an
/// operand: true, after an error, if a reduction has nearly that name.
bool Parser::isMisspeltReduction(const Path &callee) {
  std::string hint = suggestion(callee.str(), reductionNames());
  if (hint.empty())
    return false;
  report(callee.range, "'" + callee.str() + "' is no reduction" + hint);
  return true;
}

ExprPtr Parser::parseReductionOrCall(ReductionKind kind) {
  SourceRange name = here();
  advance();
  ReductionArguments arguments;
  if (!parseReductionArguments(arguments))
    return nullptr;
  bool either = kind == ReductionKind::Max || kind == ReductionKind::Min;
  if (either && !startsReductionBody(arguments))
    return finishCall(name, arguments);
  return finishReduction(kind, name, arguments);
}

ExprPtr Parser::finishCall(SourceRange name, ReductionArguments &arguments) {
  auto call = std::make_unique<CallExpr>(name);
  call->callee.range = name;
  call->callee.segments.emplace_back().pieces.push_back(
      {text.slice(name.begin.offset, name.end).str(), nullptr, name});
  for (ReductionArguments::Item &item : arguments.items)
    call->arguments.push_back({{}, std::move(item.value)});
  call->range = rangeFrom(name);
  return finishNode(std::move(call));
}

ExprPtr Parser::finishReduction(ReductionKind kind, SourceRange start,
                                ReductionArguments &arguments) {
  auto reduction = std::make_unique<ReductionExpr>(start);
  reduction->reduction = kind;
  if (!toBinders(kind, arguments, reduction->binders, reduction->rank))
    return nullptr;
  reduction->predicate = std::move(arguments.predicate);
  reduction->body = parseProduct();
  if (!reduction->body)
    return nullptr;
  reduction->range = rangeFrom(start);
  return finishNode(std::move(reduction));
}

/// Turns the items into indices (and the rank of `argtop`), or says what is wrong with them.
bool Parser::toBinders(ReductionKind kind, ReductionArguments &arguments,
                       std::vector<Binder> &binders, ExprPtr &rank) {
  llvm::StringRef name = spelling(kind);
  if (kind == ReductionKind::ArgTop) {
    if (arguments.items.size() != 2 || arguments.items[1].range) {
      report(arguments.range, "'argtop' takes an index and a rank, as in 'argtop(e, j) score[e]'");
      return false;
    }
    rank = std::move(arguments.items[1].value);
    arguments.items.pop_back();
  }
  if (arguments.items.empty()) {
    report(arguments.range,
           "'" + name + "' needs an index to run over, as in '" + name + "(i) x[i]'");
    return false;
  }
  for (ReductionArguments::Item &item : arguments.items) {
    const Path *path = asIdentifier(item.value);
    if (!path) {
      report(item.value->range, "'" + name + "' runs over indices, as in '" + name +
                                    "(i) x[i]', and this is not the name of one");
      return false;
    }
    binders.push_back({{path->str(), path->range}, std::move(item.range)});
  }
  return true;
}
