//===- FunctionEquivalence.h - functions that compute the same -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_FUNCTIONEQUIVALENCE_H
#define WEFT_DIALECT_WEFT_IR_FUNCTIONEQUIVALENCE_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Equal up to name and places in the text.
bool areEquivalent(mlir::func::FuncOp a, mlir::func::FuncOp b);

/// Equivalent functions have the same hash.
llvm::hash_code hashOf(mlir::func::FuncOp function);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_FUNCTIONEQUIVALENCE_H
