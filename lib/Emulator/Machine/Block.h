//===- Block.h - the threads of a block, one after another ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A thread goes on until it waits for others or has jumped back often enough; who goes on next is
// the seed's choice. If nobody can, that is a deadlock. A kernel whose threads never wait for each
// other needs no fibers.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_BLOCK_H
#define WEFT_LIB_EMULATOR_MACHINE_BLOCK_H

#include "Machine/ClusterBarrier.h"
#include "Machine/DeviceMemory.h"
#include "Machine/MBarrier.h"
#include "Machine/Meetings.h"
#include "Machine/Thread.h"
#include "Machine/Warpgroup.h"
#include "weft/Emulator/Fault.h"

#include <csetjmp>
#include <deque>
#include <optional>
#include <random>

namespace weft::emulator {

using KernelFunction = void (*)(ThreadRegisters *);

/// What all blocks of a launch have in common.
struct Launch {
  KernelFunction function = nullptr;
  bool meets = false; ///< its threads wait for each other
  std::string kernel, module;
  uint32_t grid[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
  uint32_t sharedBytes = 0, dynamicSharedBytes = 0; ///< the latter are part of the former
  uint32_t registers = 0;                           ///< of a thread, before any setmaxnreg
  std::vector<uint8_t> parameters;
  uint32_t number = 0; ///< in shadow memory
  uint64_t seed = 0, mostSteps = 0;
  bool findRaces = true;
};

class Block {
public:
  explicit Block(DeviceMemory &memory) : memory(memory) {}

  /// Runs the block with that number in the grid.
  std::optional<Fault> run(const Launch &launch, uint64_t number);

  const Launch &launch() const { return *current; }
  Thread &thread(uint32_t index) { return *threads[index]; }
  uint32_t threadCount() const { return count; }
  /// Of a table of clocks.
  uint32_t slotCount() const { return slotOfThread(count); }
  uint32_t liveCount() const;
  /// Those of a warp that have not ended, a bit for each.
  uint32_t liveLanes(uint32_t warp) const { return warp < lanes.size() ? lanes[warp] : 0; }
  Epoch now(const Thread &thread) const { return epoch(thread.slot(), thread.clocks.now()); }
  Epoch epoch(uint32_t slot, uint32_t time) const;

  /// Ends the launch. What the frames that are left behind own is lost, so it should be little.
  [[noreturn]] void fail(Thread &thread, FaultKind kind, uint32_t line, const llvm::Twine &message);
  /// A text for a message that is kept until the next block runs.
  llvm::StringRef keep(const llvm::Twine &text) { return texts.emplace_back(text.str()); }
  /// Others go on until somebody calls wake().
  void wait(Thread &thread, const char *what, uint32_t line);
  void wake(Thread &thread);
  /// Others go on; `polled`: the thread only asked whether something is ready.
  void pause(Thread &thread, bool polled, uint32_t line);
  /// A thread has jumped back as often as it may at one go.
  void step(Thread &thread, uint32_t line);
  /// Warpgroups that want more registers get them, as far as others have released some.
  void shareRegisters();

  DeviceMemory &memory;
  Meetings meetings;
  ClusterBarrier cluster;
  MBarriers mbarriers;
  Agents agents;
  std::vector<Warpgroup> warpgroups;
  uint32_t freeRegisters = 0; ///< that a warpgroup has released, of each of its threads
  std::vector<uint8_t> shared;
  std::vector<Cell> sharedCells;

private:
  void start(Thread &thread, uint32_t index);
  bool isLive(const Thread &thread) const;
  void runAlone();
  void runTogether();
  bool runRound(bool all, bool &polledOnly);
  void checkEnd(Thread &thread);
  void reportDeadlock();
  int64_t drawSteps();
  std::vector<uint32_t> drawOrder(uint32_t count);
  static void enter(void *thread);

  const Launch *current = nullptr;
  uint64_t number = 0;
  uint32_t count = 0;
  std::vector<uint32_t> lanes; ///< that have not ended, a word for each warp
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<uint32_t> skips; // rounds for which a warp rests
  Thread *running = nullptr;   // the one whose turn it is
  std::optional<Fault> fault;
  std::deque<std::string> texts;
  std::jmp_buf home;
  std::mt19937_64 random;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_BLOCK_H
