//===- VerifyCompilation.h - what --verify does ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_VERIFYCOMPILATION_H
#define WEFT_LIB_PIPELINE_VERIFYCOMPILATION_H

#include "weft/Import/Checkpoint.h"
#include "weft/Pipeline/Options.h"
#include "weft/Target/TargetBackend.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// The modules of a compilation that are compared.
struct VerifiedStages {
  mlir::ModuleOp graph;
  mlir::ModuleOp exact; ///< `fused` without the types of the flags; null if there are none
  mlir::ModuleOp fused;
  mlir::ModuleOp derived; ///< how weights of the last two are computed; null if none is

  mlir::ModuleOp getExact() const { return exact ? exact : fused; }
};

/// Compares stage `graph`, stage `fused` and the compiled code on random inputs, with the weights
/// of `checkpoint` or, without one, random weights. Prints a line for each comparison. The value is
/// false if something differs; the first formula that does was named then.
llvm::Expected<bool> verifyCompilation(VerifiedStages stages, const CompileOptions &options,
                                       const TargetBackend &target, const Checkpoint *checkpoint);

} // namespace weft

#endif
