//===- ParseDeclaration.cpp - Statements that declare ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "weft/Support/NearestName.h"

using namespace weft;
using namespace weft::ast;

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
    if (!parseDeclaredPath(input.name, "the name of an input"))
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

/// How elements are stored: `bf16`; one of the words for what they are says the usual type.
bool Parser::acceptElementType(ElementType &element) {
  bool isByte = acceptWord("byte");
  if (isByte || acceptWord("word")) {
    element = isByte ? ElementType::U8 : ElementType::I32;
    return true;
  }
  for (const ElementTypeInfo &info : elementTypes())
    if (info.isStored() && acceptWord(info.name)) {
      element = info.type;
      return true;
    }
  return false;
}

bool Parser::parseType(TensorType &type) {
  SourceRange start = here();
  bool named = acceptElementType(type.element);
  if (is(TokenKind::LeftBracket) && !(named && token.startsLine)) {
    SourceRange open = here();
    advance();
    if (!parseBracketed(type.dims, TokenKind::RightBracket, "]", open))
      return false;
  } else if (!named) {
    std::string hint;
    if (is(TokenKind::Identifier))
      hint = suggestion(textOf(token), elementTypeNames());
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
  if (!parseDeclaredPath(output->definition.name, "the name of an output") ||
      !parseDefinedIndices(output->definition) || !parseOutputType(*output) ||
      !parseAssignedValue(output->definition))
    return nullptr;
  if (!output->definition.value && !output->definition.indices.empty()) {
    errorExpected("'=' and the value of the output");
    return nullptr;
  }
  return output;
}

/// How the elements of an output are stored: `: bf16`.
bool Parser::parseOutputType(OutputStmt &output) {
  if (!accept(TokenKind::Colon))
    return true;
  SourceRange start = here();
  ElementType element;
  if (!acceptElementType(element)) {
    std::string hint;
    if (is(TokenKind::Identifier))
      hint = suggestion(textOf(token), elementTypeNames());
    report(start,
           "expected how the elements are stored, as in ': bf16', found " + describe(token) + hint);
    return false;
  }
  output.element = element;
  output.elementRange = rangeFrom(start);
  if (is(TokenKind::LeftBracket) && !token.startsLine) {
    report(here(), "the dimensions of an output are those of its value");
    return false;
  }
  return true;
}

StmtPtr Parser::parseGenerate() {
  auto generate = std::make_unique<GenerateStmt>(here());
  advance();
  if (!parseIdentifier(generate->output, "the name of an output") || !expectWord("over") ||
      !parseIdentifier(generate->dimension, "the dimension along which to generate"))
    return nullptr;
  return generate;
}

/// A name that may have dots and `{e}` in it, but no `{e}` in front.
bool Parser::parseDeclaredPath(Path &path, llvm::StringRef what) {
  if (ahead.kind == TokenKind::Dot || ahead.kind == TokenKind::LeftBrace)
    return parsePath(path);
  Identifier name;
  if (!parseIdentifier(name, what))
    return false;
  path = Path(std::move(name));
  return true;
}

/// `name`, `name = e` or `name[i, j] = e`; without '=' the value is null.
bool Parser::parseDefinition(Definition &definition, llvm::StringRef what, bool startsStatement) {
  Identifier name;
  if (!parseIdentifier(name, what, startsStatement))
    return false;
  definition.name = Path(std::move(name));
  return parseDefinedValue(definition);
}

/// What follows the name of a definition.
bool Parser::parseDefinedValue(Definition &definition) {
  return parseDefinedIndices(definition) && parseAssignedValue(definition);
}

bool Parser::parseDefinedIndices(Definition &definition) {
  return !is(TokenKind::LeftBracket) || token.startsLine || parseIndices(definition.indices);
}

bool Parser::parseAssignedValue(Definition &definition) {
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
