//===- Shadow.h - who touched a byte last ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Two bytes of memory have a cell with their last writer and a last reader. Two accesses of one
// byte, one of them a write, race if no synchronisation orders them. Blocks of a launch are never
// ordered, launches always are. Of several readers one is kept, an agent before a thread: a race
// with another one is found at a neighbouring byte or under another schedule.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_SHADOW_H
#define WEFT_LIB_EMULATOR_MACHINE_SHADOW_H

#include "Machine/Agents.h"
#include "Machine/Clocks.h"
#include "Machine/Layout.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/bit.h"

#include <optional>

namespace weft::emulator {

/// Who did something when, in 64 bits; all fields but the slot are cut to their widths, which
/// can hide a race and never make one up.
struct Epoch {
  static constexpr unsigned launchBits = 12, blockBits = 19, slotBits = 11, clockBits = 18;

  uint64_t launch : launchBits; ///< 0: never
  uint64_t block : blockBits;
  uint64_t slot : slotBits; ///< a thread or an agent
  uint64_t clock : clockBits;
  uint64_t atomic : 1;
  uint64_t pending : 1; ///< an asynchronous copy that nobody has waited for
  uint64_t bytes : 2;   ///< which of the two

  /// Equal but for `bytes`.
  bool sameTime(Epoch other) const {
    other.bytes = bytes;
    return llvm::bit_cast<uint64_t>(*this) == llvm::bit_cast<uint64_t>(other);
  }
};

struct Cell {
  Epoch write, read;
};

struct Conflict {
  Epoch other;
  bool otherWrites;
};

/// Looks at the `bytes` bytes from `offset` on and notes the access.
std::optional<Conflict> note(Cell *cells, uint64_t offset, uint32_t bytes, AccessKind kind,
                             Epoch now, const Clocks &clocks);

/// A write of these bytes that is before what is done now and of which `isSeen` says no: the
/// accessor goes another way to memory than who wrote them.
std::optional<Epoch> findUnseen(const Cell *cells, uint64_t offset, uint32_t bytes, Epoch now,
                                const Clocks &clocks,
                                llvm::function_ref<bool(const Epoch &)> isSeen);

/// The writer of the bytes is `now`, whatever it was: an asynchronous copy has arrived.
void settle(Cell *cells, uint64_t offset, uint32_t bytes, Epoch now);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_SHADOW_H
