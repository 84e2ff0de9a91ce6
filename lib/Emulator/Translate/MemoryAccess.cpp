//===- MemoryAccess.cpp - loads, stores and atomics -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Runtime.h"
#include "Translate/Spaces.h"

#include <cstddef>

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

ptx::Space weft::emulator::takeSpace(Emitter &e) {
  return e.modifiers
      .choose<ptx::Space>({{"global", ptx::Space::Global},
                           {"shared::cta", ptx::Space::Shared},
                           {"shared::cluster", ptx::Space::Shared}, // a cluster is one block
                           {"shared", ptx::Space::Shared},
                           {"local", ptx::Space::Local},
                           {"const", ptx::Space::Const},
                           {"param::entry", ptx::Space::Param},
                           {"param::func", ptx::Space::Param},
                           {"param", ptx::Space::Param}})
      .value_or(ptx::Space::Generic);
}

uint64_t weft::emulator::windowOf(ptx::Space space) {
  switch (space) {
  case ptx::Space::Shared:
    return kSharedWindow;
  case ptx::Space::Local:
    return kLocalWindow;
  case ptx::Space::Param:
    return kParamWindow;
  default: // their addresses are generic ones
    return 0;
  }
}

void weft::emulator::skipCacheHints(Emitter &e) {
  e.modifiers.skip({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_normal",
                    "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate",
                    "L2::64B", "L2::128B", "L2::256B"});
}

// Strong accesses of any scope; .acquire and .release are not known, since nothing is ordered by
// values in memory here.
static bool takeStrength(Emitter &e) {
  bool strong = e.modifiers.take("relaxed");
  strong |= e.modifiers.take("volatile");
  e.modifiers.take("weak");
  if (strong)
    e.modifiers.skip({"cta", "cluster", "gpu", "sys"});
  return strong;
}

static unsigned takeVectorSize(Emitter &e) {
  return e.modifiers.choose<unsigned>({{"v2", 2}, {"v4", 4}, {"v8", 8}}).value_or(1);
}

// The registers of {a, b}, or the one.
static llvm::ArrayRef<ptx::Operand> partsOf(Emitter &e, const ptx::Operand &operand,
                                            unsigned size) {
  bool isVector = operand.kind == ptx::OperandKind::Vector;
  llvm::ArrayRef<ptx::Operand> parts =
      isVector ? llvm::ArrayRef(operand.parts) : llvm::ArrayRef(operand);
  if (parts.size() == size)
    return parts;
  e.fail("a vector of " + llvm::Twine(size) + " is expected");
  return {};
}

// A parameter of the kernel, of the function, or of a call that is prepared: on the host. Null if
// the address is one that the kernel computed.
static Value *findParameter(Emitter &e, const ptx::Operand &address, unsigned bytes) {
  if (address.kind != ptx::OperandKind::Address || address.parts.size() != 1 ||
      address.parts[0].kind != ptx::OperandKind::Variable)
    return nullptr;
  const ptx::Operand &name = address.parts[0];
  const ptx::Variable &variable = e.function.variable(name);
  if (variable.space != ptx::Space::Param)
    return nullptr;
  if (address.value < 0 || uint64_t(address.value) + bytes > variable.bytes) {
    e.fail(llvm::Twine(bytes) + " bytes at offset " + llvm::Twine(address.value) + " of '" +
           variable.name + "', which has " + llvm::Twine(variable.bytes));
    return llvm::Constant::getNullValue(e.builder.getPtrTy());
  }
  uint64_t offset = uint64_t(address.value);
  Value *base = e.function.variables.lookup(&variable);
  if (e.function.source.isEntry && name.index < e.function.source.parameterCount) {
    base = e.field(offsetof(ThreadRegisters, parameters), e.builder.getPtrTy());
    offset += e.function.kernel.layout.parameters[name.index];
  }
  return e.builder.CreateConstGEP1_64(e.builder.getInt8Ty(), base, offset);
}

static Value *partPointer(Emitter &e, Value *base, unsigned i, ptx::Type type) {
  return e.builder.CreateConstGEP1_64(e.builder.getInt8Ty(), base, uint64_t(i) * type.bytes());
}

static bool checkMemoryType(Emitter &e, ptx::Type type) {
  if (type.bits >= 8)
    return true;
  e.fail("a predicate is never in memory");
  return false;
}

