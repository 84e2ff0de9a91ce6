//===- EmitAffine.h - affine expressions as scalar code -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_EMITAFFINE_H
#define WEFT_DIALECT_WEFT_IR_EMITAFFINE_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Whether `expr` is never negative, given that indices and sizes are not.
bool isNonNegative(mlir::AffineExpr expr);

/// Emits the value of `expr` as index arithmetic; `getDim` emits that of one of its dimensions.
mlir::Value emitAffine(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr expr,
                       llvm::function_ref<mlir::Value(unsigned)> getDim);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_EMITAFFINE_H
