//===- StagePipelines.cpp - the passes between two stages ------------------------------------===//

#include "StagePipelines.h"

#include "weft/Codegen/CPU/Passes.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "llvm/Support/ErrorHandling.h"

using namespace weft;

void weft::buildStage(mlir::OpPassManager &pm, Stage stage, const CompileOptions &options,
                      const TargetInfo &target) {
  switch (stage) {
  case Stage::Fused: {
    FusionOptions fusion;
    fusion.remarks = options.remarks;
    return buildFusionPipeline(pm, fusion);
  }
  case Stage::Kernels: {
    KernelsOptions kernels;
    kernels.optimize = options.optLevel != 0;
    kernels.panelWidth = target.getPanelWidth();
    return buildKernelsPipeline(pm, kernels);
  }
  case Stage::Loops:
    return buildLoopsPipeline(pm, target);
  default:
    llvm_unreachable("no MLIR passes lead to this stage");
  }
}
