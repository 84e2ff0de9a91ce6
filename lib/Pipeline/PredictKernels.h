//===- PredictKernels.h - the roofline of a GPU's kernels -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_PREDICTKERNELS_H
#define WEFT_LIB_PIPELINE_PREDICTKERNELS_H

#include "weft/Pipeline/Options.h"
#include "weft/Target/TargetBackend.h"

#include "llvm/ADT/StringMap.h"

namespace weft {

/// Prints what bounds the kernels of a module of stage `kernels`, for every chip that it is
/// compiled for. The module stays as it is: a copy of it becomes PTX.
llvm::Error predictKernels(mlir::ModuleOp module, const CompileOptions &options,
                           const TargetBackend &target, const llvm::StringMap<int64_t> &sizes,
                           llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_LIB_PIPELINE_PREDICTKERNELS_H
