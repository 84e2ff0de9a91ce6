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
/// Bounds only, of any number of bytes.
Place locateUnaligned(Thread &thread, const Access &access);
/// Checks that the access is ordered after all that it touches.
void noteAccess(Thread &thread, const Access &access, const Place &place, Epoch now);
/// The same for what `agent` does from now to its time `time` by the async proxy, begun by the
/// thread: it must see all that threads wrote.
void noteAsync(Thread &thread, const Access &access, const Place &place, uint32_t agent,
               uint32_t time);
/// True if the async proxy sees what the slot did at that time, by a fence for one of the scopes
/// that the thread knows of.
bool isSeenByAgents(const Thread &thread, uint32_t slot, uint32_t time, uint32_t scopes);
/// Both locate and noteAccess.
uint8_t *checkAccess(Thread &thread, const Access &access);

/// A function's frame in local memory: its address. leaveFrame gives it back.
uint64_t enterFrame(Thread &thread, uint64_t bytes, uint32_t line);
void leaveFrame(Thread &thread, uint64_t bytes);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_MEMORY_H
