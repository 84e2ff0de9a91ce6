//===- AffineValue.h - scalar code as affine expressions ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_AFFINEVALUE_H
#define WEFT_DIALECT_WEFT_IR_AFFINEVALUE_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// What `value`, of a formula's region, is as an affine expression of the formula's indices, or
/// null. `symbolOf` gives the symbol that stands for a run-time size; without it, none may occur.
mlir::AffineExpr getAffineExpr(mlir::Value value,
                               llvm::function_ref<mlir::AffineExpr(SizeOp)> symbolOf = nullptr);

/// The symbol that stands for a run-time size among `symbols`, which its name joins where it is
/// new.
mlir::AffineExpr getSymbolExpr(llvm::StringRef name,
                               llvm::SmallVectorImpl<llvm::StringRef> &symbols,
                               mlir::MLIRContext *context);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_AFFINEVALUE_H
