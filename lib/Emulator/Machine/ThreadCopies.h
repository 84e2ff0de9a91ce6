//===- ThreadCopies.h - the asynchronous copies of a thread ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_THREADCOPIES_H
#define WEFT_LIB_EMULATOR_MACHINE_THREADCOPIES_H

#include <cstdint>
#include <vector>

namespace weft::emulator {

/// cp.async: `bytes` to shared memory, of which the first `present` come from global memory and the
/// others are 0.
struct Copy {
  uint64_t to, from;
  uint32_t bytes, present, line;
};

struct ThreadCopies {
  std::vector<Copy> open;                ///< not committed
  std::vector<std::vector<Copy>> groups; ///< committed, the oldest first
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_THREADCOPIES_H
