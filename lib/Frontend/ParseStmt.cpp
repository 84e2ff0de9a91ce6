//===- ParseStmt.cpp - Statements -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A statement ends with its line. `input`, `output`, `generate` and `entry` are ordinary names
// unless a statement begins with them.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace weft;
using namespace weft::ast;

static constexpr llvm::StringLiteral statementWords[] = {
    "let", "dim", "input", "param",  "buffer", "output", "generate",
    "for", "if",  "match", "assert", "return", "entry",  "checkpoint"};

//===----------------------------------------------------------------------===//
// Blocks and recovery
//===----------------------------------------------------------------------===//

/// True if the current token is a word that begins a statement here, and not a name that is
/// defined.
bool Parser::isStatementKeyword() const {
  if (!is(TokenKind::Identifier) || !llvm::is_contained(statementWords, textOf(token)))
    return false;
  if (isReserved(textOf(token)))
    return true;
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
  if (isStatementKeyword() || isItemStart())
    return true;
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
  if (scope == Scope::Model)
    return parseEntry();
  report(here(), "an entry belongs directly to a model");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Declarations of values
//===----------------------------------------------------------------------===//

StmtPtr Parser::parseLet() {
  auto let = std::make_unique<LetStmt>(here());
  advance();
  do {
    LetStmt::Binding &binding = let->bindings.emplace_back();
    if (!parseIdentifier(binding.name, "a name after 'let'") ||
        !expect(TokenKind::Assign, "'=' and the value"))
      return nullptr;
    binding.value = parseExpr();
    if (!binding.value)
      return nullptr;
  } while (accept(TokenKind::Comma));
  return let;
}

StmtPtr Parser::parseDim() {
  auto dim = std::make_unique<DimStmt>(here());
  advance();
  do {
    DimStmt::Dimension &dimension = dim->dimensions.emplace_back();
    if (!parseIdentifier(dimension.name, "the name of a dimension"))
      return nullptr;
    dimension.bounded = is(TokenKind::LessEqual);
    if (!accept(TokenKind::LessEqual) &&
        !expect(TokenKind::Assign, "'= SIZE' (known at compile time) or '<= BOUND' (at run time)"))
      return nullptr;
    dimension.value = parseExpr();
    if (!dimension.value)
      return nullptr;
  } while (accept(TokenKind::Comma));
  return dim;
}

StmtPtr Parser::parseInput() {
  auto result = std::make_unique<InputStmt>(here());
  advance();
  do {
    InputStmt::Input &input = result->inputs.emplace_back();
    if (!parseIdentifier(input.name, "the name of an input"))
      return nullptr;
    if (is(TokenKind::LeftBracket) && !parseIndices(input.indices))
      return nullptr;
    if (!expect(TokenKind::Colon, "':' and a type", "as in 'input ids: int[T]'") ||
        !parseType(input.type))
      return nullptr;
    if (accept(TokenKind::Assign)) {
      input.defaultValue = parseExpr();
      if (!input.defaultValue)
        return nullptr;
    }
  } while (accept(TokenKind::Comma));
  return result;
}

StmtPtr Parser::parseParam() {
  auto result = std::make_unique<ParamStmt>(here());
  advance();
  do {
    if (!parseParamEntry(result->params.emplace_back()))
      return nullptr;
  } while (accept(TokenKind::Comma));
  return result;
}

bool Parser::parseParamEntry(ParamStmt::Param &param) {
  SourceRange start = here();
  if (!is(TokenKind::Identifier) && !is(TokenKind::LeftBrace)) {
    errorExpected("the name of a parameter");
    return false;
  }
  if (!parsePath(param.name) ||
      !expect(TokenKind::Colon, "':' and a type", "as in 'param w: [D, F]'") ||
      !parseType(param.type))
    return false;
  if (!token.startsLine && acceptWord("as") && !parseIdentifier(param.alias, "a name after 'as'"))
    return false;
  if (!token.startsLine && acceptWord("tied")) {
    if (!is(TokenKind::Identifier)) {
      errorExpected("the name of a parameter after 'tied'");
      return false;
    }
    auto name = std::make_unique<NameExpr>(here());
    if (!parsePath(name->path))
      return false;
    name->range = name->path.range;
    param.tied = finishNode(std::move(name));
    if (!param.tied)
      return false;
  }
  param.range = rangeFrom(start);
  return true;
}

bool Parser::parseType(TensorType &type) {
  SourceRange start = here();
  bool named = true;
  if (acceptWord("int"))
    type.element = ElementKind::Int;
  else if (acceptWord("bool"))
    type.element = ElementKind::Bool;
  else
    named = acceptWord("real");
  if (is(TokenKind::LeftBracket) && !(named && token.startsLine)) {
    SourceRange open = here();
    advance();
    if (!parseBracketed(type.dims, TokenKind::RightBracket, "]", open))
      return false;
  } else if (!named) {
    std::string hint;
    if (is(TokenKind::Identifier))
      hint = suggestion(textOf(token), {"int", "real", "bool"});
    report(here(), "expected a type, '[T, D]', 'int[T]', 'bool[T]' or 'real', found " +
                       describe(token) + hint);
    return false;
  }
  type.range = rangeFrom(start);
  return true;
}

StmtPtr Parser::parseBuffer() {
  auto buffer = std::make_unique<BufferStmt>(here());
  advance();
  if (!parseDefinition(buffer->definition, "the name of a buffer"))
    return nullptr;
  if (!buffer->definition.value) {
    errorExpected("'=' and the value of the buffer");
    return nullptr;
  }
  return buffer;
}

StmtPtr Parser::parseOutput() {
  auto output = std::make_unique<OutputStmt>(here());
  advance();
  if (!parseDefinition(output->definition, "the name of an output"))
    return nullptr;
  if (!output->definition.value && !output->definition.indices.empty()) {
    errorExpected("'=' and the value of the output");
    return nullptr;
  }
  return output;
}

StmtPtr Parser::parseGenerate() {
  auto generate = std::make_unique<GenerateStmt>(here());
  advance();
  if (!parseIdentifier(generate->output, "the name of an output") || !expectWord("over") ||
      !parseIdentifier(generate->dimension, "the dimension along which to generate"))
    return nullptr;
  return generate;
}

/// `name`, `name = e` or `name[i, j] = e`; without '=' the value is null.
bool Parser::parseDefinition(Definition &definition, llvm::StringRef what, bool startsStatement) {
  if (!parseIdentifier(definition.name, what, startsStatement))
    return false;
  if (is(TokenKind::LeftBracket) && !token.startsLine && !parseIndices(definition.indices))
    return false;
  if (!is(TokenKind::Assign))
    return true;
  advance();
  definition.value = parseExpr();
  return definition.value != nullptr;
}

bool Parser::parseIndices(std::vector<Binder> &indices) {
  SourceRange open = here();
  advance();
  if (is(TokenKind::RightBracket)) {
    report(here(), "a formula needs at least one index: write 'y = ...' for a whole tensor");
    return false;
  }
  return parseList(TokenKind::RightBracket, "]", open, [&] {
    Binder &binder = indices.emplace_back();
    if (!is(TokenKind::Identifier)) {
      report(here(), "expected the name of an index, found " + describe(token) +
                         ": a formula defines every element at once");
      return false;
    }
    if (!parseIdentifier(binder.name, "the name of an index"))
      return false;
    if (!accept(TokenKind::Colon))
      return true;
    binder.range = parseExpr();
    return binder.range != nullptr;
  });
}

//===----------------------------------------------------------------------===//
// Definitions and assignments
//===----------------------------------------------------------------------===//

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
  assign->targets.push_back(std::move(definition.name));
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

//===----------------------------------------------------------------------===//
// Control at compile time
//===----------------------------------------------------------------------===//

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
