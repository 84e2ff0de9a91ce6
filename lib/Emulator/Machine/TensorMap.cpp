//===- TensorMap.cpp - a tensor as bulk copies see it ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Emulator/TensorMap.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace weft::emulator;

static constexpr uint64_t mark = 0x70616d2d74666577; // "weft-map"
// The driver's limits.
static constexpr uint64_t mostElements = uint64_t(1) << 32, mostStride = uint64_t(1) << 40;
static constexpr uint32_t mostBox = 256;

namespace {

struct Encoded {
  uint64_t mark, address, strides[4];
  uint32_t lastElements[5]; // sizes less 1, as 2^32 is a size
  uint16_t box[5];
  uint8_t rank, elementBytes, swizzle;
};

} // namespace

static_assert(sizeof(Encoded) <= kTensorMapBytes);

uint64_t TensorMap::boxBytes() const {
  uint64_t bytes = elementBytes;
  for (uint32_t i = 0; i < rank; ++i)
    bytes *= box[i];
  return bytes;
}

static std::string findBadDimension(const TensorMap &map, uint32_t i) {
  auto of = [&](const char *what, uint64_t value, const llvm::Twine &rule) {
    return (llvm::Twine(what) + " " + llvm::Twine(value) + " of dimension " + llvm::Twine(i) +
            ": " + rule)
        .str();
  };
  if (map.sizes[i] < 1 || map.sizes[i] > mostElements)
    return of("size", map.sizes[i], "1 to 2^32 elements are expected");
  if (i > 0 && (map.strides[i] % 16 != 0 || map.strides[i] >= mostStride))
    return of("stride", map.strides[i], "a multiple of 16 bytes below 2^40 is expected");
  if (map.box[i] < 1 || map.box[i] > mostBox)
    return of("box", map.box[i], "1 to 256 elements are expected");
  return "";
}

std::string weft::emulator::findBadTensorMap(const TensorMap &map) {
  if (map.rank < 1 || map.rank > 5)
    return ("rank " + llvm::Twine(map.rank) + ": 1 to 5 dimensions are expected").str();
  if (map.address % 16 != 0)
    return "the tensor's address is no multiple of 16";
  for (uint32_t i = 0; i < map.rank; ++i)
    if (std::string problem = findBadDimension(map, i); !problem.empty())
      return problem;
  uint32_t row = map.box[0] * map.elementBytes;
  if (row % 16 != 0)
    return ("a box with rows of " + llvm::Twine(row) + " bytes: a multiple of 16 is expected")
        .str();
  if (map.swizzle && row > map.swizzle)
    return ("a box with rows of " + llvm::Twine(row) + " bytes: swizzled are at most " +
            llvm::Twine(map.swizzle))
        .str();
  // How far such rows are from each other in shared memory is written nowhere.
  if (map.swizzle && row < map.swizzle)
    return ("a box with rows of " + llvm::Twine(row) + " bytes, swizzled by " +
            llvm::Twine(map.swizzle) + ", is not known here")
        .str();
  return "";
}

void weft::emulator::encodeTensorMap(const TensorMap &map, void *to) {
  Encoded encoded = {};
  encoded.mark = mark;
  encoded.address = map.address;
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (i > 0)
      encoded.strides[i - 1] = map.strides[i];
    encoded.lastElements[i] = uint32_t(map.sizes[i] - 1);
    encoded.box[i] = uint16_t(map.box[i]);
  }
  encoded.rank = uint8_t(map.rank);
  encoded.elementBytes = uint8_t(map.elementBytes);
  encoded.swizzle = uint8_t(map.swizzle);
  std::memset(to, 0, kTensorMapBytes);
  std::memcpy(to, &encoded, sizeof encoded);
}

std::optional<TensorMap> weft::emulator::decodeTensorMap(const void *from) {
  Encoded encoded;
  std::memcpy(&encoded, from, sizeof encoded);
  if (encoded.mark != mark || encoded.rank < 1 || encoded.rank > 5)
    return std::nullopt;
  TensorMap map;
  map.address = encoded.address;
  map.rank = encoded.rank;
  map.elementBytes = encoded.elementBytes;
  map.swizzle = encoded.swizzle;
  map.strides[0] = encoded.elementBytes;
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (i > 0)
      map.strides[i] = encoded.strides[i - 1];
    map.sizes[i] = uint64_t(encoded.lastElements[i]) + 1;
    map.box[i] = encoded.box[i];
  }
  return findBadTensorMap(map).empty() ? std::optional(map) : std::nullopt;
}
