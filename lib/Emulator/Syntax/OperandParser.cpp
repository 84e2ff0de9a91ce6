//===- OperandParser.cpp - what stands behind an opcode -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Syntax/BodyParser.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft::ptx;

// An address with coordinates in a list of operands: [map, {x, y}].
static constexpr unsigned deepestOperand = 3;
static constexpr uint64_t largestOffset = uint64_t(1) << 62;

bool BodyParser::parseNumber(Operand &operand) {
  bool negative = tokens.consume('-');
  if (tokens.peek().kind == TokenKind::Real && !negative) {
    Token token = tokens.take();
    operand.kind = OperandKind::Real;
    operand.value = int64_t(token.value);
    operand.realBits = token.realBits;
    return true;
  }
  if (tokens.peek().kind != TokenKind::Integer)
    return tokens.failHere("a number");
  uint64_t value = tokens.take().value;
  operand.kind = OperandKind::Integer;
  operand.value = int64_t(negative ? 0 - value : value);
  return true;
}

bool BodyParser::resolve(const Token &word, Operand &operand) {
  operand.name = word.text.str();
  if (word.text == "_") {
    operand.kind = OperandKind::Sink;
  } else if (auto found = scopes.find(word.text)) {
    operand.kind = found->first;
    operand.index = found->second;
  } else if (word.text.starts_with("%")) {
    operand.kind = OperandKind::Special; // known or not: who translates it says so
  } else if (module.findFunction(word.text) ||
             llvm::any_of(module.variables,
                          [&](const Variable &v) { return v.name == word.text; })) {
    operand.kind = OperandKind::Global;
  } else {
    operand.kind = OperandKind::Label;
  }
  return true;
}

bool BodyParser::parseOperandList(Operand &list, char end, unsigned depth) {
  list.kind = OperandKind::Vector;
  if (tokens.consume(end))
    return true;
  do {
    if (!parseOperand(list.parts.emplace_back(), depth + 1))
      return false;
  } while (tokens.consume(','));
  return tokens.expect(end);
}

// [base], [base+4], [base+-4], [4], [map, {x, y}]
bool BodyParser::parseAddress(Operand &operand, unsigned depth) {
  operand.kind = OperandKind::Address;
  if (!parseOperand(operand.parts.emplace_back(), depth + 1))
    return false;
  bool minus = tokens.peek().is('-');
  if (minus || tokens.consume('+')) {
    bool negative = tokens.consume('-');
    uint64_t offset;
    if (!tokens.expectInteger(offset, "an offset", largestOffset))
      return false;
    operand.value = negative ? -int64_t(offset) : int64_t(offset);
  }
  if (tokens.consume(',') && !parseOperand(operand.parts.emplace_back(), depth + 1))
    return false;
  return tokens.expect(']');
}

bool BodyParser::parseOperand(Operand &operand, unsigned depth) {
  if (depth > deepestOperand)
    return tokens.failHere("an operand of less depth");
  if (tokens.consume('{'))
    return parseOperandList(operand, '}', depth);
  if (tokens.consume('['))
    return parseAddress(operand, depth);
  operand.negated = tokens.consume('!');
  if (tokens.peek().kind != TokenKind::Word)
    return parseNumber(operand);
  if (!resolve(tokens.take(), operand))
    return false;
  if (tokens.consume('|')) {
    Operand first = std::move(operand);
    operand = Operand();
    operand.kind = OperandKind::Pair;
    operand.parts.push_back(std::move(first));
    return parseOperand(operand.parts.emplace_back(), depth + 1);
  }
  return true;
}
