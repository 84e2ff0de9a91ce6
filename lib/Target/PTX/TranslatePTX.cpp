//===- TranslatePTX.cpp - from a module of a GPU to PTX -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Target/PTX.h"

#include "TargetMachine.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

using namespace weft;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

llvm::ArrayRef<GPUChip> weft::getGPUChips() {
  static constexpr GPUChip chips[] = {{"sm_80", "+ptx70", 80, false},
                                      {"sm_90a", "+ptx80", 90, true}};
  return chips;
}

const GPUChip *weft::findGPUChip(llvm::StringRef name) {
  const GPUChip *chip =
      llvm::find_if(getGPUChips(), [&](const GPUChip &one) { return one.name == name; });
  return chip == getGPUChips().end() ? nullptr : chip;
}

Machine weft::getGPUMachine(const GPUChip &chip) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  return {"nvptx64-nvidia-cuda", chip.name.str(), chip.ptx.str()};
}

static void registerTranslations(mlir::MLIRContext &context) {
  mlir::registerBuiltinDialectTranslation(context);
  mlir::registerLLVMDialectTranslation(context);
  mlir::registerGPUDialectTranslation(context);
  mlir::registerNVVMDialectTranslation(context);
}

/// Subnormal numbers are 0, as the instructions for functions have it, which makes a division
/// and a root shorter.
static void setAttributes(llvm::Module &module, const Machine &machine) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", machine.cpu);
    function.addFnAttr("target-features", machine.features);
    function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  }
}

/// The module of kernels; an error if there is none.
static mlir::gpu::GPUModuleOp findDevice(mlir::ModuleOp module) {
  auto devices = module.getOps<mlir::gpu::GPUModuleOp>();
  if (!devices.empty())
    return *devices.begin();
  module.emitError("has no kernels for a GPU: it was made for another target");
  return {};
}

std::unique_ptr<llvm::Module> weft::translateDevice(mlir::ModuleOp module,
                                                    llvm::LLVMContext &context,
                                                    const Machine &target, unsigned optLevel) {
  mlir::gpu::GPUModuleOp device = findDevice(module);
  if (!device)
    return nullptr;
  registerTranslations(*module.getContext());
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, optLevel);
  if (!machine) {
    module.emitError("no code generator for '") << target.triple << "'";
    return nullptr;
  }
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(device, context, "weft");
  if (!code)
    return nullptr;
  code->setSourceFileName("weft");
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  setAttributes(*code, target);
  optimise(*code, *machine, optLevel, /*unrolls=*/false);
  return code;
}
