//===- Swizzle.h - where tiles lie in shared memory -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_SWIZZLE_H
#define WEFT_LIB_EMULATOR_MACHINE_SWIZZLE_H

#include <cstdint>

namespace weft::emulator {

/// Units of 16 bytes change places inside of `span` bytes (32, 64, 128; 0: they stay), by which
/// line of 128 bytes it is: bits 4 to 6 of an address, as many as count, by bits 7 to 9 (PTX
/// ISA 5.5.6). `firstLine`: the pattern starts at that line of eight.
inline uint64_t swizzle(uint64_t address, uint32_t span, uint32_t firstLine = 0) {
  uint64_t units = span / 16, line = (address >> 7) - firstLine;
  return units ? address ^ ((line & (units - 1)) << 4) : address;
}

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_SWIZZLE_H
