//===- SplitReals.h - reals as sums of numbers of bf16 ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_SPLITREALS_H
#define WEFT_IMPORT_SPLITREALS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace weft {

/// The numbers of bf16 whose sum is taken for a real: each is what those before it leave, rounded.
void splitReal(float value, llvm::MutableArrayRef<uint16_t> parts);

/// What they stand for.
double joinParts(llvm::ArrayRef<uint16_t> parts);

/// A panel of steps of `size` elements each: of each step first the first parts of all its
/// elements, then the second ones.
std::vector<uint16_t> splitPanel(llvm::ArrayRef<float> panel, int64_t size, int64_t parts);

} // namespace weft

#endif // WEFT_IMPORT_SPLITREALS_H
