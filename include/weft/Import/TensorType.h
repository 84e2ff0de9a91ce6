//===- TensorType.h - Element types of stored tensors ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The element types a safetensors file may have, and their conversion to the two types the
// compiler computes with: 32-bit reals and 32-bit integers.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_TENSORTYPE_H
#define WEFT_IMPORT_TENSORTYPE_H

#include "weft/Support/TensorSize.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace weft {

/// The element types that are read; reals first, then integers. F8 and smaller types are not.
enum class TensorType { F64, F32, F16, BF16, I64, I32, I16, I8, U8, Bool };

/// As the file format spells it: "F32", "BF16", "BOOL".
llvm::StringRef tensorTypeName(TensorType type);
/// The type spelt `name`; nothing if it is not read.
std::optional<TensorType> tensorTypeFromName(llvm::StringRef name);
/// All of them, for messages: "F64, F32, ...".
std::string tensorTypeNames();
/// Size of an element in bytes.
unsigned tensorTypeBytes(TensorType type);
/// Whether the elements are reals (otherwise integers or bools).
bool isRealType(TensorType type);

/// "[2, 3]"; "[]" for a scalar.
std::string shapeString(llvm::ArrayRef<int64_t> shape);

/// The value of one 16-bit real. Exact: every such value is a 32-bit real.
float halfToFloat(uint16_t bits);
/// The same of a bfloat16.
float bfloatToFloat(uint16_t bits);

/// Converts `out.size()` elements stored one after another at `data` (of any alignment). 64-bit
/// reals are rounded to nearest even; integers beyond 2^24 are rounded too.
void convertToFloat(TensorType type, const uint8_t *data, llvm::MutableArrayRef<float> out);

/// The place of the first of `count` finite elements that is no finite 32-bit real; -1: there is
/// none, which is so for every type but 64-bit reals.
int64_t findBeyondFloat(TensorType type, const uint8_t *data, int64_t count);

/// The same for integers and bools (0 or 1). False if a 64-bit element does not fit, or if the type
/// is not an integer one; `out` is then incomplete.
bool convertToInt(TensorType type, const uint8_t *data, llvm::MutableArrayRef<int32_t> out);

} // namespace weft

#endif // WEFT_IMPORT_TENSORTYPE_H
