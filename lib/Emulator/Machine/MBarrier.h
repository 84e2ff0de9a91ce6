//===- MBarrier.h - barriers in shared memory -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_MBARRIER_H
#define WEFT_LIB_EMULATOR_MACHINE_MBARRIER_H

#include "Machine/BulkCopy.h"
#include "Machine/Clocks.h"
#include "Machine/Layout.h"

#include <map>

namespace weft::emulator {

/// A phase ends when all have arrived and all bytes that were announced are there. Bulk copies are
/// under way until a thread asks for the end of a phase that they can end.
struct MBarrier {
  uint32_t expected = 0, pending = 0;
  int64_t bytes = 0;    ///< announced and not there
  int64_t underWay = 0; ///< of `copies`
  uint64_t phase = 0;
  ClockTable arriving;  ///< what those who arrived in this phase know
  ClockTable completed; ///< what a thread learns that sees the last phase ended

  std::vector<BulkCopy> copies;
  uint32_t agent = 0, time = 0;          ///< whose copies they are
  uint32_t starter = 0, startedTime = 0; ///< the slot of the thread that started it, and when

  bool canEnd() const { return pending == 0 && bytes == underWay; }
  void end() {
    ++phase;
    pending = expected;
    bytes = underWay = 0;
    copies.clear();
    time = 0;
    completed = std::move(arriving);
    arriving = nullptr;
  }
};

/// Those of a block, by their addresses in shared memory.
using MBarriers = std::map<uint64_t, MBarrier>;

/// The barrier that a thread accesses, which has to be there.
MBarrier &findMBarrier(Thread &thread, uint64_t address, AccessKind kind, uint32_t line);
/// Fails if more bytes come than the phase can have.
void checkBytes(Thread &thread, const MBarrier &barrier, uint32_t line);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_MBARRIER_H
