//===- EmitCode.cpp - LLVM IR, objects and assembly of a lowered module ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TargetMachine.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"

using namespace llvm;
using namespace weft;

std::unique_ptr<TargetMachine> weft::createTargetMachine(const Machine &machine,
                                                         unsigned optLevel) {
  Triple triple(machine.triple);
  std::string message;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return nullptr;
  static constexpr CodeGenOptLevel levels[] = {CodeGenOptLevel::None, CodeGenOptLevel::Less,
                                               CodeGenOptLevel::Default,
                                               CodeGenOptLevel::Aggressive};
  TargetOptions options;
  // A product and a sum may become one rounding, as the loops were written to be. For processors
  // weft-fuse-products has decided.
  options.AllowFPOpFusion = triple.isNVPTX() ? FPOpFusion::Fast : FPOpFusion::Strict;
  // Shared libraries need position-independent code, and it costs kernels nothing.
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, machine.cpu, machine.features, options, Reloc::PIC_,
                                  std::nullopt, levels[std::min(optLevel, 3u)]));
}

// The processor also stands in the IR, so that a written .ll or .bc file is complete. Kernels stay
// functions: their names are what profilers show, and many small functions compile faster than
// one that holds the whole model. What is to be inlined are pieces of one.
static void setAttributes(llvm::Module &module, const Machine &target) {
  for (Function &function : module) {
    function.addFnAttr(Attribute::NoUnwind);
    if (function.isDeclaration())
      continue;
    if (function.hasLocalLinkage() && !function.hasFnAttribute(Attribute::AlwaysInline))
      function.addFnAttr(Attribute::NoInline);
    if (!function.hasFnAttribute("target-cpu")) // what asks first runs on all
      function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
  }
}

// What kernels need of LLVM's simplifications, in about 60 % of the time that its own pipeline
// takes, for code that is as fast (docs/Performance.md). They arrive vectorised, fused and hoisted:
// loops are to be rotated, counted and unrolled, addresses shared, and what that leaves behind
// removed.
static constexpr StringLiteral kKernelPasses =
    "always-inline,ipsccp,function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-"
    "fixpoint>,"
    "loop-mssa(loop-rotate,licm),loop(indvars,loop-deletion,loop-unroll-full),sroa,gvn,sccp,dse,"
    "simplifycfg,loop-unroll<O2>,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg),"
    "globaldce";

// Level 1, what makes the code smaller than it was written, as fast as can be; and the code
// generator's quickest form. Code that multiplies in tiles of AMX, of which that knows little, has
// the passes of level 2.
static constexpr StringLiteral kQuickPasses =
    "always-inline,function(sroa,early-cse<memssa>,simplifycfg),globaldce";

static bool isQuick(const llvm::Module &module, unsigned optLevel) {
  return optLevel == 1 && !module.getTargetTriple().isNVPTX() &&
         none_of(module, [](const Function &function) {
           return function.getName().starts_with("llvm.x86.tile");
         });
}

static std::string getHostPasses(const llvm::Module &module, unsigned optLevel) {
  if (isQuick(module, optLevel))
    return kQuickPasses.str();
  return optLevel == 1 || optLevel == 2 ? kKernelPasses.str() : getDefaultPasses(optLevel);
}

std::string weft::getDefaultPasses(unsigned optLevel) {
  return ("default<O" + Twine(std::min(optLevel, 3u)) + ">").str();
}

void weft::optimise(llvm::Module &module, TargetMachine &machine, StringRef pipeline,
                    bool unrolls) {
  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = unrolls;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  PassInstrumentationCallbacks callbacks;
  OptNoneInstrumentation skipper(/*DebugLogging=*/false); // of functions with optnone
  skipper.registerCallbacks(callbacks);
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, pipeline)); // one of the two above
  passes.run(module, modules);
}

std::unique_ptr<llvm::Module> weft::translateToLLVM(mlir::ModuleOp module, LLVMContext &context,
                                                    const Machine &target, unsigned optLevel) {
  if (!module.getOps<mlir::gpu::GPUModuleOp>().empty()) {
    module.emitError("has kernels for a GPU: it was made for another target");
    return nullptr;
  }
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<TargetMachine> machine = createTargetMachine(target, optLevel);
  if (!machine) {
    module.emitError("no code generator for '") << target.triple << "'";
    return nullptr;
  }
  // The name is in the object: it must not depend on where the model lies.
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(module, context, "weft");
  if (!code)
    return nullptr;
  code->setSourceFileName("weft");
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  setAttributes(*code, target);
  optimise(*code, *machine, getHostPasses(*code, optLevel), /*unrolls=*/true);
  return code;
}

// Runs the code generator into `bytes`.
static Error generateCode(llvm::Module &module, const Machine &target, unsigned optLevel,
                          CodeGenFileType type, SmallVectorImpl<char> &bytes) {
  unsigned level = isQuick(module, optLevel) ? 0 : optLevel;
  std::unique_ptr<TargetMachine> machine = createTargetMachine(target, level);
  if (!machine)
    return createStringError("no code generator for '" + target.triple + "'");
  raw_svector_ostream os(bytes);
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(machine->getTargetTriple()));
  if (machine->addPassesToEmitFile(passes, os, nullptr, type))
    return createStringError("'" + target.triple + "' has no code generator for this kind of file");
  passes.run(module);
  return Error::success();
}

Error weft::emitFile(llvm::Module &module, const Machine &target, unsigned optLevel, FileKind kind,
                     raw_ostream &os) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  switch (kind) {
  case FileKind::LLVMIR:
    module.print(stream, nullptr);
    break;
  case FileKind::Bitcode:
    WriteBitcodeToFile(module, stream);
    break;
  case FileKind::Assembly:
  case FileKind::Object:
    if (Error error = generateCode(module, target, optLevel,
                                   kind == FileKind::Object ? CodeGenFileType::ObjectFile
                                                            : CodeGenFileType::AssemblyFile,
                                   bytes))
      return error;
  }
  os.write(bytes.data(), bytes.size());
  return Error::success();
}
