//===- Block.cpp - the threads of a block, one after another --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Block.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <numeric>

using namespace weft::emulator;

// Without a seed every thread goes on as far as it can; so many jumps are for who waits for a word
// in memory.
static constexpr int64_t stepsAtOnce = 1 << 16;
// As often may all threads ask in vain: the first question after something is ready may fail too.
static constexpr unsigned mostIdleRounds = 16;

static uint32_t axis(uint64_t number, const uint32_t (&sizes)[3], unsigned i) {
  for (unsigned before = 0; before < i; ++before)
    number /= sizes[before];
  return uint32_t(number % sizes[i]);
}

void Block::start(Thread &thread, uint32_t index) {
  ThreadRegisters &registers = thread.registers;
  for (unsigned i = 0; i < 3; ++i) {
    registers.tid[i] = axis(index, current->threads, i);
    registers.ntid[i] = current->threads[i];
    registers.ctaid[i] = axis(number, current->grid, i);
    registers.nctaid[i] = current->grid[i];
  }
  registers.lane = index % 32;
  registers.warp = index / 32;
  registers.sharedBytes = current->sharedBytes;
  registers.dynamicSharedBytes = current->dynamicSharedBytes;
  registers.fences = 0;
  registers.stepsLeft = drawSteps();
  registers.parameters = current->parameters.data();
  thread.block = this;
  thread.index = index;
  thread.clocks = Clocks(slotOfThread(index));
  thread.waiting = thread.polled = false;
  lanes[registers.warp] |= 1u << registers.lane;
  thread.local.clear();
  thread.copies = ThreadCopies();
  thread.question = {};
  thread.clusterArrivals = thread.clusterWaits = thread.steps = 0;
  thread.fences = ProxyFences();
  thread.stores = ThreadStores();
}

std::optional<Fault> Block::run(const Launch &launch, uint64_t blockNumber) {
  current = &launch;
  number = blockNumber;
  fault.reset();
  texts.clear();
  random.seed(launch.seed * 0x9e3779b97f4a7c15ull + number);
  count = launch.threads[0] * launch.threads[1] * launch.threads[2];
  while (threads.size() < count)
    threads.push_back(std::make_unique<Thread>());
  shared.assign(launch.sharedBytes, 0xff);
  sharedCells.assign(launch.sharedBytes / 2 + 1, Cell{});
  lanes.assign((count + 31) / 32, 0);
  for (uint32_t i = 0; i < count; ++i)
    start(*threads[i], i);
  if (launch.meets)
    runTogether();
  else
    runAlone();
  return std::move(fault);
}

uint32_t Block::liveCount() const {
  uint32_t live = 0;
  for (uint32_t warp : lanes)
    live += uint32_t(llvm::popcount(warp));
  return live;
}

bool Block::isLive(const Thread &thread) const {
  return liveLanes(thread.registers.warp) >> thread.registers.lane & 1;
}

void Block::runAlone() {
  std::vector<uint32_t> order = drawOrder(count);
  if (setjmp(home) != 0)
    return;
  for (uint32_t index : order)
    current->function(&threads[index]->registers);
}

void Block::enter(void *argument) {
  auto &thread = *static_cast<Thread *>(argument);
  Block &block = *thread.block;
  block.current->function(&thread.registers);
  block.checkEnd(thread);
  block.lanes[thread.registers.warp] &= ~(1u << thread.registers.lane);
  block.meetings.leave(block);
  block.cluster.leave(block);
  thread.fiber.pause();
}

// What is under way must have ended before the block has.
void Block::checkEnd(Thread &thread) {
  if (thread.clusterArrivals != thread.clusterWaits)
    fail(thread, FaultKind::Meeting, thread.clusterLine,
         "it ends between barrier.cluster.arrive and .wait");
  finishStores(thread);
  warpgroups[thread.index / kGroupThreads].checkEnd(thread);
  if (liveCount() > 1)
    return;
  for (const auto &[address, barrier] : mbarriers)
    if (!barrier.copies.empty())
      fail(thread, FaultKind::Race, barrier.copies.front().line,
           "the block ends while this copy to its shared memory is under way");
}

void Block::runTogether() {
  meetings.reset((count + 31) / 32);
  cluster = ClusterBarrier();
  mbarriers.clear();
  agents = Agents();
  warpgroups.assign((count + kGroupThreads - 1) / kGroupThreads, Warpgroup());
  for (Warpgroup &group : warpgroups)
    group.registers = group.wanted = current->registers;
  freeRegisters = 0;
  skips.assign((count + 31) / 32, 0);
  for (uint32_t i = 0; i < count; ++i)
    if (!threads[i]->fiber.start(&Block::enter, threads[i].get())) {
      fault = Fault{FaultKind::Launch, "no memory for the stacks of the threads"};
      return;
    }
  for (unsigned idle = 0; liveCount() > 0 && !fault;) {
    bool polledOnly = true;
    bool ran = runRound(idle > 0, polledOnly);
    if (fault)
      return;
    idle = ran && !polledOnly ? 0 : idle + 1;
    // A round in which warps rested says nothing; those after it let all of them go on.
    if (idle > mostIdleRounds || (!ran && idle > 1))
      return reportDeadlock();
  }
}

