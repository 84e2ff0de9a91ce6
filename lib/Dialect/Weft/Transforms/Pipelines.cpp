//===- Pipelines.cpp - from stage graph to stage fused --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace weft;

/// All fusions, for the functions that remain as layers.
static void addFusions(OpPassManager &funcs, const FusionOptions &options) {
  // The canonical form reads affine elements as inputs, which is where the fusions look for them.
  funcs.addPass(createCanonicalizerPass());
  funcs.addPass(createCSEPass());
  // What is written twice is one formula for all that follow.
  funcs.addPass(createMergePartsPass());

  // Per-token parts stand alone before anything is fused; tables come to light by it.
  funcs.addPass(createSplitSeparablePass());

  // Tables of positions and slopes are numbers before anything is fused into their readers.
  funcs.addPass(createFoldConstantsPass());
  // Hoisting leaves reads behind that nothing needs.
  funcs.addPass(createCanonicalizerPass());
  funcs.addPass(createCSEPass());

  // A mask is part of what it hides.
  FuseElementwisePassOptions masks;
  masks.masks = true;
  funcs.addPass(createFuseElementwisePass(masks));
  // Weights are formulas, also those of a softmax that is written out.
  funcs.addPass(createFormWeightsPass());
  // Sums of products are recognised before anything is fused into them.
  funcs.addPass(createFormContractionsPass());
  // Scales before epilogues: what is folded needs no epilogue.
  funcs.addPass(createFoldScalePass());

  // An attention has one softmax.
  funcs.addPass(createSplitMixturesPass());
  // Attention before the element-wise fusions, while per-token formulas still stand alone.
  FuseAttentionPassOptions attention;
  attention.remarks = options.remarks;
  funcs.addPass(createFuseAttentionPass(attention));
  // Scales and masks that were formulas of their own are scalar code of the score now.
  funcs.addPass(createCanonicalizerPass());
  funcs.addPass(createCSEPass());
  funcs.addPass(createFoldScalePass());
  funcs.addPass(createFuseMaskPass());

  // A map that follows a contraction belongs into it rather than into the next map.
  funcs.addPass(createFuseEpiloguePass());
  funcs.addPass(createFuseElementwisePass());
  // Fused maps may in turn follow a contraction.
  funcs.addPass(createFuseEpiloguePass());
  funcs.addPass(createFoldScalePass());
  // What follows a sum is part of it where it can be: it is copied with it.
  funcs.addPass(createSplitAxesPass());
  funcs.addPass(createCanonicalizerPass());
  funcs.addPass(createCSEPass());
}

void weft::buildStepPipeline(OpPassManager &pm, StepMode mode) {
  pm.addPass(createOrderSumsPass()); // the same for all that is derived
  if (mode == StepMode::Off)
    return;
  DeriveStepPassOptions step;
  step.require = mode == StepMode::Require;
  pm.addPass(createDeriveStepPass(step));
}

/// Layouts and types see convolutions as products. What is added to their sums is part of them.
static void formConvolutions(OpPassManager &pm) {
  pm.addPass(createFrameWindowsPass());
  OpPassManager &funcs = pm.nest<func::FuncOp>();
  funcs.addPass(createCanonicalizerPass());
  funcs.addPass(createFuseEpiloguePass());
  funcs.addPass(createCSEPass());
  funcs.addPass(createUnfoldWindowsPass());
}

/// Types and layouts see the matrices that data choose as factors of products.
static void formChoices(OpPassManager &funcs) {
  funcs.addPass(createFormChoicesPass());
  funcs.addPass(createCanonicalizerPass());
  funcs.addPass(createFuseEpiloguePass());
  funcs.addPass(createCSEPass());
}

