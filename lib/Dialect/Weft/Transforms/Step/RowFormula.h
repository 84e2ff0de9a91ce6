//===- RowFormula.h - a formula as a step computes it ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_ROWFORMULA_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_ROWFORMULA_H

#include "TensorForms.h"

#include "mlir/IR/IRMapping.h"

namespace weft {

/// Writes the formula (or check) `op` at the builder's place, for the rows of the computation's
/// index, or for all it defines: it reads `forms` of the tensors, and what it says of the position
/// t is said of t + T - N (N being 1 for the last row). `scalars` maps what it takes from outside
/// its regions.
mlir::Operation *emitComputation(mlir::OpBuilder &builder, const StepTypes &types,
                                 const FormMap &forms, const mlir::IRMapping &scalars,
                                 IndexedOpInterface op, const Computation &computation);

/// The last of the new rows of a tensor, along dimension `rowDim`.
mlir::Value emitLast(mlir::OpBuilder &builder, const StepTypes &types, mlir::Value rows,
                     unsigned rowDim);

} // namespace weft

#endif
