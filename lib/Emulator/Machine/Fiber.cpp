//===- Fiber.cpp - a function that can pause ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Fiber.h"

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>

using namespace weft::emulator;

// Contexts ask the system for the mask of signals whenever one takes the place of another, which
// would take more time than what is emulated. Jumps do not; a context is for a fiber's first steps.
// What checks jumps knows one stack alone.
#if __USE_FORTIFY_LEVEL > 0 || defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
static constexpr bool canJump = false;
#else
static constexpr bool canJump = true;
#endif

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
  isEntered = false;
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = stackBytes;
  inside.uc_link = &outside;
  // makecontext passes int arguments only.
  auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&inside, reinterpret_cast<void (*)()>(&Fiber::enter), 2, unsigned(self),
              unsigned(uint64_t(self) >> 32));
  return true;
}

void Fiber::enter(unsigned low, unsigned high) {
  auto *fiber = reinterpret_cast<Fiber *>(uintptr_t(uint64_t(high) << 32 | low));
  fiber->function(fiber->argument);
}

void Fiber::resume() {
  if (!canJump) {
    swapcontext(&outside, &inside);
    return;
  }
  if (_setjmp(outsidePlace))
    return;
  if (isEntered)
    _longjmp(insidePlace, 1);
  isEntered = true;
  setcontext(&inside);
}

void Fiber::pause() {
  if (!canJump)
    swapcontext(&inside, &outside);
  else if (!_setjmp(insidePlace))
    _longjmp(outsidePlace, 1);
}
