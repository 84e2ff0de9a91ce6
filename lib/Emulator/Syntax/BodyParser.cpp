//===- BodyParser.cpp - the statements of a function ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Syntax/BodyParser.h"
#include "Syntax/VariableParser.h"

#include "llvm/ADT/SmallVector.h"

using namespace weft::ptx;

// Far more than a kernel has; they bound the memory that a wrong text can ask for.
static constexpr uint32_t mostRegisters = 1 << 20;
static constexpr size_t deepestScope = 64;

BodyParser::BodyParser(TokenStream &tokens, const Module &module, Function &function)
    : tokens(tokens), module(module), function(function) {
  for (size_t index = 0; index < function.variables.size(); ++index)
    scopes.addName(function.variables[index].name, OperandKind::Variable, uint32_t(index));
}

bool BodyParser::parse() {
  for (;;) {
    if (tokens.consume('{')) {
      if (scopes.depth() == deepestScope)
        return tokens.failHere("at most " + llvm::Twine(deepestScope) + " nested braces");
      scopes.open();
    } else if (tokens.consume('}')) {
      if (!scopes.close())
        return resolveLabels();
    } else if (!parseStatement()) {
      return false;
    }
  }
}

bool BodyParser::parseStatement() {
  const Token &token = tokens.peek();
  if (token.is(';')) // what an empty line of inline assembly leaves
    return tokens.expect(';');
  if (token.is('@'))
    return parseInstruction();
  if (token.kind != TokenKind::Word)
    return tokens.failHere("an instruction");
  return token.text.starts_with(".") ? parseDirective() : parseInstruction();
}

bool BodyParser::parseDirective() {
  Token word = tokens.take();
  if (word.text == ".reg")
    return parseRegisters();
  if (std::optional<Space> space = findSpace(word.text))
    return parseLocalVariable(*space);
  if (word.text == ".pragma") {
    if (tokens.peek().kind != TokenKind::String)
      return tokens.failHere("a string");
    tokens.take();
    return tokens.expect(';');
  }
  if (word.text == ".loc") { // numbers and words on one line, without a semicolon
    while (tokens.peek().line == word.line && tokens.peek().kind != TokenKind::End)
      tokens.take();
    return true;
  }
  return tokens.fail(word.line, "unknown directive '" + word.text + "' in a function");
}

// .reg .b32 %r<5>, x;
bool BodyParser::parseRegisters() {
  Token word;
  if (!tokens.expectWord(word, "a type"))
    return false;
  std::optional<Type> type = word.text.consume_front(".") ? findType(word.text) : std::nullopt;
  if (!type)
    return tokens.fail(word.line, "unknown type of a register: '" + word.text + "'");
  do {
    if (!tokens.expectWord(word, "the name of a register"))
      return false;
    uint64_t count = 1;
    bool range = tokens.consume('<');
    uint32_t first = uint32_t(function.registers.size());
    if (range && (!tokens.expectInteger(count, "a number of registers", mostRegisters - first) ||
                  !tokens.expect('>')))
      return false;
    if (first + count > mostRegisters)
      return tokens.fail(word.line, "more than " + llvm::Twine(mostRegisters) + " registers");
    bool added = range ? scopes.addRange(word.text, uint32_t(count), first)
                       : scopes.addName(word.text, OperandKind::Register, first);
    if (!added)
      return tokens.fail(word.line, "'" + word.text + "' is declared twice");
    for (uint64_t i = 0; i < count; ++i)
      function.registers.push_back(
          {range ? (word.text + llvm::Twine(i)).str() : word.text.str(), *type});
  } while (tokens.consume(','));
  return tokens.expect(';');
}

