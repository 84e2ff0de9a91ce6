//===- GPUBackend.cpp - NVIDIA's GPUs as a target -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/GPU/GPUBackend.h"

#include "weft/Codegen/GPU/Passes.h"
#include "weft/Conversion/NVXToLLVM/Passes.h"
#include "weft/Support/NearestName.h"
#include "weft/Target/PTX.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace weft;

namespace {

class GPUBackend : public TargetBackend {
public:
  explicit GPUBackend(Machine machine) : machine(std::move(machine)) {}

  StringRef describe() const override { return machine.cpu; }
  StringRef getTriple() const override { return machine.triple; }
  /// Nothing was measured, so nothing is predicted.
  MachineLimits getTypicalLimits() const override { return {}; }

  KernelsOptions getLayouts(const CodeOptions &code) const override {
    KernelsOptions options;
    options.optimize = code.optLevel != 0;
    options.panelWidth = 0; // a thread reads matrices where they lie
    return options;
  }

  void assignLowering(OpPassManager &pm, const CodeOptions &) const override {
    pm.addPass(createAssignGpuLowering());
  }

  void buildLoops(OpPassManager &pm, const CodeOptions &) const override {
    pm.addPass(createLowerGpuKernels());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createLoopInvariantCodeMotionPass());
  }

  /// Functions of the host stay as they are: nothing launches kernels yet.
  void buildLLVM(OpPassManager &pm, const CodeOptions &) const override {
    buildDevicePipeline(pm.nest<gpu::GPUModuleOp>());
  }

  std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context,
                                          const CodeOptions &code) const override {
    return translateDevice(module, context, machine, code.optLevel);
  }

  llvm::Error emit(llvm::Module &module, const CodeOptions &code, FileKind kind,
                   llvm::raw_ostream &os) const override {
    return emitFile(module, machine, code.optLevel, kind, os);
  }

private:
  Machine machine;
};

} // namespace

llvm::Expected<std::unique_ptr<TargetBackend>> weft::createGPUBackend(StringRef march) {
  SmallVector<StringRef> names;
  for (const GPUChip &chip : getGPUChips()) {
    if (march.empty() || march == chip.name)
      return std::make_unique<GPUBackend>(getGPUMachine(chip));
    names.push_back(chip.name);
  }
  return llvm::createStringError("--march=" + march + ": no such GPU for --target=nvptx" +
                                 choices(march, names));
}
