//===- FreshTensors.h - which tensors new positions change ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_FRESHTENSORS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_FRESHTENSORS_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// The tensors of `function` that follow, through formulas and calls, from those of its arguments
/// for which `freshArguments` is true.
llvm::DenseSet<mlir::Value> findFresh(mlir::func::FuncOp function,
                                      llvm::ArrayRef<bool> freshArguments);

/// The function that `call` calls; null if it has no body here.
mlir::func::FuncOp getCallee(mlir::func::CallOp call);

} // namespace weft

#endif
