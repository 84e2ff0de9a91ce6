//===- GPUBackend.cpp - NVIDIA's GPUs as a target -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/GPU/GPUBackend.h"

#include "TileEmitter.h"

#include "weft/Codegen/GPU/Passes.h"
#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Conversion/NVXToLLVM/Passes.h"
#include "weft/Support/NearestName.h"
#include "weft/Target/PTX.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace weft;

namespace {

class GPUBackend : public TargetBackend {
public:
  /// For the chips, the best first; kernels alone are shown for the last one.
  GPUBackend(SmallVector<const GPUChip *> chips, Machine host)
      : chips(std::move(chips)), host(std::move(host)) {
    for (const GPUChip *chip : this->chips)
      names += (names.empty() ? "" : ",") + chip->name.str();
  }

  StringRef describe() const override { return names; }
  StringRef getTriple() const override { return host.triple; }
  bool isDevice() const override { return true; }
  bool multipliesChosen(const CodeOptions &) const override { return true; }
  bool sumsApart() const override { return false; }
  /// Kernels are predicted from their PTX (lib/Prediction).
  MachineLimits getTypicalLimits() const override { return {}; }

  KernelsOptions getLayouts(const CodeOptions &code) const override {
    KernelsOptions options;
    options.optimize = code.optLevel != 0;
    options.panelWidth = 0; // a thread reads matrices where they lie
    options.joinLaunches = code.joinLaunches.value_or(true); // each waits for the one before it
    return options;
  }

  void assignLowering(OpPassManager &pm, const CodeOptions &code) const override {
    AssignGpuLoweringOptions options;
    options.tf32 = code.tf32;
    options.tiles =
        llvm::any_of(chips, [](const GPUChip *chip) { return chip->name == kTileChip; });
    pm.addPass(createAssignGpuLowering(options));
  }

  void buildLoops(OpPassManager &pm, const CodeOptions &) const override {
    pm.addPass(createLowerGpuKernels());
    buildSimplifyLoopsPipeline(pm);
  }

  void buildLLVM(OpPassManager &pm, const CodeOptions &code) const override {
    buildDevicePipeline(pm.nest<gpu::GPUModuleOp>());
    pm.addPass(createLowerAddresses());
    pm.addPass(createLowerLaunches());
    LowerCallsOptions calls;
    calls.target = names;
    calls.profile = code.profile;
    calls.embedsWeights = code.embedsWeights;
    for (const GPUChip *chip : chips)
      calls.images.push_back(chip->name.str());
    pm.addPass(createLowerCalls(calls));
    buildLLVMPipeline(pm);
  }

  std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context,
                                          const CodeOptions &code) const override {
    std::unique_ptr<llvm::Module> program =
        translateToLLVM(withoutDevice(module).get(), context, host, code.optLevel);
    if (!program)
      return nullptr;
    for (const GPUChip *chip : chips)
      if (llvm::Error error = embedKernels(*program, module, *chip, code.optLevel)) {
        module.emitError(llvm::toString(std::move(error)));
        return nullptr;
      }
    return program;
  }

  std::unique_ptr<llvm::Module> translateKernels(ModuleOp module, llvm::LLVMContext &context,
                                                 const CodeOptions &code) const override {
    return translateDevice(module, context, getGPUMachine(*chips.back()), code.optLevel);
  }

  llvm::Error emit(llvm::Module &module, const CodeOptions &code, FileKind kind,
                   llvm::raw_ostream &os) const override {
    bool isKernels = module.getTargetTriple().isNVPTX();
    return emitFile(module, isKernels ? getGPUMachine(*chips.back()) : host, code.optLevel, kind,
                    os);
  }

private:
  static OwningOpRef<ModuleOp> withoutDevice(ModuleOp module) {
    OwningOpRef<ModuleOp> program(module.clone());
    for (auto device : llvm::make_early_inc_range(program->getOps<gpu::GPUModuleOp>()))
      device.erase();
    return program;
  }

  SmallVector<const GPUChip *> chips;
  std::string names;
  Machine host;
};

} // namespace

/// What launches kernels runs on every machine of this kind.
static Machine getBaseline() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  return {llvm::sys::getDefaultTargetTriple(), "generic", ""};
}

llvm::Expected<std::unique_ptr<TargetBackend>> weft::createGPUBackend(StringRef march) {
  SmallVector<StringRef> names;
  SmallVector<const GPUChip *> chips;
  for (const GPUChip &chip : llvm::reverse(getGPUChips()))
    if (march.empty() || march == chip.name)
      chips.push_back(&chip);
  if (!chips.empty())
    return std::make_unique<GPUBackend>(std::move(chips), getBaseline());
  for (const GPUChip &chip : getGPUChips())
    names.push_back(chip.name);
  return llvm::createStringError("--march=" + march + ": no such GPU for --target=nvptx" +
                                 choices(march, names));
}