/// When formulas and their readers are known: what tensors are stored in.
static void assignTypes(OpPassManager &pm, const FusionOptions &options) {
  const Precision &precision = options.precision;
  std::string store = storeName(precision.store), tensors = precision.tensors.getText();
  KeepCodesPassOptions kept;
  kept.store = store;
  kept.tensors = tensors;
  kept.compute = computeName(precision);
  pm.addPass(createKeepCodesPass(kept));
  if (precision.isDefault())
    return;
  if (!precision.tensors.empty())
    pm.addPass(createSeparateLayersPass({tensors}));
  AssignTypesPassOptions types;
  types.store = store;
  types.tensors = tensors;
  types.compute = computeName(precision);
  types.cache = precisionName(precision.cache);
  types.forGPU = precision.forGPU;
  pm.addPass(createAssignTypesPass(types));
  if (precision.hasCodes()) {
    CodeWeightsPassOptions codes;
    codes.store = store;
    codes.tensors = tensors;
    codes.planes = precision.compute == ElementType::I8 ? 1 : 2;
    codes.narrow = options.narrow;
    pm.addPass(createCodeWeightsPass(codes));
  }
  if (precision.compute == ElementType::BF16) {
    UnfoldWindowsPassOptions windows;
    windows.inPairs = true;
    pm.addNestedPass<func::FuncOp>(createUnfoldWindowsPass(windows));
  }
  // Copies of rows in another type, and their maxima and codes, are made with them.
  pm.addNestedPass<func::FuncOp>(createFuseRowsPass());
  pm.addNestedPass<func::FuncOp>(createMarkRoughPass());
}

void weft::buildFusionPipeline(OpPassManager &pm, const FusionOptions &options) {
  ExplainPairsPassOptions pairs;
  pairs.remarks = options.remarks;
  // While formulas are those of the text.
  pm.addNestedPass<func::FuncOp>(createMarkRoundedPass());
  // Functions first: every other pass looks at one function, and should see whole layers.
  pm.addPass(createShareLayersPass());
  addFusions(pm.nest<func::FuncOp>(), options);
  pm.addNestedPass<func::FuncOp>(createExplainPairsPass(pairs));

  // After the fusions: what is computed where it is read costs nothing. Before types and steps,
  // which treat weights as weights.
  pm.addPass(createArrangeWeightsPass());
  pm.addPass(createSliceWeightsPass());
  pm.addPass(createDeriveWeightsPass());

  // After the fusions: a mask that is an interval of keys is what the proof looks for, and what is
  // read at one position alone is computed where it is read.
  buildStepPipeline(pm, options.step);
  if (options.step != StepMode::Off) {
    // New rows are made in the order in which their cache keeps them.
    OpPassManager &funcs = pm.nest<func::FuncOp>();
    funcs.addPass(createCanonicalizerPass());
    funcs.addPass(createFuseEpiloguePass());
    funcs.addPass(createFuseElementwisePass());
    funcs.addPass(createCanonicalizerPass());
    funcs.addPass(createCSEPass());
  }

  // After the derivations, which see formulas one by one, and after everything that a norm could be
  // a part of.
  OpPassManager &rows = pm.nest<func::FuncOp>();
  rows.addPass(createFuseRowsPass());
  rows.addPass(createCanonicalizerPass());
  rows.addPass(createCSEPass());

  // No derivation looks for products any more.
  formConvolutions(pm);
  if (options.choices)
    formChoices(pm.nest<func::FuncOp>());

  assignTypes(pm, options);
  if (options.splits)
    pm.addPass(createChoosePartsPass());

  pm.addPass(createOrderSumsPass()); // sums that choices and types made
  // Last, so that no decision above depends on the batch.
  if (!options.batch.empty())
    pm.addPass(createBatchPass({options.batch}));
}

void weft::registerWeftPipelines() {
  PassPipelineRegistration<FusionPipelineOptions>(
      "weft-fusion-pipeline", "all derivations and fusions: stage graph to stage fused",
      [](OpPassManager &pm, const FusionPipelineOptions &options) {
        FusionOptions plain;
        plain.remarks = options.remarks;
        plain.batch = options.batch;
        plain.choices = options.choices;
        plain.step = options.step ? StepMode::Require : StepMode::Off;
        buildFusionPipeline(pm, plain);
      });
}
