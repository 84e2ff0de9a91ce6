//===- Fiber.cpp - a function that can pause ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Fiber.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <sys/mman.h>

using namespace weft::emulator;

// Pages are taken once they are touched, so a thousand of them cost little.
static constexpr size_t stackBytes = 256 << 10;

Fiber::~Fiber() {
  if (stack)
    munmap(stack, stackBytes);
}

bool Fiber::start(void (*newFunction)(void *), void *newArgument) {
  if (!stack) {
    stack = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) {
      stack = nullptr;
      return false;
    }
    // What runs over the end of a stack stops there.
    mprotect(stack, 4096, PROT_NONE);
  }
  function = newFunction;
  argument = newArgument;
  prepare();
  return true;
}

#if WEFT_OWN_FIBERS

// What a function may expect to find again is on the stack that it leaves; of the one that it goes
// to the same is taken. The first steps of a fiber have who they are in rbx, where to go in r12.
asm(R"(
  .text
  .local weft_emulator_switch
weft_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .local weft_emulator_begin
weft_emulator_begin:
  movq %rbx, %rdi
  callq *%r12
  ud2
)");
extern "C" {
void weft_emulator_switch(void **left, void *entered);
void weft_emulator_begin();
}

void Fiber::prepare() {
  // Six registers and where to return to: there the stack is even by 16 bytes, as for a call.
  auto *top = reinterpret_cast<uintptr_t *>(static_cast<char *>(stack) + stackBytes) - 9;
  uintptr_t registers[7] = {};
  registers[3] = reinterpret_cast<uintptr_t>(&Fiber::enter);
  registers[4] = reinterpret_cast<uintptr_t>(this);
  registers[6] = reinterpret_cast<uintptr_t>(&weft_emulator_begin);
  for (size_t i = 0; i < std::size(registers); ++i)
    top[i] = registers[i];
  inside = top;
}

void Fiber::enter(Fiber *fiber) { fiber->function(fiber->argument); }

void Fiber::resume() { weft_emulator_switch(&outside, inside); }

void Fiber::pause() { weft_emulator_switch(&inside, outside); }

#else

void Fiber::prepare() {
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = stackBytes;
  inside.uc_link = &outside;
  // makecontext passes int arguments only.
  auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&inside, reinterpret_cast<void (*)()>(&Fiber::enter), 2, unsigned(self),
              unsigned(uint64_t(self) >> 32));
}

void Fiber::enter(unsigned low, unsigned high) {
  auto *fiber = reinterpret_cast<Fiber *>(uintptr_t(uint64_t(high) << 32 | low));
  fiber->function(fiber->argument);
}

void Fiber::resume() { swapcontext(&outside, &inside); }

void Fiber::pause() { swapcontext(&inside, &outside); }

#endif
