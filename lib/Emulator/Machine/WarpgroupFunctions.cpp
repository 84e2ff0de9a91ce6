//===- WarpgroupFunctions.cpp - what four warps do together, as kernels call it -------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Runtime.h"

using namespace weft::emulator;

static constexpr uint32_t wholeWarp = 0xffffffff;

static Warpgroup &groupOf(Thread &thread) {
  return thread.block->warpgroups[thread.index / kGroupThreads];
}

// `types`: of A, B and the sum, a byte each.
static void begin(Thread *thread, uint32_t n, uint32_t types, uint32_t flags, uint32_t adds,
                  uint64_t a, uint64_t b, FragmentRegister *registers, const uint32_t *numbers,
                  uint32_t line) {
  ProductForm form;
  form.n = n;
  form.flags = flags;
  form.a = FactorType(types & 0xff);
  form.b = FactorType(types >> 8 & 0xff);
  form.sum = SumType(types >> 16);
  ProductRequest own{thread, form, adds != 0, a, b, registers, numbers};
  Warpgroup &group = groupOf(*thread);
  group.meet(*thread, "wgmma.mma_async", line, &own,
             [&](const GroupPayloads &requests) { group.begin(requests, line); });
}

static void fence(Thread *thread, uint32_t line) {
  thread->block->meetings.meet(*thread, wholeWarp, "wgmma.fence", true, line, nullptr,
                               [](const LanePayloads &) {});
  ++thread->registers.fences;
}

static void commit(Thread *thread, uint32_t line) {
  thread->block->meetings.meet(
      *thread, wholeWarp, "wgmma.commit_group", true, line, nullptr,
      [&](const LanePayloads &) { groupOf(*thread).commit(thread->registers.warp); });
}

static void wait(Thread *thread, uint32_t left, uint32_t line) {
  Warpgroup &group = groupOf(*thread);
  thread->block->meetings.meet(*thread, wholeWarp, "wgmma.wait_group", true, line, nullptr,
                               [&](const LanePayloads &) { group.wait(*thread, left); });
  thread->clocks.learn(kFirstProduct + thread->index / kGroupThreads,
                       group.time(thread->registers.warp), thread->block->slotCount());
}

static void reportBusy(Thread *thread, uint32_t line) {
  thread->block->fail(*thread, FaultKind::Race, line,
                      "accesses a register that a product of the warpgroup uses, which it has not "
                      "waited for");
}

// What is released can be had by other warpgroups of the block; who wants more waits for it.
static void setRegisters(Thread *thread, uint32_t number, uint32_t increases, uint32_t line) {
  Warpgroup &group = groupOf(*thread);
  Block &block = *thread->block;
  group.meet(*thread, "setmaxnreg", line, nullptr, [&](const GroupPayloads &) {
    if (increases ? number < group.registers : number > group.registers)
      block.fail(*thread, FaultKind::Meeting, line,
                 llvm::Twine(increases ? "setmaxnreg.inc" : "setmaxnreg.dec") + " to " +
                     llvm::Twine(number) + " registers, but it has " +
                     llvm::Twine(group.registers));
    group.wanted = number;
    if (!increases) {
      block.freeRegisters += group.registers - number;
      group.registers = number;
    }
    block.shareRegisters();
  });
  while (group.registers < number)
    block.wait(*thread, "registers that other warpgroups release", line);
}

llvm::ArrayRef<RuntimeFunction> weft::emulator::warpgroupFunctions() {
  static const RuntimeFunction functions[] = {
      {"wgmma", begin, true},
      {"wgmma_fence", fence, true},
      {"wgmma_commit", commit, true},
      {"wgmma_wait", wait, true},
      {"busy_register", reportBusy, true},
      {"set_registers", setRegisters, true},
  };
  return functions;
}
