//===- Passes.h - stage loops to stage llvm -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_KERNELSTOLLVM_PASSES_H
#define WEFT_CONVERSION_KERNELSTOLLVM_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace weft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "weft/Conversion/KernelsToLLVM/Passes.h.inc"

/// Adds the passes that simplify loops as the kernels wrote them (stage loops).
void buildSimplifyLoopsPipeline(mlir::OpPassManager &pm);

/// Adds the passes to the LLVM dialect that follow `weft-lower-addresses` and `weft-lower-calls`.
void buildLLVMPipeline(mlir::OpPassManager &pm);

/// Makes them known to weft-opt as --weft-simplify-loops and --weft-lower-to-llvm.
void registerKernelsToLLVMPipelines();

/// The function of a module that says whether the machine can run its code: `i32 ()`, a
/// weft_processor_check. The target writes it, if there is something to ask.
inline constexpr llvm::StringLiteral kProcessorCheck = "weft.processor";

/// On a module: what its code needs of a machine, a list of LLVM's names of features.
inline constexpr llvm::StringLiteral kProcessorFeatures = "weft_cpu.features";

} // namespace weft

#endif // WEFT_CONVERSION_KERNELSTOLLVM_PASSES_H
