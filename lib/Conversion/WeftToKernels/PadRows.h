//===- PadRows.h - rows that a matrix unit loads fast ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_PADROWS_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_PADROWS_H

#include "mlir/IR/BuiltinTypes.h"

namespace weft {

/// The buffer of a tensor that is stored by its first dimension and of which products in panels
/// multiply whole rows of bf16 or codes: these begin an odd number of lines apart. Nothing if it is
/// a buffer like any other.
mlir::MemRefType getPaddedType(mlir::OpResult tensor);

/// What such a buffer, of the padded type or of its own, takes for the largest sizes: rows that a
/// unit multiplies are whole tiles.
int64_t getBytesOfTiles(mlir::OpResult tensor, mlir::MemRefType padded);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_WEFTTOKERNELS_PADROWS_H
