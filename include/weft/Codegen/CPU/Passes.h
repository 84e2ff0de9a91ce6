//===- Passes.h - stage kernels to stage loops for a CPU ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_CPU_PASSES_H
#define WEFT_CODEGEN_CPU_PASSES_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace weft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "weft/Codegen/CPU/Passes.h.inc"

/// The function that parallel kernels call: `void weft_parallel_for(ptr fn, ptr context, i64 n)`.
inline constexpr llvm::StringLiteral kParallelFor = "weft_parallel_for";

} // namespace weft

#endif
