//===- LowerCalls.cpp - weft-lower-calls ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Entries and layers become functions on pointers (FunctionLowering), the entries get their C
// interface (EntryBuilder) and the model its description (ModelInfo).
//
//===----------------------------------------------------------------------------------------===//

#include "EntryBuilder.h"
#include "FunctionLowering.h"
#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Target/Target.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace weft {
#define GEN_PASS_DEF_LOWERCALLS
#include "weft/Conversion/KernelsToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Constant tensors lie in the object as arrays of what code loads.
static void lowerGlobal(memref::GlobalOp global) {
  DenseElementsAttr elements = getStoredElements(global);
  OpBuilder b(global);
  Type element = elements.getElementType();
  elements = elements.reshape(RankedTensorType::get({elements.getNumElements()}, element));
  auto type = LLVM::LLVMArrayType::get(element, elements.getNumElements());
  LLVM::GlobalOp::create(b, global.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                         global.getName(), elements, 64);
  global.erase();
}

namespace {

struct LowerCallsPass : weft::impl::LowerCallsBase<LowerCallsPass> {
  using LowerCallsBase::LowerCallsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ModelDescription model = describeModel(module, target, threaded, !images.empty());
    if (auto features = module->getAttrOfType<ArrayAttr>(kProcessorFeatures))
      model.features = llvm::join(features.getAsValueRange<StringAttr>(), ",");
    model.embedsWeights = embedsWeights && model.weightsBytes > 0;
    if (!profile)
      model.kernels.clear();
    ModuleLowering lowering(module, model, profile);
    SmallVector<func::FuncOp> sources;
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (attrs::Kernel::isOn(function)) {
        lowering.kernels[function.getName()] = function;
      } else if (attrs::Scratch::isOn(function)) {
        sources.push_back(function);
        lowering.functions[function.getName()] = declareLowered(lowering, function);
      }
    }
    for (func::FuncOp source : sources)
      if (failed(lowerFunction(lowering, source)))
        return signalPassFailure();
    buildInterface(lowering);
    for (func::FuncOp source : sources)
      source.erase();
    if (model.onDevice)
      buildDeviceProgram(module, model, lowering.constants, images);
    for (auto global : llvm::make_early_inc_range(module.getOps<memref::GlobalOp>())) {
      if (!model.onDevice)
        lowerGlobal(global);
      else
        global.erase();
    }
  }

private:
  void buildInterface(ModuleLowering &lowering) {
    SmallVector<LLVM::LLVMFuncOp> calls;
    for (const EntryDescription &entry : lowering.model.entries)
      calls.push_back(buildEntry(lowering.module, lowering.model, entry,
                                 lowering.functions.lookup(entry.name)));
    SmallVector<UniformStep> steps;
    for (const StepDescription &step : lowering.model.steps)
      steps.push_back(buildStep(
          lowering.module, lowering.model, step, lowering.functions.lookup(step.entry.name),
          lowering.functions.lookup(step.last.name),
          step.hasStart ? lowering.functions.lookup(step.start.name) : func::FuncOp()));
    buildModelInfo(lowering.module, lowering.model, calls, steps);
  }
};

} // namespace
