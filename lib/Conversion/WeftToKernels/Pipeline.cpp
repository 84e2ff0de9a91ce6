//===- Pipeline.cpp - stage fused to stage kernels ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/Passes.h"

void weft::buildKernelsPipeline(mlir::OpPassManager &pm, const KernelsOptions &options) {
  // Layouts first: a weight's panels follow the storage of what it is multiplied with.
  if (options.optimize) {
    pm.addPass(createAssignLayout());
    PackWeightsOptions pack;
    pack.nr = options.panelWidth;
    PackOperandsOptions operands;
    operands.nr = options.panelWidth;
    if (options.panelWidth > 0)
      pm.addPass(createOrderCopies());
    pm.addPass(createPackWeights(pack));
    if (options.panelWidth > 0) {
      pm.addPass(createTurnProducts());
      pm.addPass(createPackOperands(operands));
      pm.addPass(createSplitRows());
    }
  }
  OutlineKernelsOptions outline;
  outline.padRows = options.optimize && options.padRows;
  pm.addPass(createOutlineKernels(outline));
  if (options.optimize && options.joinLaunches)
    pm.addPass(createJoinLaunches());
  if (options.optimize && options.chainsProducts)
    pm.addPass(createChainProducts());
  if (options.optimize && options.storesInPlace)
    pm.addPass(createStoreInPlace());
  pm.addPass(createPlanMemory());
  pm.addPass(createAnnotateKernels());
}
