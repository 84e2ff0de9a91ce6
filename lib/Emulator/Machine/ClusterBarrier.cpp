//===- ClusterBarrier.cpp - the barrier of a cluster of one block ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/ClusterBarrier.h"
#include "Machine/Block.h"

using namespace weft::emulator;

void ClusterBarrier::arrive(Thread &thread, bool releases, uint32_t line) {
  Block &block = *thread.block;
  if (thread.clusterArrivals != thread.clusterWaits)
    block.fail(thread, FaultKind::Meeting, line,
               "barrier.cluster: it arrives again without having waited");
  ++thread.clusterArrivals;
  thread.clusterLine = line;
  if (releases)
    arriving = join(arriving, thread.clocks.release(block.slotCount()));
  if (++arrived == block.liveCount())
    complete(block);
}

void ClusterBarrier::wait(Thread &thread, uint32_t line) {
  Block &block = *thread.block;
  if (thread.clusterArrivals == thread.clusterWaits)
    block.fail(thread, FaultKind::Meeting, line,
               "barrier.cluster: it waits without having arrived");
  if (thread.clusterWaits == phase) {
    waiting.push_back(&thread);
    block.wait(thread, "barrier.cluster", line);
  }
  ++thread.clusterWaits;
  if (completed)
    thread.clocks.acquire(completed);
}

void ClusterBarrier::leave(Block &block) {
  if (arrived > 0 && arrived == block.liveCount())
    complete(block);
}

// No thread can arrive again before it has taken what is known.
void ClusterBarrier::complete(Block &block) {
  ++phase;
  arrived = 0;
  completed = std::move(arriving);
  arriving = nullptr;
  std::vector<Thread *> woken = std::move(waiting);
  waiting.clear();
  for (Thread *thread : woken)
    block.wake(*thread);
}
