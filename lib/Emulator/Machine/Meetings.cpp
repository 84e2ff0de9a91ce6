//===- Meetings.cpp - barriers and what the lanes of a warp do together ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Meetings.h"
#include "Machine/Block.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft::emulator;

void Meetings::reset(uint32_t warpCount) {
  barriers.fill(Barrier());
  warps.assign(warpCount, {});
}

static bool isReduction(BarrierKind kind) { return kind >= BarrierKind::Count; }

uint32_t Meetings::arrive(Thread &thread, uint32_t id, uint32_t expected, BarrierKind kind,
                          bool predicate, uint32_t line) {
  Block &block = *thread.block;
  if (id >= barriers.size())
    block.fail(thread, FaultKind::Meeting, line,
               "barrier " + llvm::Twine(id) + ": there are 16, from 0 on");
  if (expected % 32 != 0 || expected > ((block.threadCount() + 31) & ~31u))
    block.fail(thread, FaultKind::Meeting, line,
               "barrier " + llvm::Twine(id) + " for " + llvm::Twine(expected) +
                   " threads: a number of warps of the block is expected");
  Barrier &barrier = barriers[id];
  if (barrier.arrived > 0 && barrier.expected != expected)
    block.fail(thread, FaultKind::Meeting, line,
               "barrier " + llvm::Twine(id) + " for " + llvm::Twine(expected) +
                   " threads (0: all), but at line " + llvm::Twine(barrier.line) + " for " +
                   llvm::Twine(barrier.expected));
  barrier.expected = expected;
  barrier.line = line;
  barrier.sum += predicate;
  if (isReduction(kind))
    barrier.reduction = kind;
  barrier.known = emulator::join(barrier.known, thread.clocks.table());
  barrier.times.push_back({thread.slot(), thread.clocks.now()});
  thread.clocks.tick();
  ++barrier.arrived;
  if (kind != BarrierKind::Arrive)
    barrier.waiting.push_back(&thread);
  if (barrier.arrived == (expected ? expected : block.liveCount()))
    complete(block, barrier);
  else if (kind != BarrierKind::Arrive)
    block.wait(thread, "a barrier", line);
  return thread.result;
}

void Meetings::complete(Block &block, Barrier &barrier) {
  auto known = std::make_shared<std::vector<uint32_t>>(block.slotCount());
  if (barrier.known)
    *known = *barrier.known;
  for (auto [slot, time] : barrier.times)
    (*known)[slot] = std::max((*known)[slot], time);
  uint32_t result = barrier.sum;
  if (barrier.reduction == BarrierKind::And)
    result = barrier.sum == barrier.arrived;
  else if (barrier.reduction == BarrierKind::Or)
    result = barrier.sum > 0;
  // Who is woken may arrive again, at the same barrier.
  std::vector<Thread *> waiting = std::move(barrier.waiting);
  barrier = Barrier();
  for (Thread *thread : waiting) {
    thread->clocks.acquire(known);
    thread->result = result;
    block.wake(*thread);
  }
}

void Meetings::leave(Block &block) {
  for (Barrier &barrier : barriers)
    if (barrier.arrived > 0 && barrier.expected == 0 && barrier.arrived == block.liveCount())
      complete(block, barrier);
}

void Meetings::checkMask(Thread &thread, uint32_t mask, const char *what, uint32_t line) {
  Block &block = *thread.block;
  if (!(mask >> thread.registers.lane & 1))
    block.fail(thread, FaultKind::Meeting, line,
               llvm::Twine(what) + ": the lane is not in its own mask 0x" +
                   llvm::Twine::utohexstr(mask));
  if (uint32_t missing = mask & ~block.liveLanes(thread.registers.warp))
    block.fail(thread, FaultKind::Meeting, line,
               llvm::Twine(what) + ": lane " + llvm::Twine(llvm::countr_zero(missing)) +
                   " of mask 0x" + llvm::Twine::utohexstr(mask) + " has ended or never was");
}

Meeting &Meetings::join(Thread &thread, uint32_t mask, const char *what, bool aligned,
                        uint32_t line) {
  std::vector<Meeting> &open = warps[thread.registers.warp];
  for (Meeting &meeting : open) {
    if (!(meeting.mask & mask))
      continue;
    if (meeting.mask != mask || llvm::StringRef(meeting.what) != what ||
        (aligned && meeting.line != line))
      thread.block->fail(thread, FaultKind::Meeting, line,
                         llvm::Twine(what) + " with mask 0x" + llvm::Twine::utohexstr(mask) +
                             ", but lanes of it are at line " + llvm::Twine(meeting.line) + " in " +
                             meeting.what + " with mask 0x" + llvm::Twine::utohexstr(meeting.mask));
    return meeting;
  }
  open.push_back({mask, 0, line, what, {}});
  return open.back();
}

void Meetings::meet(Thread &thread, uint32_t mask, const char *what, bool aligned, uint32_t line,
                    void *payload, LaneFunction run) {
  Block &block = *thread.block;
  checkMask(thread, mask, what, line);
  Meeting &meeting = join(thread, mask, what, aligned, line);
  meeting.arrived |= 1u << thread.registers.lane;
  meeting.payloads[thread.registers.lane] = payload;
  if (meeting.arrived != mask)
    return block.wait(thread, what, line);

  LanePayloads payloads = meeting.payloads;
  std::vector<Meeting> &open = warps[thread.registers.warp];
  llvm::erase_if(open, [&](const Meeting &other) { return other.mask == mask; });
  auto known = std::make_shared<std::vector<uint32_t>>(block.slotCount());
  auto forEachLane = [&](auto function) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        function(block.thread(32 * thread.registers.warp + lane));
  };
  ClockTable before;
  forEachLane([&](Thread &lane) {
    if (lane.clocks.table() != before) // mostly they have met before
      before = emulator::join(before, lane.clocks.table());
  });
  if (before)
    *known = *before;
  forEachLane([&](Thread &lane) { (*known)[lane.slot()] = lane.clocks.now(); });
  run(payloads);
  forEachLane([&](Thread &lane) {
    lane.clocks.tick();
    lane.clocks.adopt(known);
    block.wake(lane);
  });
}
