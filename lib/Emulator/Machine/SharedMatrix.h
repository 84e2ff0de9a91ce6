//===- SharedMatrix.h - a matrix in shared memory, as wgmma sees it -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A descriptor of 64 bits (PTX ISA 9.7.15.5.1.2) says where units of 16 bytes lie: eight of them,
// of eight rows (or, of a transposed matrix, eight columns), are a core matrix.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_SHAREDMATRIX_H
#define WEFT_LIB_EMULATOR_MACHINE_SHAREDMATRIX_H

#include <cstdint>
#include <optional>

namespace weft::emulator {

struct SharedMatrix {
  uint64_t start = 0;               ///< an address in shared memory
  uint32_t leading = 0, stride = 0; ///< distances in bytes
  uint32_t span = 0;                ///< bytes that are swizzled: 0, 32, 64, 128
  uint32_t firstLine = 0;           ///< of the pattern of swizzles

  /// Nothing if bits are set that mean nothing.
  static std::optional<SharedMatrix> decode(uint64_t descriptor);

  /// Where the element of `bytes` bytes at place `row` of M or N and `k` is. `transposed`: elements
  /// of neighbouring rows lie side by side, not those of neighbouring k.
  uint64_t find(uint32_t row, uint32_t k, uint32_t bytes, bool transposed) const;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_SHAREDMATRIX_H
