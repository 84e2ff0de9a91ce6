//===- TensorSize.h - how many elements and bytes a tensor has --------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Sizes are products of numbers that a text, a file or a command line chose: all of them are
// counted here, where a product that is too large is nothing instead of another number.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_TENSORSIZE_H
#define WEFT_SUPPORT_TENSORSIZE_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>

namespace weft {

/// No dimension, and no product of the dimensions of a tensor, reaches this.
constexpr int64_t maxElements = int64_t(1) << 62;

/// No tensor, and nothing that tensors lie in (an arena, a state, a weights file), has more bytes.
/// The sum of a few such sizes fits in 63 bits, so that adding one to what passed needs no check.
constexpr int64_t maxTensorBytes = int64_t(1) << 60;

/// The number of elements of `shape`; nothing if it reaches maxElements or a dimension is negative.
/// A shape without dimensions has one element.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

/// The bytes of a tensor whose elements of `elementBits` bits lie side by side; the last byte may
/// not be full. Nothing if they are more than maxTensorBytes, or there is no number of elements.
std::optional<int64_t> tensorBytes(unsigned elementBits, llvm::ArrayRef<int64_t> shape);

} // namespace weft

#endif // WEFT_SUPPORT_TENSORSIZE_H
