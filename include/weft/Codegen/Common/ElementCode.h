//===- ElementCode.h - from elements in memory to numbers and back --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Reals of 16 bits and fewer are converted by integer arithmetic: it is the same on every
// processor, bit for bit, and calls nothing that an object would have to bring along. f16, for
// which many have instructions, is left to `arith.extf` and `arith.truncf`; a target without them
// writes the integer arithmetic in their place (weft-expand-halves), with the same results.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_ELEMENTCODE_H
#define WEFT_CODEGEN_COMMON_ELEMENTCODE_H

#include "weft/Codegen/Common/Lanes.h"

namespace weft {

/// An integer constant of the type of another value, in every lane of it.
mlir::Value constantLike(LaneBuilder &lanes, mlir::Value like, int64_t value);

/// What was loaded, a scalar or one for each lane, as a number of the compute type. A byte that is
/// not 0 is true.
mlir::Value extendElement(LaneBuilder &lanes, mlir::Value loaded, mlir::Type storage);

/// A number of the compute type as it is stored: a real rounded to nearest, ties to even, an
/// integer cut to its lower bits.
mlir::Value roundElement(LaneBuilder &lanes, mlir::Value number, mlir::Type storage);

/// The integer arithmetic, for reals.
mlir::Value extendByBits(LaneBuilder &lanes, mlir::Value loaded, mlir::Type storage);
mlir::Value roundByBits(LaneBuilder &lanes, mlir::Value number, mlir::Type storage);

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_ELEMENTCODE_H
