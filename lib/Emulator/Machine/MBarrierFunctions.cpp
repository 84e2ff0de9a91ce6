//===- MBarrierFunctions.cpp - barriers in shared memory, as kernels call them --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The barrier itself is not in memory: its eight bytes stay NaNs. They are accessed all the same,
// so that threads that use a barrier before they can know of its start race with who starts it.
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Memory.h"
#include "Machine/Runtime.h"

using namespace weft::emulator;
using weft::ptx::Space;

static constexpr uint32_t mostArrivals = (1 << 20) - 1;
static constexpr int64_t mostBytes = (1 << 20) - 1;

static void start(Thread *thread, uint64_t address, uint32_t count, uint32_t line) {
  Block &block = *thread->block;
  checkAccess(*thread, {address, 8, Space::Shared, AccessKind::Write, line});
  if (count < 1 || count > mostArrivals)
    block.fail(*thread, FaultKind::Meeting, line,
               "an mbarrier for " + llvm::Twine(count) + " arrivals");
  if (block.mbarriers.count(address))
    block.fail(*thread, FaultKind::Meeting, line,
               "there is an mbarrier at 0x" + llvm::Twine::utohexstr(address) + " already");
  MBarrier &barrier = block.mbarriers[address];
  barrier.expected = barrier.pending = count;
  barrier.agent = block.agents.chooseForBarrier();
  barrier.starter = thread->slot();
  barrier.startedTime = thread->clocks.now();
}

MBarrier &weft::emulator::findMBarrier(Thread &thread, uint64_t address, AccessKind kind,
                                       uint32_t line) {
  checkAccess(thread, {address, 8, Space::Shared, kind, line});
  auto found = thread.block->mbarriers.find(address);
  if (found == thread.block->mbarriers.end())
    thread.block->fail(thread, FaultKind::Meeting, line,
                       "there is no mbarrier at 0x" + llvm::Twine::utohexstr(address));
  return found->second;
}

static void invalidate(Thread *thread, uint64_t address, uint32_t line) {
  MBarrier &barrier = findMBarrier(*thread, address, AccessKind::Write, line);
  if (!barrier.copies.empty())
    thread->block->fail(*thread, FaultKind::Meeting, line,
                        "an mbarrier is given up while bulk copies to it are under way");
  thread->block->mbarriers.erase(address);
}

static void announce(Thread &thread, MBarrier &barrier, uint32_t bytes, uint32_t line) {
  barrier.bytes += bytes;
  if (barrier.bytes > mostBytes)
    thread.block->fail(thread, FaultKind::Meeting, line,
                       "an mbarrier that expects " + llvm::Twine(barrier.bytes) + " bytes");
}

static void expectBytes(Thread *thread, uint64_t address, uint32_t bytes, uint32_t line) {
  announce(*thread, findMBarrier(*thread, address, AccessKind::StrongWrite, line), bytes, line);
}

// Nobody is left who could announce more.
void weft::emulator::checkBytes(Thread &thread, const MBarrier &barrier, uint32_t line) {
  if (barrier.pending == 0 && barrier.underWay > barrier.bytes)
    thread.block->fail(thread, FaultKind::Meeting, line,
                       "bulk copies of " + llvm::Twine(barrier.underWay) +
                           " bytes to an mbarrier that expects " + llvm::Twine(barrier.bytes));
}

// The phase in which it arrives.
static uint64_t arrive(Thread *thread, uint64_t address, uint32_t count, uint32_t bytes,
                       uint32_t line) {
  Block &block = *thread->block;
  MBarrier &barrier = findMBarrier(*thread, address, AccessKind::StrongWrite, line);
  announce(*thread, barrier, bytes, line);
  if (count < 1 || count > barrier.pending)
    block.fail(*thread, FaultKind::Meeting, line,
               llvm::Twine(count) + " arrivals at an mbarrier that waits for " +
                   llvm::Twine(barrier.pending));
  uint64_t phase = barrier.phase;
  barrier.arriving = join(barrier.arriving, thread->clocks.release(block.slotCount()));
  barrier.pending -= count;
  checkBytes(*thread, barrier, line);
  if (barrier.canEnd() && barrier.copies.empty())
    barrier.end();
  return phase;
}

// All copies arrive at once, as late as they may: who sees the end of the phase knows of them.
static void endByCopies(Thread &thread, MBarrier &barrier) {
  for (const BulkCopy &copy : barrier.copies)
    finishLoad(thread, copy);
  barrier.arriving = with(barrier.arriving, barrier.agent, barrier.time, thread.block->slotCount());
  barrier.end();
}

// Asked once, nothing is ready: who asks must ask again.
static uint32_t hasEnded(Thread *thread, uint64_t address, uint32_t byParity, uint64_t phase,
                         uint32_t line) {
  MBarrier &barrier = findMBarrier(*thread, address, AccessKind::StrongRead, line);
  std::pair<uint64_t, uint64_t> question = {address, phase};
  bool ended = byParity ? (barrier.phase & 1) != (phase & 1) : barrier.phase > phase;
  bool canEnd = ended || (barrier.canEnd() && !barrier.copies.empty());
  if (!canEnd || thread->question != question) {
    thread->question = question;
    thread->block->pause(*thread, /*polled=*/true, line);
    return 0;
  }
  thread->question = {};
  if (!ended)
    endByCopies(*thread, barrier);
  thread->clocks.acquire(barrier.completed);
  return 1;
}

llvm::ArrayRef<RuntimeFunction> weft::emulator::mbarrierFunctions() {
  static const RuntimeFunction functions[] = {
      {"mbarrier_init", start, true},         {"mbarrier_inval", invalidate, true},
      {"mbarrier_expect", expectBytes, true}, {"mbarrier_arrive", arrive, true},
      {"mbarrier_test", hasEnded, true},
  };
  return functions;
}
