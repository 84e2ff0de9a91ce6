//===- BodyParser.h - the statements of a function ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_SYNTAX_BODYPARSER_H
#define WEFT_LIB_EMULATOR_SYNTAX_BODYPARSER_H

#include "Syntax/Scopes.h"
#include "Syntax/TokenStream.h"

namespace weft::ptx {

class BodyParser {
public:
  /// The function has its parameters and results.
  BodyParser(TokenStream &tokens, const Module &module, Function &function);
  /// All behind the opening brace, the closing one included.
  bool parse();

private:
  bool parseStatement();
  bool parseDirective();
  bool parseRegisters();
  bool parseLocalVariable(Space space);
  bool parseInstruction();
  bool parseGuard(Instruction &instruction);
  bool parseCall(Instruction &call);
  bool parseCallList(Operand &list);
  bool parseOperands(Instruction &instruction);
  bool parseOperand(Operand &operand, unsigned depth);
  bool parseOperandList(Operand &list, char end, unsigned depth);
  bool parseAddress(Operand &operand, unsigned depth);
  bool parseNumber(Operand &operand);
  bool resolve(const Token &word, Operand &operand);
  bool resolveLabels();

  TokenStream &tokens;
  const Module &module;
  Function &function;
  Scopes scopes;
  std::vector<uint32_t> scopeOfInstruction;
};

} // namespace weft::ptx

#endif // WEFT_LIB_EMULATOR_SYNTAX_BODYPARSER_H
