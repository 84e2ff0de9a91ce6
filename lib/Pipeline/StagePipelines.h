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

/// Adds the passes that lead from the stage before `stage` to `stage` (Fused to LLVMDialect).
void buildStage(mlir::OpPassManager &pm, Stage stage, const CompileOptions &options,
                const TargetBackend &target);

/// What the target is told of the user's options.
CodeOptions getCodeOptions(const CompileOptions &options);

} // namespace weft

#endif
