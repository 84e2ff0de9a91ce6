//===- MemoryFunctions.cpp - accesses, atomics, control, as kernels call them ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Memory.h"
#include "Machine/Runtime.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

using namespace weft::emulator;
using weft::ptx::Space;
using weft::ptx::TypeKind;

static uint8_t *access(Thread *thread, uint64_t address, uint32_t bytes, uint32_t space,
                       uint32_t kind, uint32_t line) {
  return checkAccess(*thread, {address, bytes, Space(space), AccessKind(kind), line});
}

static uint64_t signExtend(uint64_t value, uint32_t bits) {
  unsigned unused = 64 - bits;
  return uint64_t(int64_t(value << unused) >> unused);
}

template <typename Real, typename Bits> static uint64_t addReals(uint64_t a, uint64_t b) {
  return llvm::bit_cast<Bits>(llvm::bit_cast<Real>(Bits(a)) + llvm::bit_cast<Real>(Bits(b)));
}

static bool isLess(uint64_t a, uint64_t b, TypeKind kind, uint32_t bits) {
  if (kind == TypeKind::Signed)
    return int64_t(signExtend(a, bits)) < int64_t(signExtend(b, bits));
  return a < b;
}

static uint64_t combine(AtomicOp op, TypeKind kind, uint32_t bits, uint64_t old, uint64_t a,
                        uint64_t b) {
  switch (op) {
  case AtomicOp::Add:
    if (kind != TypeKind::Float)
      return old + a;
    return bits == 32 ? addReals<float, uint32_t>(old, a) : addReals<double, uint64_t>(old, a);
  case AtomicOp::Min:
    return isLess(a, old, kind, bits) ? a : old;
  case AtomicOp::Max:
    return isLess(old, a, kind, bits) ? a : old;
  case AtomicOp::And:
    return old & a;
  case AtomicOp::Or:
    return old | a;
  case AtomicOp::Xor:
    return old ^ a;
  case AtomicOp::Exchange:
    return a;
  case AtomicOp::CompareSwap:
    return old == a ? b : old;
  case AtomicOp::Increment:
    return old >= a ? 0 : old + 1;
  case AtomicOp::Decrement:
    return old == 0 || old > a ? a : old - 1;
  }
  return old;
}

static uint64_t atomic(Thread *thread, uint64_t address, uint32_t space, uint32_t op, uint32_t kind,
                       uint32_t bits, uint64_t a, uint64_t b, uint32_t line) {
  uint8_t *place =
      checkAccess(*thread, {address, bits / 8, Space(space), AccessKind::Atomic, line});
  uint64_t old = 0;
  std::memcpy(&old, place, bits / 8);
  uint64_t result = combine(AtomicOp(op), TypeKind(kind), bits, old, a, b);
  std::memcpy(place, &result, bits / 8);
  return old;
}

static uint64_t enter(Thread *thread, uint64_t bytes, uint32_t line) {
  return enterFrame(*thread, bytes, line);
}

static void leave(Thread *thread, uint64_t bytes) { leaveFrame(*thread, bytes); }

static void step(Thread *thread, uint32_t line) { thread->block->step(*thread, line); }

static void trap(Thread *thread, uint32_t line) {
  thread->block->fail(*thread, FaultKind::Trap, line, "trap");
}

static uint32_t isInSpace(uint64_t address, uint32_t space) {
  uint64_t window = address / kWindowBytes;
  switch (Space(space)) {
  case Space::Shared:
    return window == kSharedWindow / kWindowBytes;
  case Space::Local:
    return window == kLocalWindow / kWindowBytes;
  case Space::Param:
    return window == kParamWindow / kWindowBytes;
  default:
    return window >= kGlobalWindow / kWindowBytes;
  }
}

llvm::ArrayRef<RuntimeFunction> weft::emulator::memoryFunctions() {
  static const RuntimeFunction functions[] = {
      {"access", access, false},         {"atomic", atomic, false}, {"enter", enter, false},
      {"leave", leave, false},           {"step", step, false},     {"trap", trap, false},
      {"is_in_space", isInSpace, false},
  };
  return functions;
}
