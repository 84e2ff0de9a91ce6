//===- Meetings.h - barriers and what the lanes of a warp do together -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_MEETINGS_H
#define WEFT_LIB_EMULATOR_MACHINE_MEETINGS_H

#include "Machine/Clocks.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace weft::emulator {

class Block;
struct Thread;

enum class BarrierKind : uint32_t { Sync, Arrive, Count, And, Or };

/// bar and barrier: a number of the block's threads arrive, most of them wait for the last one.
struct Barrier {
  uint32_t expected = 0; ///< 0: all threads that have not ended
  uint32_t arrived = 0, line = 0;
  uint32_t sum = 0; ///< of the predicates
  BarrierKind reduction = BarrierKind::Sync;
  ClockTable known;
  std::vector<std::pair<uint32_t, uint32_t>> times; ///< slots and when they arrived
  std::vector<Thread *> waiting;
};

/// What a lane brings to a meeting: its operands, and room for its results.
using LanePayloads = std::array<void *, 32>;
using LaneFunction = llvm::function_ref<void(const LanePayloads &payloads)>;

/// Lanes of a warp on their way to the same instruction.
struct Meeting {
  uint32_t mask, arrived, line;
  const char *what;
  LanePayloads payloads;
};

class Meetings {
public:
  void reset(uint32_t warps);

  /// `expected` is 0 for all threads. Returns the reduction of the predicates.
  uint32_t arrive(Thread &thread, uint32_t id, uint32_t expected, BarrierKind kind, bool predicate,
                  uint32_t line);
  /// Barriers of all threads do not wait for one that has ended.
  void leave(Block &block);

  /// Waits for the lanes of `mask`; the last one runs the function for all. Lanes that are
  /// `aligned` are at one line.
  void meet(Thread &thread, uint32_t mask, const char *what, bool aligned, uint32_t line,
            void *payload, LaneFunction run);

private:
  void complete(Block &block, Barrier &barrier);
  void checkMask(Thread &thread, uint32_t mask, const char *what, uint32_t line);
  Meeting &join(Thread &thread, uint32_t mask, const char *what, bool aligned, uint32_t line);

  std::array<Barrier, 16> barriers;
  std::vector<std::vector<Meeting>> warps;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_MEETINGS_H
