//===- VerifyMemoryPlan.h - a place for everything, at any time -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_VERIFYMEMORYPLAN_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_VERIFYMEMORYPLAN_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Buffers, arenas of layers and tensors of defaults lie in the arena of `function`, which calls
/// kernels; none shares bytes with what lives at the same time.
mlir::LogicalResult verifyMemoryPlan(mlir::func::FuncOp function,
                                     const mlir::SymbolTable &functions);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_WEFTTOKERNELS_VERIFYMEMORYPLAN_H
