//===- ParseStmt.cpp - Definitions and control ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "weft/Support/NearestName.h"

using namespace weft;
using namespace weft::ast;

StmtPtr Parser::parseDefinitionOrAssignment() {
  bool defines = ahead.kind == TokenKind::Assign || ahead.kind == TokenKind::LeftBracket;
  if (!is(TokenKind::Identifier) || !defines)
    return reportUnknownStatement();
  SourceRange start = here();
  Definition definition;
  if (!parseDefinition(definition, "a statement", /*startsStatement=*/true))
    return nullptr;
  if (!definition.value) {
    errorExpected("'=' and a value", "an element alone is not a statement");
    return nullptr;
  }
  if (!definition.indices.empty()) {
    auto formula = std::make_unique<FormulaStmt>(start);
    formula->definition = std::move(definition);
    return formula;
  }
  auto assign = std::make_unique<AssignStmt>(start);
  assign->targets.push_back({definition.name.str(), definition.name.range});
  assign->value = std::move(definition.value);
  return assign;
}

StmtPtr Parser::parseTupleAssignment() {
  auto assign = std::make_unique<AssignStmt>(here());
  SourceRange open = here();
  advance();
  bool ok = parseList(TokenKind::RightParen, ")", open, [&] {
    return parseIdentifier(assign->targets.emplace_back(), "the name of a result");
  });
  if (ok && is(TokenKind::LeftBracket) && !token.startsLine)
    ok = parseIndices(assign->indices);
  if (!ok || !expect(TokenKind::Assign, "'=' and a call with several results"))
    return nullptr;
  if (assign->targets.empty()) {
    report(open, "'()' names no result");
    return nullptr;
  }
  assign->value = parseExpr();
  if (!assign->value)
    return nullptr;
  return assign;
}

//===----------------------------------------------------------------------------------------===//
// Control at compile time
//===----------------------------------------------------------------------------------------===//

StmtPtr Parser::parseFor() {
  auto loop = std::make_unique<ForStmt>(here());
  advance();
  if (!parseIdentifier(loop->variable, "the name of the loop variable") || !expectWord("in"))
    return nullptr;
  loop->from = parseHeaderExpr();
  if (!loop->from || !expect(TokenKind::DotDot, "'..'", "as in 'for l in 0..L'"))
    return nullptr;
  loop->to = parseHeaderExpr();
  if (!loop->to || !parseBlock(loop->body, Scope::Body))
    return nullptr;
  return loop;
}

StmtPtr Parser::parseIf() {
  Nesting nesting(*this); // a chain of `else if` is deep without blocks in blocks
  auto choice = std::make_unique<IfStmt>(here());
  if (tooDeep())
    return nullptr;
  advance();
  choice->condition = parseHeaderExpr();
  if (!choice->condition)
    return nullptr;
  if (isWord("then")) {
    report(here(), "an 'if' statement has a block: write '{' instead of 'then'");
    return nullptr;
  }
  if (!parseBlock(choice->thenBlock, Scope::Body))
    return nullptr;
  // In a `match` the next line may be the case `else => ...`.
  if (!isWord("else") || ahead.kind == TokenKind::Arrow)
    return choice;
  advance();
  choice->hasElse = true;
  if (!isWord("if")) {
    if (!parseBlock(choice->elseBlock, Scope::Body))
      return nullptr;
    return choice;
  }
  SourceRange start = here();
  StmtPtr inner = parseIf();
  if (!inner)
    return nullptr;
  inner->range = choice->elseBlock.range = rangeFrom(start);
  choice->elseBlock.statements.push_back(std::move(inner));
  return choice;
}

StmtPtr Parser::parseMatch() {
  Nesting nesting(*this);
  auto match = std::make_unique<MatchStmt>(here());
  if (tooDeep())
    return nullptr;
  advance();
  match->subject = parseHeaderExpr();
  SourceRange open = here();
  if (!match->subject || !expect(TokenKind::LeftBrace, "'{' and the cases"))
    return nullptr;
  bool ok = parseArms(open, [&](bool &isElse) {
    if (!parseMatchArm(*match))
      return false;
    isElse = match->arms.back().patterns.empty();
    return true;
  });
  if (!ok)
    return nullptr;
  match->endComments = takeComments(previousEnd);
  return match;
}

