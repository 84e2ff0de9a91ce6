//===- MBarrier.h - barriers in shared memory -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_MBARRIER_H
#define WEFT_LIB_EMULATOR_MACHINE_MBARRIER_H

#include "Machine/Clocks.h"

#include <map>

namespace weft::emulator {

/// A phase ends when all have arrived and all bytes that were announced are there.
struct MBarrier {
  uint32_t expected = 0, pending = 0;
  int64_t bytes = 0; ///< announced and not there
  uint64_t phase = 0;
  ClockTable arriving;  ///< what those who arrived in this phase know
  ClockTable completed; ///< what a thread learns that sees the last phase ended

  /// Ends the phase if it is over.
  void settle() {
    if (pending > 0 || bytes != 0)
      return;
    ++phase;
    pending = expected;
    completed = std::move(arriving);
    arriving = nullptr;
  }
};

/// Those of a block, by their addresses in shared memory.
using MBarriers = std::map<uint64_t, MBarrier>;

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_MBARRIER_H
