//===- TranslatePTX.cpp - from a module of a GPU to PTX -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Target/PTX.h"

#include "TargetMachine.h"
#include "WidenHalves.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
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

/// Kernels of chips that begin one before the last is done wait for that first, and then let the
/// next one begin: the driver needs less time between them (Graph.c). It comes behind all passes,
/// so that nothing is read before.
static void waitForLaunches(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel || function.isDeclaration())
      continue;
    llvm::IRBuilder<> b(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    b.CreateIntrinsic(llvm::Intrinsic::nvvm_griddepcontrol_wait, {});
    b.CreateIntrinsic(llvm::Intrinsic::nvvm_griddepcontrol_launch_dependents, {});
  }
}

std::string weft::getDeviceModule(llvm::StringRef chip) {
  return chip.empty() ? "weft.device" : ("weft.device." + chip).str();
}

/// A copy of the module of kernels, with those that the chip has beside them; an error if there is
/// none.
static mlir::OwningOpRef<mlir::gpu::GPUModuleOp> copyDevice(mlir::ModuleOp module,
                                                            llvm::StringRef chip) {
  mlir::OwningOpRef<mlir::gpu::GPUModuleOp> copy;
  for (auto device : module.getOps<mlir::gpu::GPUModuleOp>()) {
    if (!copy)
      copy = device.clone();
    else if (device.getName() == getDeviceModule(chip))
      for (mlir::Operation &op : *device.getBody())
        copy->getBody()->push_back(op.clone());
  }
  if (!copy)
    module.emitError("has no kernels for a GPU: it was made for another target");
  return copy;
}

/// What of an address is constant becomes part of the instruction that uses it, while sums of
/// indices say that they do not overflow: LLVM's own passes change the order of their terms first.
static std::string getDevicePasses(unsigned optLevel) {
  std::string own = optLevel == 0 ? "" : "function(early-cse,separate-const-offset-from-gep),";
  return own + getDefaultPasses(optLevel);
}

std::unique_ptr<llvm::Module> weft::translateDevice(mlir::ModuleOp module,
                                                    llvm::LLVMContext &context,
                                                    const Machine &target, unsigned optLevel) {
  mlir::OwningOpRef<mlir::gpu::GPUModuleOp> device = copyDevice(module, target.cpu);
  if (!device)
    return nullptr;
  registerTranslations(*module.getContext());
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, optLevel);
  if (!machine) {
    module.emitError("no code generator for '") << target.triple << "'";
    return nullptr;
  }
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(*device, context, "weft");
  if (!code)
    return nullptr;
  code->setSourceFileName("weft");
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  setAttributes(*code, target);
  optimise(*code, *machine, getDevicePasses(optLevel), /*unrolls=*/false);
  widenHalves(*code);
  if (const GPUChip *chip = findGPUChip(target.cpu); chip && chip->capability >= 90)
    waitForLaunches(*code);
  return code;
}
