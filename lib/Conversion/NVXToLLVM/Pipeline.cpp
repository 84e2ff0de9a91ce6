//===- Pipeline.cpp - the loops of a GPU's kernels to the LLVM dialect ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/NVXToLLVM/Passes.h"

#include "weft/Conversion/KernelsToLLVM/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace weft;

void weft::buildDevicePipeline(OpPassManager &pm) {
  pm.addPass(createShortenIndices());
  pm.addPass(createExpandMath());
  pm.addPass(createMathToNVX());
  pm.addPass(createExpandDivisions());
  pm.addPass(createNVXToLLVM());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerOperations());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void weft::registerDevicePipelines() {
  PassPipelineRegistration<>(
      "weft-lower-device", "kernels of a GPU to the LLVM dialect",
      [](OpPassManager &pm) { buildDevicePipeline(pm.nest<gpu::GPUModuleOp>()); });
}
