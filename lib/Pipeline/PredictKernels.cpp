//===- PredictKernels.cpp - the roofline of a GPU's kernels ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PredictKernels.h"

#include "StagePipelines.h"
#include "weft/Conversion/WeftToKernels/RooflineReport.h"
#include "weft/Dialect/NVX/IR/NVX.h"
#include "weft/Dialect/Weft/IR/DiscardableAttrs.h"
#include "weft/Pipeline/Stages.h"
#include "weft/Prediction/GpuRoofline.h"
#include "weft/Target/PTX.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;

namespace {
/// What a launching function may ask for.
struct LaunchFacts {
  ArrayRef<int64_t> sizes; ///< its last arguments but one
  const GPUChip &chip;
  const GpuDevice &device;
};
} // namespace

/// A number that a launching function computes.
static std::optional<int64_t> evaluate(Value value, const LaunchFacts &facts) {
  ArrayRef<int64_t> sizes = facts.sizes;
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
  if (isa<nvx::ChipOp>(op))
    return facts.chip.capability;
  if (isa<nvx::ProcessorsOp>(op))
    return facts.device.processors;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = evaluate(operand, facts);
    if (!known)
      return std::nullopt;
    operands.push_back(IntegerAttr::get(operand.getType(), *known));
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return std::nullopt;
  if (auto same = dyn_cast<Value>(results[0]))
    return evaluate(same, facts);
  return cast<IntegerAttr>(cast<Attribute>(results[0])).getInt();
}

/// Whether the conditions around an op hold.
static std::optional<bool> isReached(Operation *op, const LaunchFacts &facts) {
  for (; isa<scf::IfOp>(op->getParentOp()); op = op->getParentOp()) {
    auto condition = cast<scf::IfOp>(op->getParentOp());
    std::optional<int64_t> holds = evaluate(condition.getCondition(), facts);
    if (!holds)
      return std::nullopt;
    if ((*holds != 0) != (op->getParentRegion() == &condition.getThenRegion()))
      return false;
  }
  return true;
}

/// The bytes of a box of each tensor map that a launch passes.
static std::vector<int64_t> readBoxes(gpu::LaunchFuncOp launch) {
  std::vector<int64_t> boxes;
  for (Value operand : launch.getKernelOperands())
    if (auto map = operand.getDefiningOp<nvx::TensorMapOp>()) {
      int64_t bytes = map.getElement().getIntOrFloatBitWidth() / 8;
      for (int32_t size : map.getBox())
        bytes *= size;
      boxes.push_back(bytes);
    }
  return boxes;
}

/// The launches of a kernel's functions, of which the first one has the work of all.
static llvm::Error readLaunches(const KernelRoofline &kernel, SymbolTable &functions,
                                const GPUChip &chip, const GpuDevice &device, GpuProgram &program) {
  LaunchFacts facts{kernel.sizes, chip, device};
  SmallVector<gpu::LaunchFuncOp> launches;
  functions.lookup<func::FuncOp>(kernel.name).walk([&](gpu::LaunchFuncOp op) {
    launches.push_back(op);
  });
  KernelWork work = kernel.work;
  std::string name = kernel.name;
  for (gpu::LaunchFuncOp launch : launches) {
    std::optional<bool> isDone = isReached(launch, facts);
    if (isDone && !*isDone)
      continue;
    auto blocks = evaluate(launch.getGridSizeX(), facts);
    auto threads = evaluate(launch.getBlockSizeX(), facts);
    if (!isDone || !blocks || !threads)
      return llvm::createStringError("roofline: the grid of " + kernel.name + " is not known");
    std::string entry = launch.getKernelName().str();
    program.launches.push_back(
        {name, entry, kernel.calls, *blocks, *threads, work, readBoxes(launch)});
    work = {};
    name = kernel.name + " (next part)";
  }
  return llvm::Error::success();
}

/// What the entries of a module of stage `loops` launch on a device.
static llvm::Expected<std::vector<GpuProgram>> readPrograms(ModuleOp module,
                                                            const llvm::StringMap<int64_t> &sizes,
                                                            const GPUChip &chip,
                                                            const GpuDevice &device) {
  std::vector<GpuProgram> programs;
  SymbolTable functions(module);
  for (const EntryRoofline &entry : reportRoofline(module, sizes)) {
    GpuProgram &program = programs.emplace_back(GpuProgram{entry.name, entry.symbols, {}});
    for (const KernelRoofline &kernel : entry.kernels)
      if (llvm::Error error = readLaunches(kernel, functions, chip, device, program))
        return std::move(error);
  }
  return programs;
}

static LogicalResult advance(ModuleOp module, Stage next, const CompileOptions &options,
                             const TargetBackend &target) {
  if (failed(runStage(module, next, options, target)))
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
  OwningOpRef<ModuleOp> loops(copy->clone());
  if (failed(advance(*copy, Stage::LLVMDialect, options, target)))
    return llvm::createStringError("roofline: the kernels cannot be lowered");
  for (const GPUChip &chip : getGPUChips()) {
    const GpuDevice *device = findGpuDevice(chip.name);
    if (!device || (!options.march.empty() && options.march != chip.name))
      continue;
    auto programs = readPrograms(*loops, sizes, chip, *device);
    if (!programs)
      return programs.takeError();
    llvm::Expected<std::string> ptx = writeKernels(*copy, chip, options.optLevel);
    if (!ptx)
      return ptx.takeError();
    if (llvm::Error error = printGpuRoofline(*programs, *ptx, *device, os))
      return error;
  }
  return llvm::Error::success();
}
