//===- Passes.h - instructions of a GPU for LLVM --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_NVXTOLLVM_PASSES_H
#define WEFT_CONVERSION_NVXTOLLVM_PASSES_H

#include "weft/Dialect/NVX/IR/NVX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace weft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "weft/Conversion/NVXToLLVM/Passes.h.inc"

/// Adds the passes that turn the loops of a `gpu.module` into the LLVM dialect.
void buildDevicePipeline(mlir::OpPassManager &pm);

/// Makes the pipeline known to weft-opt as --weft-lower-device.
void registerDevicePipelines();

} // namespace weft

#endif // WEFT_CONVERSION_NVXTOLLVM_PASSES_H
