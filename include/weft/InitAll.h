//===- InitAll.h - every dialect and pass of the compiler, in one place ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_INITALL_H
#define WEFT_INITALL_H

#include "weft/Codegen/CPU/Passes.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/GPU/Passes.h"
#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Conversion/NVXToLLVM/Passes.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/NVX/IR/NVX.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

namespace weft {

/// The dialects of all stages.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<WeftDialect, cpu::UnitDialect, nvx::NVXDialect, mlir::LLVM::LLVMDialect,
                  mlir::NVVM::NVVMDialect, mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::ub::UBDialect, mlir::vector::VectorDialect>();
  mlir::func::registerInlinerExtension(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
}

/// Every pass and pipeline that can be named on a command line.
inline void registerAllPasses() {
  mlir::registerTransformsPasses();
  registerWeftPasses();
  registerWeftPipelines();
  registerWeftToKernelsPasses();
  registerCodegenCPUPasses();
  registerKernelsToLLVMPasses();
  registerKernelsToLLVMPipelines();
  registerCodegenGPUPasses();
  registerNVXToLLVMPasses();
  registerDevicePipelines();
}

} // namespace weft

#endif
