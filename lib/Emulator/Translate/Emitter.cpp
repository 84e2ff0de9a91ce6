//===- Emitter.cpp - operands of an instruction ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Machine/Runtime.h"
#include "Machine/Warpgroup.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cstddef>

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

void Emitter::fail(const llvm::Twine &message) {
  if (failed)
    return;
  failed = true;
  function.kernel.problems.push_back(
      (llvm::Twine(instruction.line) + ": error: '" + instruction.spelling() + "': " + message)
          .str());
}

bool Emitter::expect(size_t least, size_t most) {
  if (count() >= least && count() <= most)
    return true;
  fail("unexpected number of operands: " + llvm::Twine(count()));
  return false;
}

ptx::Type Emitter::takeType() {
  if (std::optional<ptx::Type> type = modifiers.takeType())
    return *type;
  fail("a type is missing");
  return {};
}

Value *Emitter::readRegister(const ptx::Operand &operand, ptx::Type type, bool wider) {
  touch(operand);
  llvm::AllocaInst *slot = function.registers[operand.index];
  Value *value = builder.CreateLoad(slot->getAllocatedType(), slot);
  unsigned bits = slot->getAllocatedType()->getIntegerBitWidth();
  if (operand.negated) {
    if (bits != 1)
      fail("'!' before a register that is no predicate");
    value = builder.CreateNot(value);
  }
  if (bits == type.totalBits())
    return value;
  if (bits < type.totalBits() || !wider || bits == 1)
    fail("register '" + operand.name + "' has " + llvm::Twine(bits) + " bits where " +
         llvm::Twine(type.totalBits()) + " are expected");
  return builder.CreateZExtOrTrunc(value, bitsOf(type));
}

// Of a register that products use: none may be at work on it, and a fence must follow before the
// next one is.
void Emitter::touch(const ptx::Operand &operand) {
  auto found = function.fragments.numbers.find(operand.index);
  if (found == function.fragments.numbers.end())
    return;
  llvm::AllocaInst *slot = function.fragments.states[found->second];
  Value *state = builder.CreateLoad(builder.getInt64Ty(), slot);
  llvm::BasicBlock *wrong = llvm::BasicBlock::Create(builder.getContext(), "", function.code);
  llvm::BasicBlock *good = llvm::BasicBlock::Create(builder.getContext(), "", function.code);
  builder.CreateCondBr(builder.CreateIsNotNull(builder.CreateLShr(state, kUsersShift)), wrong,
                       good);
  builder.SetInsertPoint(wrong);
  call("busy_register", builder.getVoidTy(), {thread(), line()});
  builder.CreateBr(good);
  builder.SetInsertPoint(good);
  Value *fences = field(offsetof(ThreadRegisters, fences), builder.getInt32Ty());
  Value *next = builder.CreateAdd(fences, builder.getInt32(1));
  builder.CreateStore(builder.CreateZExt(next, builder.getInt64Ty()), slot);
}

Value *Emitter::readConstant(const ptx::Operand &operand, ptx::Type type) {
  uint64_t bits = uint64_t(operand.value);
  if (operand.kind == ptx::OperandKind::Real && operand.realBits != type.totalBits()) {
    if (operand.realBits == 64 && type.totalBits() == 32)
      bits = llvm::bit_cast<uint32_t>(float(llvm::bit_cast<double>(bits)));
    else
      fail("a real of " + llvm::Twine(unsigned(operand.realBits)) + " bits where " +
           llvm::Twine(type.totalBits()) + " are expected");
  }
  unsigned width = type.totalBits();
  llvm::APInt value(64, bits);
  bool isSigned = int64_t(bits) < 0;
  return builder.getInt(isSigned ? value.sextOrTrunc(width) : value.zextOrTrunc(width));
}

Value *Emitter::addressOfVariable(const ptx::Operand &operand) {
  if (operand.kind == ptx::OperandKind::Global) {
    const KernelState &kernel = function.kernel;
    if (auto shared = kernel.layout.moduleShared.find(operand.name);
        shared != kernel.layout.moduleShared.end())
      return builder.getInt64(shared->second);
    if (auto found = kernel.addresses.find(operand.name); found != kernel.addresses.end())
      return builder.getInt64(found->second);
    fail("the address of function '" + operand.name + "'");
    return builder.getInt64(0);
  }
  const ptx::Variable &variable = function.variable(operand);
  if (variable.space == ptx::Space::Shared)
    return builder.getInt64(function.kernel.layout.functionShared.lookup(&variable));
  if (variable.space == ptx::Space::Local)
    return function.variables.lookup(&variable);
  if (function.source.isEntry && operand.index < function.source.parameterCount)
    return builder.getInt64(function.kernel.layout.parameters[operand.index]);
  fail("the address of '" + operand.name + "', a parameter of a call");
  return builder.getInt64(0);
}

