//===- FunctionState.h - a function on its way to LLVM IR -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_TRANSLATE_FUNCTIONSTATE_H
#define WEFT_LIB_EMULATOR_TRANSLATE_FUNCTIONSTATE_H

#include "Translate/KernelLayout.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace weft::emulator {

/// What the functions of a kernel share.
struct KernelState {
  const ptx::Module &module;
  const llvm::StringMap<uint64_t> &addresses; ///< of the module's .global and .const variables
  const KernelLayout &layout;
  llvm::Module &code;
  llvm::DenseMap<const ptx::Function *, llvm::Function *> functions{};
  bool meets = false;                  ///< a function of the machine was called that may wait
  std::vector<std::string> problems{}; ///< "LINE: error: ...", one for an instruction
};

/// The registers that products of warpgroups use: their places on the host are in a table, and each
/// has a state (FragmentRegister).
struct Fragments {
  llvm::DenseMap<uint32_t, uint32_t> numbers{}; ///< of registers, in the table
  std::vector<llvm::AllocaInst *> states{};
  llvm::AllocaInst *table = nullptr;
};

struct FunctionState {
  KernelState &kernel;
  const ptx::Function &source;
  llvm::Function *code;
  llvm::IRBuilder<> &builder;
  llvm::Value *thread; ///< ThreadRegisters *
  std::vector<llvm::AllocaInst *> registers{};
  Fragments fragments{};
  std::vector<llvm::BasicBlock *> labels{};
  /// Where variables of the function are: .local by their address in local memory, .param on the
  /// host.
  llvm::DenseMap<const ptx::Variable *, llvm::Value *> variables{};
  llvm::AllocaInst *carry = nullptr; ///< the condition code of add.cc
  uint64_t frameBytes = 0;           ///< of local memory
  size_t position = 0;               ///< of the instruction that is translated

  const ptx::Variable &variable(const ptx::Operand &operand) const {
    return source.variables[operand.index];
  }
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_TRANSLATE_FUNCTIONSTATE_H