static void emitLoad(Emitter &e) {
  AccessKind kind = AccessKind::Read;
  if (takeStrength(e))
    kind = AccessKind::StrongRead;
  if (e.modifiers.take("nc") || e.instruction.opcode == "ldu")
    kind = AccessKind::ReadOnly;
  ptx::Space space = takeSpace(e);
  skipCacheHints(e);
  unsigned size = takeVectorSize(e);
  ptx::Type type = e.takeType();
  if (!e.expect(2) || !checkMemoryType(e, type))
    return;
  unsigned bytes = size * type.bytes();
  Value *place = space == ptx::Space::Param ? findParameter(e, e.operand(1), bytes) : nullptr;
  if (!place)
    place = e.access(e.address(e.operand(1)), bytes, space, kind);
  // All is read before anything is written: a register may be the base too.
  std::vector<Value *> values;
  llvm::ArrayRef<ptx::Operand> parts = partsOf(e, e.operand(0), size);
  for (unsigned i = 0; i < parts.size(); ++i)
    values.push_back(e.builder.CreateAlignedLoad(e.bitsOf(type), partPointer(e, place, i, type),
                                                 llvm::Align(1)));
  for (unsigned i = 0; i < parts.size(); ++i)
    e.write(parts[i], values[i], type, /*wider=*/true);
}

static void emitStore(Emitter &e) {
  AccessKind kind = takeStrength(e) ? AccessKind::StrongWrite : AccessKind::Write;
  ptx::Space space = takeSpace(e);
  skipCacheHints(e);
  unsigned size = takeVectorSize(e);
  ptx::Type type = e.takeType();
  if (!e.expect(2) || !checkMemoryType(e, type))
    return;
  unsigned bytes = size * type.bytes();
  Value *place = space == ptx::Space::Param ? findParameter(e, e.operand(0), bytes) : nullptr;
  if (!place)
    place = e.access(e.address(e.operand(0)), bytes, space, kind);
  llvm::ArrayRef<ptx::Operand> parts = partsOf(e, e.operand(1), size);
  for (unsigned i = 0; i < parts.size(); ++i)
    e.builder.CreateAlignedStore(e.read(parts[i], type, /*wider=*/true),
                                 partPointer(e, place, i, type), llvm::Align(1));
}

static std::optional<AtomicOp> takeAtomicOp(Emitter &e) {
  return e.modifiers.choose<AtomicOp>({{"add", AtomicOp::Add},
                                       {"min", AtomicOp::Min},
                                       {"max", AtomicOp::Max},
                                       {"and", AtomicOp::And},
                                       {"or", AtomicOp::Or},
                                       {"xor", AtomicOp::Xor},
                                       {"exch", AtomicOp::Exchange},
                                       {"cas", AtomicOp::CompareSwap},
                                       {"inc", AtomicOp::Increment},
                                       {"dec", AtomicOp::Decrement}});
}

static bool isAtomicType(AtomicOp op, ptx::Type type) {
  if (type.isReal())
    return op == AtomicOp::Add && type.kind == ptx::TypeKind::Float && type.bits >= 32;
  if (op == AtomicOp::Increment || op == AtomicOp::Decrement)
    return type == ptx::Type{ptx::TypeKind::Unsigned, 32};
  bool is16 = op == AtomicOp::CompareSwap && type.bits == 16;
  return is16 || type.bits == 32 || type.bits == 64;
}

// atom gives what was there before, red gives nothing.
static void emitAtomic(Emitter &e) {
  bool returns = e.instruction.opcode == "atom";
  e.modifiers.skip({"relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys"});
  ptx::Space space = takeSpace(e);
  std::optional<AtomicOp> op = takeAtomicOp(e);
  ptx::Type type = e.takeType();
  if (!op || !isAtomicType(*op, type))
    return e.fail("no such atomic operation");
  size_t first = returns ? 1 : 0, values = *op == AtomicOp::CompareSwap ? 2 : 1;
  if (!e.expect(first + 1 + values))
    return;
  llvm::Type *wide = e.builder.getInt64Ty();
  Value *a = e.builder.CreateZExt(e.read(first + 1, type), wide);
  Value *b =
      values == 2 ? e.builder.CreateZExt(e.read(first + 2, type), wide) : e.builder.getInt64(0);
  Value *old = e.call("atomic", wide,
                      {e.thread(), e.address(e.operand(first)), e.code(space), e.code(*op),
                       e.code(type.kind), e.number(type.bits), a, b, e.line()});
  if (returns)
    e.write(0, e.builder.CreateTrunc(old, e.bitsOf(type)), type);
}

llvm::ArrayRef<InstructionRow> weft::emulator::memoryInstructions() {
  static const InstructionRow rows[] = {
      {"ld", emitLoad},     {"ldu", emitLoad},   {"st", emitStore},
      {"atom", emitAtomic}, {"red", emitAtomic},
  };
  return rows;
}
