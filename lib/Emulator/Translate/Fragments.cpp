//===- Fragments.cpp - registers that products of warpgroups use ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Fragments.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

// D, and A if it is in registers.
static std::vector<uint32_t> findRegisters(const FunctionState &function) {
  std::vector<uint32_t> found;
  llvm::DenseSet<uint32_t> known;
  for (const ptx::Instruction &instruction : function.source.body) {
    if (instruction.opcode != "wgmma")
      continue;
    for (const ptx::Operand &operand : llvm::ArrayRef(instruction.operands).take_front(2))
      for (const ptx::Operand &part : operand.parts)
        if (operand.kind == ptx::OperandKind::Vector && part.kind == ptx::OperandKind::Register &&
            known.insert(part.index).second)
          found.push_back(part.index);
  }
  return found;
}

Fragments weft::emulator::makeFragments(FunctionState &function) {
  llvm::IRBuilder<> &builder = function.builder;
  std::vector<uint32_t> registers = findRegisters(function);
  Fragments fragments;
  if (registers.empty())
    return fragments;
  llvm::Type *pointer = builder.getPtrTy();
  fragments.table = builder.CreateAlloca(llvm::ArrayType::get(pointer, 2 * registers.size()));
  for (uint32_t i = 0; i < registers.size(); ++i) {
    llvm::AllocaInst *state = builder.CreateAlloca(builder.getInt64Ty());
    builder.CreateStore(builder.getInt64(0), state);
    auto put = [&](Value *value, uint32_t place) {
      builder.CreateStore(value, builder.CreateConstGEP1_64(pointer, fragments.table, place));
    };
    put(function.registers[registers[i]], 2 * i);
    put(state, 2 * i + 1);
    fragments.numbers[registers[i]] = i;
    fragments.states.push_back(state);
  }
  return fragments;
}
