//===- StagePipelines.cpp - the passes between two stages -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StagePipelines.h"

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace weft;

static StepMode stepModeOf(const CompileOptions &options) {
  if (options.step)
    return *options.step ? StepMode::Require : StepMode::Off;
  return options.batch.empty() ? StepMode::Try : StepMode::Off;
}

/// At -O0 every formula stays what it is: step and batch are derived and nothing is fused.
static void buildUnfused(OpPassManager &pm, const CompileOptions &options) {
  buildStepPipeline(pm, stepModeOf(options));
  if (!options.batch.empty())
    pm.addPass(createBatchPass({options.batch}));
}

static void buildFused(OpPassManager &pm, const CompileOptions &options,
                       const TargetBackend &target) {
  pm.addPass(createVerifyGraphPass());
  if (options.optLevel == 0)
    return buildUnfused(pm, options);
  FusionOptions fusion;
  fusion.remarks = options.remarks;
  fusion.batch = options.batch;
  fusion.step = stepModeOf(options);
  fusion.precision = options.precision;
  CodeOptions code = getCodeOptions(options);
  fusion.choices = target.multipliesChosen(code);
  fusion.splits = options.precision.isOpen && target.multipliesParts(code);
  fusion.narrow = target.sumsInWords(code);
  buildFusionPipeline(pm, fusion);
  pm.addPass(createVerifyFusedPass());
}

static void buildKernels(OpPassManager &pm, const CodeOptions &code, const TargetBackend &target) {
  pm.addPass(createVerifyGraphPass()); // a module that was read may be anything
  if (!target.sumsApart())
    pm.addNestedPass<func::FuncOp>(createSeparateSumsPass());
  buildKernelsPipeline(pm, target.getLayouts(code));
  pm.addPass(createVerifyKernelsPass());
  target.assignLowering(pm, code); // printed with the stage, so that it can be changed
}

static void buildLoops(OpPassManager &pm, const CodeOptions &code, const TargetBackend &target) {
  target.assignLowering(pm, code); // a module that was read may have any or none
  target.buildLoops(pm, code);
  pm.addPass(createVerifyLoopsPass());
}

CodeOptions weft::getCodeOptions(const CompileOptions &options) {
  return {options.optLevel,       /*threaded=*/options.threads != 1,
          options.profile,        options.embedWeights,
          options.precision.tf32, options.debug,
          options.joinLaunches};
}

static void buildStage(OpPassManager &pm, Stage stage, const CompileOptions &options,
                       const TargetBackend &target) {
  switch (stage) {
  case Stage::Fused:
    return buildFused(pm, options, target);
  case Stage::Kernels:
    return buildKernels(pm, getCodeOptions(options), target);
  case Stage::Loops:
    return buildLoops(pm, getCodeOptions(options), target);
  case Stage::LLVMDialect:
    return target.buildLLVM(pm, getCodeOptions(options));
  default:
    llvm_unreachable("no MLIR passes lead to this stage");
  }
}

LogicalResult weft::runStage(ModuleOp module, Stage stage, const CompileOptions &options,
                             const TargetBackend &target,
                             function_ref<void(PassManager &)> addMore) {
  PassManager pm(module.getContext());
  buildStage(pm, stage, options, target);
  if (addMore)
    addMore(pm);
  // Loops have many ops and many passes, most of them MLIR's, and looking at all ops after each of
  // them takes half of their time: the last one's are looked at.
  bool areLoops = stage == Stage::Loops || stage == Stage::LLVMDialect;
  pm.enableVerifier(!areLoops);
  return success(succeeded(pm.run(module)) && (!areLoops || succeeded(verify(module))));
}
