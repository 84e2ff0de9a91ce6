//===- TableCode.h - code for weights that are codes of a table -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_TABLECODE_H
#define WEFT_CODEGEN_COMMON_TABLECODE_H

#include "weft/Codegen/Common/Kernel.h"

namespace weft {

/// Looks a number of 0 to 15 up, of words of which it is the lower half byte.
using TableLookUp = mlir::Value (*)(LaneBuilder &lanes, mlir::Value words,
                                    llvm::ArrayRef<float> values);

/// The same by choosing between the values, for any target.
mlir::Value lookUpBySelects(LaneBuilder &lanes, mlir::Value words, llvm::ArrayRef<float> values);

/// What codes stand for, up to a power of two: bytes (i8), of codes of 4 bits with those of row
/// `part` of two.
mlir::Value decodeBytes(LaneBuilder &lanes, mlir::Value bytes, int64_t part, CodeTable table,
                        TableLookUp lookUp = lookUpBySelects);

/// A scale times that power: what was decoded is to be multiplied by it.
mlir::Value scaleDecoded(LaneBuilder &lanes, mlir::Value scale, CodeTable table);

/// What was decoded, with what its group shares: the scale, and the shift if the table has one.
mlir::Value applyShared(LaneBuilder &lanes, mlir::Value real, mlir::Value scale, mlir::Value shift,
                        CodeTable table);

/// Where in its panel group `number` begins, and the factor of its scales or shifts.
Lanes getGroupPlace(LaneBuilder &lanes, const ScaledPanel &panel, const Lanes &number);
Lanes getOuterPlace(LaneBuilder &lanes, const ScaledPanel &panel, const Lanes &number,
                    bool isShift);

/// The panels of a buffer of such codes.
ScaledPanel getScaledPanel(const Buffer &buffer);

/// Reads its elements as `loadElements` does; the offset counts each as an f32.
Lanes loadScaled(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset, mlir::Value mask);

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_TABLECODE_H
