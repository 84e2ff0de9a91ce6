//===- TensorPart.h - what of a tensor belongs to some positions ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_TENSORPART_H
#define WEFT_SUPPORT_TENSORPART_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace weft {

/// The part of a row-major tensor that a call for some positions of a sequence sees.
class TensorPart {
public:
  /// What of a dimension: all of it, the new positions, or all positions up to the last new one.
  enum class Dim { Whole, New, Seen };

  /// Of a tensor of shape `whole`, for the new positions [first, first + count).
  TensorPart(llvm::ArrayRef<Dim> dims, llvm::ArrayRef<int64_t> whole, int64_t first, int64_t count);

  /// Its own shape.
  llvm::ArrayRef<int64_t> shape() const { return extent; }
  /// The number of its elements.
  int64_t size() const;
  /// Calls `visit(place in the whole, place in the part)` for every element, in row-major order.
  void forEach(llvm::function_ref<void(int64_t, int64_t)> visit) const;

private:
  llvm::SmallVector<int64_t> whole, start, extent;
};

} // namespace weft

#endif // WEFT_SUPPORT_TENSORPART_H
