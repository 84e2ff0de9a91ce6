//===- DerivedValues.h - the numbers of derived weights -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_DERIVEDVALUES_H
#define WEFT_LIB_PIPELINE_DERIVEDVALUES_H

#include "weft/Import/Checkpoint.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// Adds the weights that the functions of `derived` compute to the checkpoint, as tensors that are
/// computed where they are read. Errors name what the checkpoint lacks for them.
llvm::Error addDerivedWeights(mlir::ModuleOp derived, Checkpoint &checkpoint);

} // namespace weft

#endif // WEFT_LIB_PIPELINE_DERIVEDVALUES_H