bool BodyParser::parseLocalVariable(Space space) {
  Variable variable;
  if (!parseVariable(tokens, space, variable))
    return false;
  if (space == Space::Global || space == Space::Const || !variable.initial.empty())
    return tokens.fail(variable.line, "a function has .shared, .local and .param variables without "
                                      "initial values");
  if (!scopes.addName(variable.name, OperandKind::Variable, uint32_t(function.variables.size())))
    return tokens.fail(variable.line, "'" + variable.name + "' is declared twice");
  function.variables.push_back(std::move(variable));
  return tokens.expect(';');
}

bool BodyParser::parseGuard(Instruction &instruction) {
  if (!tokens.consume('@'))
    return true;
  bool negated = tokens.consume('!');
  Token word;
  if (!tokens.expectWord(word, "a predicate"))
    return false;
  auto found = scopes.find(word.text);
  if (!found || found->first != OperandKind::Register ||
      function.registers[found->second].type.kind != TypeKind::Predicate)
    return tokens.fail(word.line, "'" + word.text + "' is no predicate");
  instruction.guard = Guard{found->second, negated};
  return true;
}

bool BodyParser::parseInstruction() {
  Instruction instruction;
  Token word;
  if (!parseGuard(instruction) || !tokens.expectWord(word, "an instruction"))
    return false;
  if (!instruction.guard && tokens.consume(':')) {
    if (!scopes.addLabel(word.text, uint32_t(function.labels.size())))
      return tokens.fail(word.line, "label '" + word.text + "' is declared twice");
    function.labels.push_back({word.text.str(), function.body.size()});
    return true;
  }
  instruction.line = word.line;
  llvm::SmallVector<llvm::StringRef> parts;
  word.text.split(parts, '.');
  instruction.opcode = parts.front().str();
  for (llvm::StringRef modifier : llvm::ArrayRef(parts).drop_front())
    instruction.modifiers.push_back(modifier.str());
  bool parsed = instruction.opcode == "call" ? parseCall(instruction) : parseOperands(instruction);
  if (!parsed)
    return false;
  function.body.push_back(std::move(instruction));
  scopeOfInstruction.push_back(scopes.current());
  return true;
}

bool BodyParser::parseOperands(Instruction &instruction) {
  if (tokens.consume(';'))
    return true;
  do {
    Operand operand;
    if (!parseOperand(operand, 0))
      return false;
    instruction.operands.push_back(std::move(operand));
  } while (tokens.consume(','));
  return tokens.expect(';');
}

bool BodyParser::parseCallList(Operand &list) {
  list.kind = OperandKind::Vector;
  return !tokens.consume('(') || parseOperandList(list, ')', 0);
}

// call.uni (results), callee, (arguments);
bool BodyParser::parseCall(Instruction &call) {
  Operand results, arguments, callee;
  bool returns = tokens.peek().is('(');
  if (!parseCallList(results) || (returns && !tokens.expect(',')))
    return false;
  Token word;
  if (!tokens.expectWord(word, "the name of a function"))
    return false;
  if (!module.findFunction(word.text))
    return tokens.fail(word.line,
                       "call of '" + word.text + "', which is no function of the module");
  callee.kind = OperandKind::Global;
  callee.name = word.text.str();
  if (tokens.consume(',')) {
    if (!tokens.peek().is('('))
      return tokens.failHere("'('");
    if (!parseCallList(arguments))
      return false;
  } else {
    arguments.kind = OperandKind::Vector;
  }
  call.operands = {results, callee, arguments};
  return tokens.expect(';');
}

// Labels may stand behind the branches to them, so they are looked up at the end.
bool BodyParser::resolveLabels() {
  for (size_t i = 0; i < function.body.size(); ++i) {
    Instruction &instruction = function.body[i];
    for (Operand &operand : instruction.operands) {
      if (operand.kind != OperandKind::Label)
        continue;
      std::optional<uint32_t> label = scopes.findLabel(operand.name, scopeOfInstruction[i]);
      if (!label)
        return tokens.fail(instruction.line, "nothing is called '" + operand.name + "' here");
      operand.index = *label;
    }
  }
  return true;
}
