//===- TensorSize.cpp - how many elements and bytes a tensor has ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/TensorSize.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace weft {

std::optional<int64_t> elementCount(ArrayRef<int64_t> shape) {
  // A zero anywhere makes the count zero, but only the other factors decide about overflow: a
  // reader that multiplies in another order must not see another result.
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
    if (size != 0 && (MulOverflow(count, size, count) || count >= maxElements))
      return std::nullopt;
  }
  return empty ? 0 : count;
}

std::optional<int64_t> tensorBytes(unsigned elementBits, ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = elementCount(shape);
  int64_t bits;
  // Bytes that are whole are counted as such: maxTensorBytes of them have more than 63 bits.
  int64_t unit = elementBits % 8 == 0 ? elementBits / 8 : elementBits;
  if (!count || MulOverflow(*count, unit, bits))
    return std::nullopt;
  int64_t bytes = elementBits % 8 == 0 ? bits : int64_t(divideCeil(uint64_t(bits), 8));
  return bytes <= maxTensorBytes ? std::optional(bytes) : std::nullopt;
}

} // namespace weft