Value *Emitter::read(const ptx::Operand &operand, ptx::Type type, bool wider) {
  Value *value = nullptr;
  if (operand.negated && operand.kind != ptx::OperandKind::Register)
    fail("'!' before something that is no predicate");
  switch (operand.kind) {
  case ptx::OperandKind::Register:
    return readRegister(operand, type, wider);
  case ptx::OperandKind::Integer:
  case ptx::OperandKind::Real:
    return readConstant(operand, type);
  case ptx::OperandKind::Special:
    value = readSpecial(operand);
    break;
  case ptx::OperandKind::Variable:
  case ptx::OperandKind::Global:
    value = addressOfVariable(operand);
    if (type.totalBits() == 32)
      return builder.CreateTrunc(value, bitsOf(type));
    break;
  default:
    fail("an operand of another kind is expected");
    return llvm::Constant::getNullValue(bitsOf(type));
  }
  if (value->getType() != bitsOf(type))
    fail("'" + operand.name + "' has not " + llvm::Twine(type.totalBits()) + " bits");
  return builder.CreateZExtOrTrunc(value, bitsOf(type));
}

Value *Emitter::read(size_t i, ptx::Type type, bool wider) {
  if (i < count())
    return read(operand(i), type, wider);
  fail("an operand is missing");
  return llvm::Constant::getNullValue(bitsOf(type));
}

Value *Emitter::readPredicate(size_t i) { return read(i, {ptx::TypeKind::Predicate, 1}); }

void Emitter::write(const ptx::Operand &operand, Value *value, ptx::Type type, bool wider) {
  if (operand.kind == ptx::OperandKind::Sink)
    return;
  if (operand.kind != ptx::OperandKind::Register)
    return fail("a register is expected as the result");
  touch(operand);
  llvm::AllocaInst *slot = function.registers[operand.index];
  unsigned bits = slot->getAllocatedType()->getIntegerBitWidth();
  if (bits != type.totalBits() && (!wider || bits < type.totalBits() || type.bits == 1))
    fail("register '" + operand.name + "' has " + llvm::Twine(bits) + " bits where " +
         llvm::Twine(type.totalBits()) + " are written");
  value = type.isSigned() ? builder.CreateSExtOrTrunc(value, slot->getAllocatedType())
                          : builder.CreateZExtOrTrunc(value, slot->getAllocatedType());
  builder.CreateStore(value, slot);
}

void Emitter::write(size_t i, Value *value, ptx::Type type, bool wider) {
  if (i < count())
    return write(operand(i), value, type, wider);
  fail("an operand is missing");
}

Value *Emitter::address(const ptx::Operand &operand) {
  if (operand.kind == ptx::OperandKind::Address && operand.parts.size() == 1)
    return addBase(operand);
  fail("an address in brackets is expected");
  return builder.getInt64(0);
}

Value *Emitter::addressBefore(const ptx::Operand &operand, size_t size) {
  if (operand.kind == ptx::OperandKind::Address && operand.parts.size() == 2 &&
      isVector(operand.parts[1], size))
    return addBase(operand);
  fail("an address and " + llvm::Twine(size) + " coordinates in brackets are expected");
  return builder.getInt64(0);
}

Value *Emitter::addBase(const ptx::Operand &operand) {
  const ptx::Operand &base = operand.parts.front();
  bool isShort = base.kind == ptx::OperandKind::Register &&
                 function.registers[base.index]->getAllocatedType()->isIntegerTy(32);
  ptx::Type type{ptx::TypeKind::Bits, uint8_t(isShort ? 32 : 64)};
  Value *value = read(base, type);
  value = builder.CreateAdd(
      value, builder.getInt(llvm::APInt(64, uint64_t(operand.value)).zextOrTrunc(type.bits)));
  return builder.CreateZExt(value, builder.getInt64Ty());
}

Value *Emitter::access(Value *address, unsigned bytes, ptx::Space space, AccessKind kind) {
  return call("access", builder.getPtrTy(),
              {thread(), address, number(bytes), code(space), code(kind), line()});
}

// In the entry block: elsewhere a loop would take more of the stack every time.
Value *Emitter::scratch(unsigned words) {
  llvm::BasicBlock &entry = function.code->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  return atEntry.CreateAlloca(llvm::ArrayType::get(builder.getInt32Ty(), words));
}

Value *Emitter::spill(const ptx::Operand &vector) {
  Value *memory = scratch(unsigned(vector.parts.size()));
  for (size_t i = 0; i < vector.parts.size(); ++i)
    builder.CreateStore(read(vector.parts[i], kWord),
                        builder.CreateConstGEP1_64(builder.getInt32Ty(), memory, i));
  return memory;
}

void Emitter::fill(const ptx::Operand &vector, Value *memory) {
  for (size_t i = 0; i < vector.parts.size(); ++i) {
    Value *place = builder.CreateConstGEP1_64(builder.getInt32Ty(), memory, i);
    write(vector.parts[i], builder.CreateLoad(builder.getInt32Ty(), place), kWord);
  }
}

Value *Emitter::call(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<Value *> args) {
  std::vector<llvm::Type *> types;
  for (Value *arg : args)
    types.push_back(arg->getType());
  static const std::vector<RuntimeFunction> known = runtimeFunctions();
  auto found = llvm::find_if(known, [&](const RuntimeFunction &f) { return f.name == name; });
  assert(found != known.end() && "a function that the machine does not have");
  function.kernel.meets |= found->meets;
  auto *type = llvm::FunctionType::get(result, types, false);
  llvm::FunctionCallee callee =
      function.kernel.code.getOrInsertFunction(("weft_emu_" + name).str(), type);
  return builder.CreateCall(callee, args);
}

Value *Emitter::field(size_t offset, llvm::Type *type) {
  return builder.CreateLoad(type,
                            builder.CreateConstGEP1_64(builder.getInt8Ty(), thread(), offset));
}