// A turn for every thread that can go on, but for warps that rest. False if there was none.
bool Block::runRound(bool all, bool &polledOnly) {
  bool ran = false;
  for (uint32_t warp : drawOrder(uint32_t(skips.size()))) {
    if (current->seed != 0) {
      skips[warp] = skips[warp] > 0 ? skips[warp] - 1 : random() % 4 == 0 ? random() % 32 : 0;
      if (skips[warp] > 0 && !all)
        continue;
    }
    for (uint32_t index = 32 * warp; index < std::min(count, 32 * warp + 32); ++index) {
      Thread &thread = *threads[index];
      if (!isLive(thread) || thread.waiting)
        continue;
      ran = true;
      thread.polled = false;
      running = &thread;
      thread.fiber.resume();
      if (fault)
        return true;
      polledOnly &= thread.polled;
    }
  }
  return ran;
}

std::vector<uint32_t> Block::drawOrder(uint32_t size) {
  std::vector<uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  if (current->seed != 0)
    std::shuffle(order.begin(), order.end(), random);
  return order;
}

int64_t Block::drawSteps() {
  return current->seed == 0 ? stepsAtOnce : int64_t(1 + random() % 256);
}

Epoch Block::epoch(uint32_t slot, uint32_t time) const {
  Epoch epoch = {};
  epoch.launch = current->number;
  epoch.block = number & ((1u << Epoch::blockBits) - 1);
  epoch.slot = slot;
  epoch.clock = std::min(time, (1u << Epoch::clockBits) - 1);
  return epoch;
}

static std::string describePosition(const uint32_t (&position)[3]) {
  return ("(" + llvm::Twine(position[0]) + ", " + llvm::Twine(position[1]) + ", " +
          llvm::Twine(position[2]) + ")")
      .str();
}

void Block::fail(Thread &thread, FaultKind kind, uint32_t line, const llvm::Twine &message) {
  const ThreadRegisters &registers = thread.registers;
  fault = Fault{kind, (current->module + ":" + llvm::Twine(line) + ": error: kernel '" +
                       current->kernel + "', block " + describePosition(registers.ctaid) +
                       ", thread " + describePosition(registers.tid) + ": " + message)
                          .str()};
  if (!current->meets)
    std::longjmp(home, 1);
  for (;;) // the one at work may act for a lane that waits
    running->fiber.pause();
}

void Block::wait(Thread &thread, const char *what, uint32_t line) {
  thread.waiting = true;
  thread.waitsFor = what;
  thread.waitsAt = line;
  while (thread.waiting)
    thread.fiber.pause();
}

void Block::wake(Thread &thread) { thread.waiting = false; }

void Block::pause(Thread &thread, bool polled, uint32_t line) {
  thread.polled = polled;
  thread.waitsFor = "something asynchronous";
  thread.waitsAt = line;
  thread.fiber.pause();
}

void Block::step(Thread &thread, uint32_t line) {
  int64_t next = drawSteps();
  thread.registers.stepsLeft = next;
  thread.steps += uint64_t(next);
  if (thread.steps > current->mostSteps)
    fail(thread, FaultKind::Deadlock, line,
         "it jumped backwards more than " + llvm::Twine(current->mostSteps) + " times");
  if (current->meets)
    pause(thread, false, line);
}

void Block::shareRegisters() {
  for (auto [g, group] : llvm::enumerate(warpgroups)) {
    if (group.wanted <= group.registers || group.wanted - group.registers > freeRegisters)
      continue;
    freeRegisters -= group.wanted - group.registers;
    group.registers = group.wanted;
    for (uint32_t i = 0; i < kGroupThreads; ++i)
      wake(*threads[g * kGroupThreads + i]);
  }
}

void Block::reportDeadlock() {
  std::map<std::pair<uint32_t, llvm::StringRef>, unsigned> groups;
  for (uint32_t i = 0; i < count; ++i)
    if (isLive(*threads[i]))
      ++groups[{threads[i]->waitsAt, threads[i]->waitsFor}];
  std::string text;
  for (auto &[place, number] : groups)
    text += (llvm::Twine(text.empty() ? "" : "; ") + llvm::Twine(number) + " at line " +
             llvm::Twine(place.first) + " for " + place.second)
                .str();
  for (const auto &[address, barrier] : mbarriers)
    if (barrier.pending < barrier.expected || barrier.bytes != 0 || barrier.underWay != 0)
      text += ("; the mbarrier at 0x" + llvm::Twine::utohexstr(address) + " misses " +
               llvm::Twine(barrier.pending) + " arrivals and " +
               llvm::Twine(barrier.bytes - barrier.underWay) + " bytes")
                  .str();
  fault =
      Fault{FaultKind::Deadlock, (current->module + ":" + llvm::Twine(groups.begin()->first.first) +
                                  ": error: kernel '" + current->kernel + "', block " +
                                  describePosition(threads[0]->registers.ctaid) +
                                  ": deadlock: of " + llvm::Twine(count) + " threads " +
                                  llvm::Twine(liveCount()) + " wait for ever: " + text)
                                     .str()};
}
