//===- SharedMatrix.cpp - a matrix in shared memory, as wgmma sees it -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/SharedMatrix.h"
#include "Machine/Swizzle.h"

using namespace weft::emulator;

// Addresses and distances have 14 bits each, without their lowest four.
static uint32_t field(uint64_t descriptor, unsigned position) {
  return uint32_t(descriptor >> position & 0x3fff) << 4;
}

std::optional<SharedMatrix> SharedMatrix::decode(uint64_t descriptor) {
  constexpr uint32_t spans[] = {0, 128, 64, 32};
  constexpr uint64_t distance = 0x3fff, line = 7, mode = 3;
  constexpr uint64_t known = distance | distance << 16 | distance << 32 | line << 49 | mode << 62;
  if (descriptor & ~known)
    return std::nullopt;
  SharedMatrix matrix;
  matrix.start = field(descriptor, 0);
  matrix.leading = field(descriptor, 16);
  matrix.stride = field(descriptor, 32);
  matrix.firstLine = uint32_t(descriptor >> 49 & line);
  matrix.span = spans[descriptor >> 62];
  return matrix;
}

uint64_t SharedMatrix::find(uint32_t row, uint32_t k, uint32_t bytes, bool transposed) const {
  // `major` runs through the elements of a unit, `minor` through the units of a core matrix.
  uint32_t major = transposed ? row : k, minor = transposed ? k : row;
  uint32_t elements = 16 / bytes, unit = major / elements, units = span / 16;
  uint64_t offset = 0;
  if (span == 0)
    offset = transposed ? unit * uint64_t(stride) + minor / 8 * uint64_t(leading)
                        : unit * uint64_t(leading) + minor / 8 * uint64_t(stride);
  else // a row of units that lie side by side; if there are more, the leading distance is between
    offset = unit % units * 16 + unit / units * uint64_t(leading) + minor / 8 * uint64_t(stride);
  offset += minor % 8 * (span == 0 ? 16 : span);
  return swizzle(start + offset, span, firstLine) + major % elements * bytes;
}
