//===- CPUBackend.cpp - processors as a target ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ProcessorFeatures.h"

#include "weft/Codegen/CPU/Passes.h"
#include "weft/Codegen/CPU/Processor.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Conversion/KernelsToLLVM/Passes.h"

#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace weft;

namespace {

class CPUBackend : public TargetBackend {
public:
  explicit CPUBackend(Processor processor) : processor(std::move(processor)) {}

  StringRef describe() const override { return processor.machine.cpu; }
  StringRef getTriple() const override { return processor.machine.triple; }
  MachineLimits getTypicalLimits() const override {
    MachineLimits limits =
        weft::getTypicalLimits(processor.vectorWidth, processor.tiles == UnitUse::Native,
                               processor.codeDots == UnitUse::Native);
    limits.origin = ("typical of " + describe()).str();
    return limits;
  }

  bool multipliesParts(const CodeOptions &code) const override {
    return processor.tiles == UnitUse::Native && getWidth(code) > 1;
  }

  bool sumsInWords(const CodeOptions &code) const override {
    return processor.words != UnitUse::None && getWidth(code) > 1;
  }

  /// Panels of packed weights are `[ceil(N/nr)][K][nr]`, nr being two registers.
  KernelsOptions getLayouts(const CodeOptions &code) const override {
    KernelsOptions options;
    options.optimize = code.optLevel != 0;
    options.panelWidth = getWidth(code) == 1 ? 0 : 2 * getWidth(code);
    options.padRows = processor.tiles != UnitUse::None;
    options.joinLaunches = code.joinLaunches.value_or(false);
    options.chainsProducts = true;
    options.storesInPlace = true;
    return options;
  }

  void assignLowering(OpPassManager &pm, const CodeOptions &code) const override {
    AssignLoweringOptions options;
    options.width = getWidth(code);
    options.registers = processor.numVectorRegisters;
    options.l2 = processor.l2Bytes;
    options.threads = code.threaded ? 0 : 1;
    options.tiles = processor.tiles != UnitUse::None;
    options.dots = processor.dots != UnitUse::None;
    options.words = sumsInWords(code);
    options.fetchRows = processor.fetchRows;
    pm.addPass(createAssignLowering(options));
  }

  void buildLoops(OpPassManager &pm, const CodeOptions &code) const override {
    pm.addPass(createLowerKernels());
    if (!code.debug)
      pm.addPass(createMergeFunctions()); // before anything looks at the same code twice
    buildSimplifyLoopsPipeline(pm);
  }

  void buildLLVM(OpPassManager &pm, const CodeOptions &code) const override {
    LowerUnitsOptions units;
    if (llvm::Triple(processor.machine.triple).getArch() == llvm::Triple::x86_64)
      units.native.push_back("flush");
    if (processor.tiles == UnitUse::Native)
      units.native.push_back("tiles");
    if (processor.dots == UnitUse::Native)
      units.native.push_back("dot");
    if (processor.rounds)
      units.native.push_back("round");
    if (processor.scales)
      units.native.push_back("power_of_two");
    if (processor.looksUp)
      units.native.push_back(processor.vectorWidth == 16 ? "look_up" : "short_look_up");
    if (processor.codeDots == UnitUse::Native)
      units.native.push_back(processor.vectorWidth == 16 ? "dot_codes" : "short_dot_codes");
    else if (processor.multipliesWords)
      units.native.push_back("dot_words");
    if (processor.words == UnitUse::Native)
      units.native.push_back("dot_bytes");
    pm.addPass(createLowerUnits(units));
    ExpandHalvesOptions halves;
    halves.f16 = !llvm::is_contained(processor.features, "f16c");
    halves.bf16 = !processor.rounds;
    if (halves.f16 || halves.bf16)
      pm.addPass(createExpandHalves(halves));
    pm.addPass(createLowerAddresses());
    CheckProcessorOptions check;
    check.features.assign(processor.features.begin(), processor.features.end());
    pm.addPass(createCheckProcessor(check));
    LowerCallsOptions calls;
    calls.target = processor.machine.cpu;
    calls.threaded = code.threaded;
    calls.profile = code.profile;
    calls.embedsWeights = code.embedsWeights;
    pm.addPass(createLowerCalls(calls));
    if (!code.debug)
      pm.addPass(createMergeFunctions()); // kernels without tasks are functions on addresses now
    buildLLVMPipeline(pm);
    if (llvm::is_contained(processor.features, "fma"))
      pm.addPass(createFuseProducts());
  }

  std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context,
                                          const CodeOptions &code) const override {
    Machine machine = processor.machine;
    bool isAArch64 = llvm::Triple(machine.triple).isAArch64();
    if (auto features = module->getAttrOfType<ArrayAttr>(kProcessorFeatures))
      for (StringRef name : features.getAsValueRange<StringAttr>()) {
        const auto *known =
            llvm::find_if(getProcessorFeatures(),
                          [&](const ProcessorFeature &each) { return each.name == name; });
        if (known == getProcessorFeatures().end() || known->isOfAArch64() != isAArch64) {
          module.emitError("needs '")
              << name << "', which no " << machine.triple << " has: it was made for another target";
          return nullptr;
        }
        // The processor has those of its level anyway.
        if (!llvm::is_contained(processor.features, name))
          machine.features += (machine.features.empty() ? "+" : ",+") + name.str();
      }
    return translateToLLVM(module, context, machine, code.optLevel);
  }

  std::unique_ptr<llvm::Module> translateKernels(ModuleOp module, llvm::LLVMContext &context,
                                                 const CodeOptions &code) const override {
    return translate(module, context, code);
  }

  llvm::Error emit(llvm::Module &module, const CodeOptions &code, FileKind kind,
                   llvm::raw_ostream &os) const override {
    return emitFile(module, processor.machine, code.optLevel, kind, os);
  }

private:
  /// Without optimisation the loops are scalar.
  unsigned getWidth(const CodeOptions &code) const {
    return code.optLevel == 0 ? 1 : processor.vectorWidth;
  }

  Processor processor;
};

} // namespace

/// Loops in place of instructions: for the units of the processor, or for all there are, with
/// vectors and registers of a processor that has them, which LLVM makes of shorter ones.
static void usePlainUnits(Processor &processor, bool hasAll) {
  if (hasAll && llvm::Triple(processor.machine.triple).getArch() == llvm::Triple::x86_64)
    processor.vectorWidth = 16, processor.numVectorRegisters = 32;
  if (processor.vectorWidth == 16) {
    processor.tiles = processor.dots = processor.codeDots = UnitUse::Plain;
    processor.words = UnitUse::None;
  }
  if (processor.codeDots == UnitUse::Native)
    processor.codeDots = UnitUse::Plain;
  if (processor.words == UnitUse::Native)
    processor.words = UnitUse::Plain;
  processor.rounds = processor.looksUp = processor.scales = processor.multipliesWords = false;
}

llvm::Expected<std::unique_ptr<TargetBackend>>
weft::createCPUBackend(StringRef triple, StringRef march, bool plainUnits) {
  llvm::Expected<Processor> processor = resolveProcessor(triple, march);
  if (!processor)
    return processor.takeError();
  if (plainUnits)
    usePlainUnits(*processor, /*hasAll=*/march.empty() || march == "native");
  return std::make_unique<CPUBackend>(std::move(*processor));
}
