//===- Passes.h - stage kernels to stage loops for a GPU ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_GPU_PASSES_H
#define WEFT_CODEGEN_GPU_PASSES_H

#include "weft/Dialect/NVX/IR/NVX.h"
#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace weft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "weft/Codegen/GPU/Passes.h.inc"

} // namespace weft

#endif // WEFT_CODEGEN_GPU_PASSES_H
