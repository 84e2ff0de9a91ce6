//===- TensorMap.h - a tensor as bulk copies see it -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What cuTensorMapEncodeTiled puts into the 128 bytes of a CUtensorMap. Its form is the driver's
// secret, so that of the emulated driver is its own.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_EMULATOR_TENSORMAP_H
#define WEFT_EMULATOR_TENSORMAP_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace weft::emulator {

inline constexpr size_t kTensorMapBytes = 128;

/// A tensor in global memory and the box of it that a copy moves; the innermost dimension first.
struct TensorMap {
  uint64_t address = 0;
  uint32_t rank = 0; ///< 1 to 5
  uint32_t elementBytes = 0;
  std::array<uint64_t, 5> sizes = {};   ///< in elements
  std::array<uint64_t, 5> strides = {}; ///< in bytes; the first is not looked at
  std::array<uint32_t, 5> box = {};     ///< in elements
  uint32_t swizzle = 0;                 ///< the bytes of its span, 32, 64 or 128; 0: none

  uint64_t boxBytes() const;
};

/// What the driver's documentation does not allow in it; "" if nothing.
std::string findBadTensorMap(const TensorMap &map);
/// Writes a good map to kTensorMapBytes bytes.
void encodeTensorMap(const TensorMap &map, void *to);
/// The map that the bytes are; nothing if they are none.
std::optional<TensorMap> decodeTensorMap(const void *from);

} // namespace weft::emulator

#endif // WEFT_EMULATOR_TENSORMAP_H
