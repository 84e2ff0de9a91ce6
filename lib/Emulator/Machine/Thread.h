//===- Thread.h - a thread of a block -------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_THREAD_H
#define WEFT_LIB_EMULATOR_MACHINE_THREAD_H

#include "Machine/Agents.h"
#include "Machine/BulkCopy.h"
#include "Machine/Clocks.h"
#include "Machine/Fiber.h"
#include "Machine/Layout.h"
#include "Machine/ProxyFences.h"
#include "Machine/ThreadCopies.h"

#include <vector>

namespace weft::emulator {

class Block;

struct Thread {
  ThreadRegisters registers; ///< first: compiled code has a pointer to it
  Block *block = nullptr;
  uint32_t index = 0; ///< in the block
  uint32_t slot() const { return slotOfThread(index); }
  Clocks clocks;
  Fiber fiber;

  bool waiting = false;
  bool polled = false;            ///< its last turn only asked whether something is ready
  const char *waitsFor = nullptr; ///< in words
  uint32_t waitsAt = 0;           ///< a line
  uint32_t result = 0;            ///< of what it waited for
  uint64_t steps = 0;             ///< jumps backwards, all of them
  std::vector<uint8_t> local;     ///< the frames of its functions
  ThreadCopies copies;
  ThreadStores stores;
  ProxyFences fences;
  uint64_t clusterArrivals = 0, clusterWaits = 0; ///< at the cluster's barrier
  uint32_t clusterLine = 0;                       ///< of the last arrival there
  std::pair<uint64_t, uint64_t> question; ///< about an mbarrier that it asked last: address, phase
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_THREAD_H
