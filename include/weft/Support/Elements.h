//===- Elements.h - elements of all types in memory -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Elements lie one after another at `data`, little-endian, of any alignment. Reals are rounded to
// the nearest value that the type has, ties to even; what is beyond its numbers becomes infinite.
// Integers lose their upper bits.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_ELEMENTS_H
#define WEFT_SUPPORT_ELEMENTS_H

#include "weft/Support/ElementType.h"

namespace weft {

/// Element `index`: as a real of every type, as an integer of integers and bools (0 or 1).
double loadReal(ElementType type, const void *data, int64_t index);
int64_t loadInt(ElementType type, const void *data, int64_t index);

/// Sets element `index` of a type of reals; of a type of integers, or a bool: whether it is not 0.
void storeReal(ElementType type, void *data, int64_t index, double value);
void storeInt(ElementType type, void *data, int64_t index, int64_t value);

/// What is read after it was stored.
double roundReal(ElementType type, double value);
int64_t wrapInt(ElementType type, int64_t value);

/// Converts `out.size()` elements; integers beyond 2^24 are rounded.
void convertToFloat(ElementType type, const uint8_t *data, llvm::MutableArrayRef<float> out);
/// The same for integers and bools. False if an element does not fit, or if the type is one of
/// reals; `out` is then incomplete.
bool convertToInt(ElementType type, const uint8_t *data, llvm::MutableArrayRef<int32_t> out);
/// Stores reals one after another.
void convertFromFloat(ElementType type, llvm::ArrayRef<float> values, uint8_t *out);

/// The place of the first of `count` finite elements that becomes infinite in type `wanted`; -1 if
/// there is none.
int64_t findBeyond(ElementType wanted, ElementType type, const uint8_t *data, int64_t count);

} // namespace weft

#endif // WEFT_SUPPORT_ELEMENTS_H
