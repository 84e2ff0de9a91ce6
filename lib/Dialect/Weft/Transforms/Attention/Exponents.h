//===- Exponents.h - weights that are exponentials ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_EXPONENTS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_EXPONENTS_H

#include "MaskMatch.h"

namespace weft {

/// The exponential that the value is, or where conditions hold, being 0 elsewhere; null if it is
/// none. The conditions are appended to `masks`, if that is given.
mlir::math::ExpOp getExponential(mlir::Value value,
                                 llvm::SmallVectorImpl<MaskedValue> *masks = nullptr);
/// Whether the elements are such.
bool areExponentials(MapOp op);

/// The exponentials of which the value is a product with other factors, masks among them, that are
/// read for nothing else.
llvm::SmallVector<mlir::math::ExpOp> findExponentials(mlir::Value value);

/// Emits the exponent of an exponential, minus infinity where it is 0; null if it is none.
mlir::Value emitExponent(mlir::OpBuilder &builder, mlir::Value value);

} // namespace weft

#endif
