//===- RunKernel.h - a kernel of `nvx` ops in the emulator ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_CODEGEN_RUNKERNEL_H
#define WEFT_TEST_UNIT_CODEGEN_RUNKERNEL_H

#include "weft/Codegen/Common/Lanes.h"

#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

namespace weft {

// Small integers, which all formats have; different in every place.
inline int valueOf(int64_t seed, int64_t row, int64_t column) {
  return int((seed + 7 * row + 3 * column) % 11) - 5;
}
inline uint32_t asTF32(int value) { return llvm::bit_cast<uint32_t>(float(value)); }
inline uint32_t asBF16(int value) { return asTF32(value) >> 16; }
inline uint32_t asF16(int value) {
  static const uint32_t codes[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};
  return codes[std::abs(value)] | (value < 0 ? 0x8000 : 0);
}

/// Adds code to a kernel, which has these arguments and the number of its thread, of 32 bits.
using Emit =
    llvm::function_ref<void(LaneBuilder &lanes, mlir::Value in, mlir::Value out, mlir::Value lane)>;

/// Where number `i` is of the `count` words, of 32 bits, that each thread has behind the others'.
mlir::Value emitPlace(LaneBuilder &lanes, mlir::Value base, mlir::Value lane, int count, int i);

/// The PTX of a module of the device with one kernel `f`, which has `%in`, `%out`, the number of
/// its thread as `%lane`, and `@memory` to share.
std::string compile(const std::string &body, const std::string &chip = "sm_80",
                    int64_t sharedBytes = 1024, Emit emit = nullptr);

/// What the threads make of the input; no numbers after a fault.
std::vector<float> run(const std::string &ptx, const std::vector<uint32_t> &input, size_t count,
                       uint32_t threads = 32);

} // namespace weft

#endif // WEFT_TEST_UNIT_CODEGEN_RUNKERNEL_H
