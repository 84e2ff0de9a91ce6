//===- Control.cpp - branches, calls and ends -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Emitter.h"

#include <cstddef>

using namespace weft;
using namespace weft::emulator;
using llvm::BasicBlock;
using llvm::Value;

// A loop could go on for ever, or wait for another thread: after some rounds the machine is asked.
static void emitStep(Emitter &e) {
  llvm::IRBuilder<> &b = e.builder;
  llvm::Type *wide = b.getInt64Ty();
  Value *counter =
      b.CreateConstGEP1_64(b.getInt8Ty(), e.thread(), offsetof(ThreadRegisters, stepsLeft));
  Value *left = b.CreateSub(b.CreateLoad(wide, counter), b.getInt64(1));
  b.CreateStore(left, counter);
  BasicBlock *ask = BasicBlock::Create(b.getContext(), "", e.function.code);
  BasicBlock *go = BasicBlock::Create(b.getContext(), "", e.function.code);
  b.CreateCondBr(b.CreateICmpSLE(left, b.getInt64(0)), ask, go);
  b.SetInsertPoint(ask);
  e.call("step", b.getVoidTy(), {e.thread(), e.line()});
  b.CreateBr(go);
  b.SetInsertPoint(go);
}

static void emitBranch(Emitter &e) {
  e.modifiers.take("uni");
  if (!e.expect(1))
    return;
  if (e.operand(0).kind != ptx::OperandKind::Label)
    return e.fail("a label is expected");
  uint32_t label = e.operand(0).index;
  if (e.function.source.labels[label].position <= e.function.position)
    emitStep(e);
  e.builder.CreateBr(e.function.labels[label]);
}

static void emitReturn(Emitter &e) {
  e.modifiers.take("uni");
  if (!e.expect(0))
    return;
  if (e.instruction.opcode == "exit" && !e.function.source.isEntry)
    return e.fail("only a kernel may end a thread");
  if (e.function.frameBytes)
    e.call("leave", e.builder.getVoidTy(), {e.thread(), e.builder.getInt64(e.function.frameBytes)});
  e.builder.CreateRetVoid();
}

static void emitTrap(Emitter &e) {
  if (e.expect(0))
    e.call("trap", e.builder.getVoidTy(), {e.thread(), e.line()});
}

// Parameters and results are passed where the caller has them.
static bool pushArguments(Emitter &e, const ptx::Operand &list,
                          llvm::ArrayRef<ptx::Variable> expected, std::vector<Value *> &arguments) {
  if (list.parts.size() != expected.size()) {
    e.fail(llvm::Twine(list.parts.size()) + " arguments or results where the function has " +
           llvm::Twine(expected.size()));
    return false;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const ptx::Operand &part = list.parts[i];
    Value *place = part.kind == ptx::OperandKind::Variable
                       ? e.function.variables.lookup(&e.function.variable(part))
                       : nullptr;
    if (!place || e.function.variable(part).space != ptx::Space::Param ||
        e.function.variable(part).bytes != expected[i].bytes) {
      e.fail("a .param variable of " + llvm::Twine(expected[i].bytes) + " bytes is expected");
      return false;
    }
    arguments.push_back(place);
  }
  return true;
}

static void emitCall(Emitter &e) {
  e.modifiers.take("uni");
  const ptx::Function *callee = e.function.kernel.module.findFunction(e.operand(1).name);
  llvm::Function *code = e.function.kernel.functions.lookup(callee);
  if (!code || callee->isEntry)
    return e.fail("only functions of the module that are no kernels can be called");
  std::vector<Value *> arguments = {e.thread()};
  if (pushArguments(e, e.operand(2), callee->parameters(), arguments) &&
      pushArguments(e, e.operand(0), callee->results(), arguments))
    e.builder.CreateCall(code, arguments);
}

llvm::ArrayRef<InstructionRow> weft::emulator::controlInstructions() {
  static const InstructionRow rows[] = {
      {"bra", emitBranch}, {"ret", emitReturn}, {"exit", emitReturn},
      {"trap", emitTrap},  {"call", emitCall},
  };
  return rows;
}
