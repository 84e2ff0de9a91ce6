//===- Agents.h - who works while the threads go on -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A bulk copy or a product of a warpgroup is no thread's doing: nobody knows of it before he has
// waited for it, not even who began it. So there are agents beside the threads, with places of
// their own in the tables of clocks: an agent's time is the number of what it has begun. Agents are
// shared if there are more mbarriers or warps than agents, which can hide a race and not make one
// up.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_AGENTS_H
#define WEFT_LIB_EMULATOR_MACHINE_AGENTS_H

#include <array>
#include <cstdint>

namespace weft::emulator {

inline constexpr uint32_t kAgents = 64;
inline constexpr uint32_t kFirstProduct = 40, kFirstStoreRead = 48, kFirstStoreWrite = 56;

inline bool isAgent(uint64_t slot) { return slot < kAgents; }
inline uint32_t slotOfThread(uint32_t index) { return kAgents + index; }

class Agents {
public:
  /// What the agent begins now: its time, never 0.
  uint32_t begin(uint32_t agent) { return ++times[agent]; }
  /// An agent for another mbarrier.
  uint32_t chooseForBarrier() { return barriers++ % kFirstProduct; }

private:
  std::array<uint32_t, kAgents> times = {};
  uint32_t barriers = 0;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_AGENTS_H
