//===- Fiber.h - a function that can pause --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_FIBER_H
#define WEFT_LIB_EMULATOR_MACHINE_FIBER_H

// The system's contexts ask it for the mask of signals whenever one takes the place of another,
// which would take more time than what is emulated. What checks addresses knows them alone.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
#define WEFT_OWN_FIBERS 1
#else
#define WEFT_OWN_FIBERS 0
#include <ucontext.h>
#endif

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
  /// The next resume() enters the function.
  void prepare();

#if WEFT_OWN_FIBERS
  static void enter(Fiber *fiber);

  void *inside = nullptr, *outside = nullptr; ///< what the stack ends with
#else
  static void enter(unsigned low, unsigned high);

  ucontext_t inside, outside;
#endif
  void *stack = nullptr;
  void (*function)(void *) = nullptr;
  void *argument = nullptr;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_FIBER_H
