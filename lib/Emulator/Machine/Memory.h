//===- Memory.h - every access of a kernel, checked -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_MEMORY_H
#define WEFT_LIB_EMULATOR_MACHINE_MEMORY_H

#include "Machine/Block.h"
#include "weft/Emulator/Ptx.h"

namespace weft::emulator {

/// An access as an instruction states it.
struct Access {
  uint64_t address;
  uint32_t bytes;
  ptx::Space space;
  AccessKind kind;
  uint32_t line;
};

/// Where the bytes are on the host, and their shadow if others can see them.
struct Place {
  uint8_t *host = nullptr;
  Cell *cells = nullptr;
  uint64_t offset = 0; ///< of the first byte among those that `cells` are for
};

/// Checks bounds and alignment; the launch fails if they are wrong.
Place locate(Thread &thread, const Access &access);
/// Checks that the access is ordered after all that it touches.
void noteAccess(Thread &thread, const Access &access, const Place &place, Epoch now);
/// Both.
uint8_t *checkAccess(Thread &thread, const Access &access);

/// A function's frame in local memory: its address. leaveFrame gives it back.
uint64_t enterFrame(Thread &thread, uint64_t bytes, uint32_t line);
void leaveFrame(Thread &thread, uint64_t bytes);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_MEMORY_H