bool Parser::parseMatchArm(MatchStmt &match) {
  MatchStmt::Arm &arm = match.arms.emplace_back();
  arm.comments = takeLeadingComments();
  arm.range = here();
  if (!parsePatterns(arm.patterns))
    return false;
  arm.range = rangeFrom(arm.range);
  if (!expect(TokenKind::Arrow, "'=>'"))
    return false;
  if (is(TokenKind::LeftBrace))
    return parseBlock(arm.body, Scope::Body);
  SourceRange start = here();
  StmtPtr statement = parseStatement(Scope::Body);
  if (!statement)
    return false;
  arm.body.statements.push_back(std::move(statement));
  arm.body.range = rangeFrom(start);
  return true;
}

bool Parser::parsePatterns(std::vector<ExprPtr> &patterns) {
  if (acceptWord("else"))
    return true;
  do {
    bool literal = is(TokenKind::String) || is(TokenKind::Integer) || is(TokenKind::Real) ||
                   isWord("true") || isWord("false") || isWord("null");
    if (!literal) {
      report(here(), "expected a literal or 'else', found " + describe(token));
      return false;
    }
    patterns.push_back(parsePrimary());
    if (!patterns.back())
      return false;
  } while (accept(TokenKind::Pipe));
  return true;
}

bool Parser::parseArms(SourceRange open, llvm::function_ref<bool(bool &isElse)> arm) {
  bool elseSeen = false;
  for (bool first = true; !is(TokenKind::RightBrace); first = false) {
    if (is(TokenKind::End)) {
      errorNoClosingBrace(open);
      return false;
    }
    if (!first && !accept(TokenKind::Comma) && !token.startsLine) {
      errorExpected("',', the end of the line or '}'");
      return false;
    }
    if (!first && is(TokenKind::RightBrace))
      break;
    if (elseSeen) {
      report(here(), "a case after 'else' is never reached");
      return false;
    }
    if (!arm(elseSeen))
      return false;
  }
  advance();
  return true;
}

StmtPtr Parser::parseCheckpoint() {
  auto checkpoint = std::make_unique<CheckpointStmt>(here());
  advance();
  SourceRange open = here();
  advance();
  while (!is(TokenKind::RightBrace)) {
    if (is(TokenKind::End)) {
      errorNoClosingBrace(open);
      return nullptr;
    }
    CheckpointStmt::Rule &rule = checkpoint->rules.emplace_back();
    rule.comments = takeLeadingComments();
    if (!parseCheckpointRule(rule) || !checkStatementEnd())
      return nullptr;
    finishComments(rule.comments);
  }
  checkpoint->endComments = takeComments(token.begin);
  advance();
  return checkpoint;
}

bool Parser::parseCheckpointRule(CheckpointStmt::Rule &rule) {
  using Kind = CheckpointStmt::RuleKind;
  if (acceptWord("rename")) {
    rule.kind = Kind::Rename;
    return parseText(rule.pattern, "a pattern in quotes") &&
           expect(TokenKind::Arrow, "'=>' and the new name") &&
           parseText(rule.replacement, "the new name in quotes");
  }
  if (isWord("prefix") || isWord("ignore")) {
    rule.kind = isWord("prefix") ? Kind::Prefix : Kind::Ignore;
    advance();
    return parseText(rule.pattern, "a text in quotes");
  }
  std::string hint;
  if (is(TokenKind::Identifier))
    hint = suggestion(textOf(token), {"prefix", "rename", "ignore"});
  report(here(), "expected 'prefix', 'rename' or 'ignore', found " + describe(token) + hint);
  return false;
}

/// `config NAME = e` in a gguf block.
StmtPtr Parser::parseConfig() {
  auto config = std::make_unique<ConfigStmt>(here());
  advance();
  if (!parseDeclaredPath(config->path, "the name of a value of the configuration"))
    return nullptr;
  if (!config->path.isPlain()) {
    report(config->path.range, "the name of a value of the configuration cannot be computed");
    return nullptr;
  }
  if (!expect(TokenKind::Assign, "'=' and the value"))
    return nullptr;
  config->value = parseExpr();
  return config->value ? std::move(config) : nullptr;
}

StmtPtr Parser::parseAssert() {
  auto assertion = std::make_unique<AssertStmt>(here());
  advance();
  assertion->condition = parseExpr();
  if (!assertion->condition)
    return nullptr;
  if (accept(TokenKind::Comma)) {
    assertion->message = parseExpr();
    if (!assertion->message)
      return nullptr;
  }
  return assertion;
}

StmtPtr Parser::parseReturn() {
  auto result = std::make_unique<ReturnStmt>(here());
  advance();
  if (is(TokenKind::RightBrace)) {
    errorExpected("the value to return");
    return nullptr;
  }
  do {
    result->values.push_back(parseExpr());
    if (!result->values.back())
      return nullptr;
  } while (accept(TokenKind::Comma));
  return result;
}
