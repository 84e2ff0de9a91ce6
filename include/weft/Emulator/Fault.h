//===- Fault.h - what a kernel did wrong ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_EMULATOR_FAULT_H
#define WEFT_EMULATOR_FAULT_H

#include <cstdint>
#include <string>

namespace weft::emulator {

enum class FaultKind : uint8_t {
  Launch,    ///< a grid or block that the device or the kernel cannot have
  Address,   ///< outside every allocation
  Alignment, ///< an address that is no multiple of the access's size
  Race,      ///< two accesses that nothing orders
  Deadlock,  ///< no thread can go on, or one goes on for ever
  Meeting,   ///< threads that meet where they may not, or with different operands
  Trap,      ///< the kernel says so itself
};

/// The message is one line: where in the text, which kernel, block and thread, what is wrong.
struct Fault {
  FaultKind kind;
  std::string message;
};

} // namespace weft::emulator

#endif // WEFT_EMULATOR_FAULT_H
