//===- StagePipelines.h - the passes between two stages -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_STAGEPIPELINES_H
#define WEFT_LIB_PIPELINE_STAGEPIPELINES_H

#include "weft/Pipeline/Options.h"
#include "weft/Target/TargetBackend.h"

#include "mlir/Pass/PassManager.h"

namespace weft {

/// Runs the passes that lead from the stage before `stage` to `stage` (Fused to LLVMDialect) on
/// `module`, and those that `addMore` adds.
mlir::LogicalResult runStage(mlir::ModuleOp module, Stage stage, const CompileOptions &options,
                             const TargetBackend &target,
                             llvm::function_ref<void(mlir::PassManager &)> addMore = {});

/// What the target is told of the user's options.
CodeOptions getCodeOptions(const CompileOptions &options);

} // namespace weft

#endif
