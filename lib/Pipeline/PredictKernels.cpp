//===- PredictKernels.cpp - the roofline of a GPU's kernels ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PredictKernels.h"

#include "StagePipelines.h"
#include "weft/Conversion/WeftToKernels/RooflineReport.h"
#include "weft/Pipeline/Stages.h"
#include "weft/Prediction/GpuRoofline.h"
#include "weft/Target/PTX.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;

/// A number that a launching function computes, its last arguments but one being `sizes`.
static std::optional<int64_t> evaluate(Value value, ArrayRef<int64_t> sizes) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getInt();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    int64_t first = int64_t(argument.getOwner()->getNumArguments()) - 1 - int64_t(sizes.size());
    int64_t number = argument.getArgNumber() - first;
    if (number < 0 || number >= int64_t(sizes.size()))
      return std::nullopt;
    return sizes[size_t(number)];
  }
  Operation *op = value.getDefiningOp();
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = evaluate(operand, sizes);
    if (!known)
      return std::nullopt;
    operands.push_back(IntegerAttr::get(operand.getType(), *known));
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return std::nullopt;
  if (auto same = dyn_cast<Value>(results[0]))
    return evaluate(same, sizes);
  return cast<IntegerAttr>(cast<Attribute>(results[0])).getInt();
}

static llvm::Expected<GpuLaunch> readLaunch(const KernelRoofline &kernel, SymbolTable &functions) {
  auto function = functions.lookup<func::FuncOp>(kernel.name);
  gpu::LaunchFuncOp launch;
  function.walk([&](gpu::LaunchFuncOp op) { launch = op; });
  auto blocks = launch ? evaluate(launch.getGridSizeX(), kernel.sizes) : std::nullopt;
  auto threads = launch ? evaluate(launch.getBlockSizeX(), kernel.sizes) : std::nullopt;
  if (!blocks || !threads)
    return llvm::createStringError("roofline: the grid of " + kernel.name + " is not known");
  return GpuLaunch{kernel.name, launch.getKernelName().str(), kernel.calls, *blocks, *threads,
                   kernel.work};
}

/// What the entries of a module of stage `loops` launch.
static llvm::Expected<std::vector<GpuProgram>> readPrograms(ModuleOp module,
                                                            const llvm::StringMap<int64_t> &sizes) {
  std::vector<GpuProgram> programs;
  SymbolTable functions(module);
  for (const EntryRoofline &entry : reportRoofline(module, sizes)) {
    GpuProgram &program = programs.emplace_back(GpuProgram{entry.name, entry.symbols, {}});
    for (const KernelRoofline &kernel : entry.kernels) {
      llvm::Expected<GpuLaunch> launch = readLaunch(kernel, functions);
      if (!launch)
        return launch.takeError();
      program.launches.push_back(std::move(*launch));
    }
  }
  return programs;
}

static LogicalResult advance(ModuleOp module, Stage next, const CompileOptions &options,
                             const TargetBackend &target) {
  PassManager pm(module.getContext());
  buildStage(pm, next, options, target);
  if (failed(pm.run(module)))
    return failure();
  attrs::Stage::set(module, stageInfo(next).name);
  return success();
}

llvm::Error weft::predictKernels(ModuleOp module, const CompileOptions &options,
                                 const TargetBackend &target, const llvm::StringMap<int64_t> &sizes,
                                 llvm::raw_ostream &os) {
  OwningOpRef<ModuleOp> copy(module.clone());
  if (failed(advance(*copy, Stage::Loops, options, target)))
    return llvm::createStringError("roofline: the kernels cannot be written");
  llvm::Expected<std::vector<GpuProgram>> programs = readPrograms(*copy, sizes);
  if (!programs)
    return programs.takeError();
  if (failed(advance(*copy, Stage::LLVMDialect, options, target)))
    return llvm::createStringError("roofline: the kernels cannot be lowered");
  for (const GPUChip &chip : getGPUChips()) {
    const GpuDevice *device = findGpuDevice(chip.name);
    if (!device || (!options.march.empty() && options.march != chip.name))
      continue;
    llvm::Expected<std::string> ptx = writeKernels(*copy, chip, options.optLevel);
    if (!ptx)
      return ptx.takeError();
    if (llvm::Error error = printGpuRoofline(*programs, *ptx, *device, os))
      return error;
  }
  return llvm::Error::success();
}
