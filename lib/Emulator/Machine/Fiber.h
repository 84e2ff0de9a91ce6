//===- Fiber.h - a function that can pause --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_FIBER_H
#define WEFT_LIB_EMULATOR_MACHINE_FIBER_H

#include <csetjmp>
#include <ucontext.h>

namespace weft::emulator {

class Fiber {
public:
  Fiber() = default;
  Fiber(const Fiber &) = delete;
  ~Fiber();

  /// The next resume() calls the function, which must not return but pause for ever. False if there
  /// is no memory for a stack, which is kept for the next function.
  bool start(void (*function)(void *), void *argument);
  /// Runs the function up to its next pause().
  void resume();
  /// Called by the function: goes back to who resumed it.
  void pause();

private:
  static void enter(unsigned low, unsigned high);

  ucontext_t inside, outside;
  jmp_buf insidePlace, outsidePlace; ///< once it was entered
  bool isEntered = false;
  void *stack = nullptr;
  void (*function)(void *) = nullptr;
  void *argument = nullptr;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_FIBER_H
