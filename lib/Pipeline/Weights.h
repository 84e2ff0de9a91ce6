//===- Weights.h - the weights file of a compiled module ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_WEIGHTS_H
#define WEFT_LIB_PIPELINE_WEIGHTS_H

#include "weft/Import/WeightPacker.h"
#include "weft/Pipeline/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// Gives weights that are reals of fewer than 32 bits in the checkpoint, and not declared otherwise
/// in the text, these types; a function that is called for weights of several types has a copy for
/// each.
void takeStoredTypes(mlir::ModuleOp module, const Checkpoint &checkpoint);

/// Keeps the checkpoint rules with the module, so that any printed stage can be continued from, and
/// the names of declared weights that the module no longer has: a checkpoint may hold them.
void attachRules(mlir::ModuleOp module, const CheckpointRules &rules);
CheckpointRules attachedRules(mlir::ModuleOp module);

/// Of a checkpoint that lacks more of the weights that stage `graph` reads than it has tensors,
/// what is missing and what is not used: it is another model's, which is said before this one is
/// compiled. Of any other the same is said when the weights are packed, without those that
/// optimisation found to be read in vain.
llvm::Error refuseForeign(mlir::ModuleOp graph, const Checkpoint &checkpoint);

/// What the code of a module of stage `kernels` expects in its weights file.
WeightsFile describeWeights(mlir::ModuleOp module);

} // namespace weft

#endif
