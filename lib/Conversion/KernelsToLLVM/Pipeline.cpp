//===- Pipeline.cpp - stage loops to the LLVM dialect ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_FINALIZELLVM
#include "weft/Conversion/KernelsToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

struct FinalizeLLVMPass : weft::impl::FinalizeLLVMBase<FinalizeLLVMPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (!function.isExternal() &&
          SymbolTable::getSymbolVisibility(function) == SymbolTable::Visibility::Private)
        function.setLinkage(LLVM::Linkage::Internal);
      dropAttributes(function);
    }
    dropAttributes(getOperation());
  }

private:
  /// What is left says nothing of earlier stages.
  static void dropAttributes(Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (isa_and_nonnull<WeftDialect>(attribute.getNameDialect()) &&
          attribute.getName() != attrs::Stage::name)
        op->removeDiscardableAttr(attribute.getName());
  }
};

} // namespace

void weft::buildSimplifyLoopsPipeline(OpPassManager &pm) {
  // Each value that a loop carries is compared with each other one there, from the last iteration
  // back: a tile of 128 sums takes longer so than all that follows. LLVM merges what is the same.
  SmallVector<std::string> disabled = {"(anonymous namespace)::RemoveDuplicateSuccessorInputUses"};
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  pm.addPass(createCanonicalizerPass(config, disabled));
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
}

void weft::buildLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createApproximateMath());
  pm.addPass(createExpandMath());
  pm.addPass(arith::createArithExpandOpsPass());
  pm.addPass(createSCFToControlFlowPass());
  LowerOperationsOptions operations;
  operations.libm = true;
  operations.reassociate = true;
  pm.addPass(createLowerOperations(operations));
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createFinalizeLLVM());
}

void weft::registerKernelsToLLVMPipelines() {
  PassPipelineRegistration<>("weft-simplify-loops", "loops as kernels wrote them to shorter ones",
                             buildSimplifyLoopsPipeline);
  PassPipelineRegistration<>("weft-lower-to-llvm", "stage loops to the LLVM dialect",
                             [](OpPassManager &pm) {
                               pm.addPass(createLowerAddresses());
                               buildLLVMPipeline(pm);
                             });
}
