//===- Jit.cpp - translated kernels to machine code -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Jit.h"
#include "Machine/Runtime.h"

#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

#include <cmath>
#include <cstring>

using namespace weft::emulator;
using namespace llvm::orc;

// What the back end calls where the processor has no instruction. They are named here because the
// emulator may be part of a library whose own libraries nobody else sees.
static void addLibraryFunctions(SymbolMap &symbols, ExecutionSession &session) {
  auto add = [&](llvm::StringRef name, auto *function) {
    symbols[session.intern(name)] = {ExecutorAddr::fromPtr(function),
                                     llvm::JITSymbolFlags::Exported};
  };
  add("fma", static_cast<double (*)(double, double, double)>(std::fma));
  add("fmaf", static_cast<float (*)(float, float, float)>(std::fma));
  add("trunc", static_cast<double (*)(double)>(std::trunc));
  add("truncf", static_cast<float (*)(float)>(std::trunc));
  add("floor", static_cast<double (*)(double)>(std::floor));
  add("floorf", static_cast<float (*)(float)>(std::floor));
  add("ceil", static_cast<double (*)(double)>(std::ceil));
  add("ceilf", static_cast<float (*)(float)>(std::ceil));
  // The rounding mode is always to nearest, ties to even.
  add("roundeven", static_cast<double (*)(double)>(std::nearbyint));
  add("roundevenf", static_cast<float (*)(float)>(std::nearbyint));
  add("memset", std::memset);
  add("memcpy", static_cast<void *(*)(void *, const void *, size_t)>(std::memcpy));
}

// The header does without that of the JIT, which takes seconds to compile.
Jit::Jit() = default;
Jit::~Jit() = default;

llvm::Expected<std::unique_ptr<Jit>> Jit::create(llvm::StringRef objects) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Expected<JITTargetMachineBuilder> target = JITTargetMachineBuilder::detectHost();
  if (!target)
    return target.takeError();
  // There are many kernels, and the time goes into the machine's functions; registers of a large
  // one would take longer to allocate than it runs.
  target->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  std::unique_ptr<Jit> result(new Jit);
  if (!objects.empty()) {
    llvm::Expected<std::unique_ptr<ObjectFiles>> files =
        ObjectFiles::open(objects, target->getCPU() + target->getFeatures().getString());
    if (!files)
      return files.takeError();
    result->objects = std::move(*files);
  }
  auto createCompiler = [cache = result->objects.get()](JITTargetMachineBuilder target)
      -> llvm::Expected<std::unique_ptr<IRCompileLayer::IRCompiler>> {
    auto machine = target.createTargetMachine();
    if (!machine)
      return machine.takeError();
    return std::make_unique<TMOwningSimpleCompiler>(std::move(*machine), cache);
  };
  auto jit = LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*target))
                 .setCompileFunctionCreator(createCompiler)
                 .create();
  if (!jit)
    return jit.takeError();
  result->jit = std::move(*jit);
  ExecutionSession &session = result->jit->getExecutionSession();
  SymbolMap symbols;
  for (const RuntimeFunction &function : runtimeFunctions())
    symbols[session.intern(("weft_emu_" + function.name).str())] = {
        ExecutorAddr::fromPtr(function.address), llvm::JITSymbolFlags::Exported};
  addLibraryFunctions(symbols, session);
  JITDylib &shared = session.createBareJITDylib("machine");
  if (llvm::Error error = shared.define(absoluteSymbols(std::move(symbols))))
    return std::move(error);
  return std::move(result);
}

// The store that says what a register is before it is written, if nothing reads that: it is written
// by one instruction, which comes before all that read it.
static llvm::StoreInst *findUnreadStart(llvm::AllocaInst &slot, const llvm::DominatorTree &order) {
  llvm::SmallVector<llvm::StoreInst *, 2> stores;
  for (llvm::User *user : slot.users()) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store && store->getPointerOperand() == &slot && stores.size() < 2)
      stores.push_back(store);
    else if (!llvm::isa<llvm::LoadInst>(user))
      return nullptr;
  }
  if (stores.size() != 2)
    return nullptr;
  llvm::StoreInst *start = stores[0], *written = stores[1];
  if (!order.dominates(start, written))
    std::swap(start, written);
  bool isUnread = llvm::all_of(slot.users(), [&](llvm::User *user) {
    return !llvm::isa<llvm::LoadInst>(user) ||
           order.dominates(written, llvm::cast<llvm::Instruction>(user));
  });
  return isUnread ? start : nullptr;
}

// Most registers of a kernel are written once; without the store of ones ahead of it they become
// values at once, where many registers would each be followed through all blocks.
static void removeUnreadStarts(llvm::Function &function) {
  llvm::DominatorTree order(function);
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (llvm::StoreInst *start = findUnreadStart(*slot, order))
        start->eraseFromParent();
}

// Registers to values; more is not worth its time.
static void optimise(llvm::Module &code) {
  for (llvm::Function &function : code)
    if (!function.isDeclaration())
      removeUnreadStarts(function);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::PromotePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager manager;
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  manager.run(code, modules);
}

llvm::Expected<KernelFunction> Jit::compile(std::unique_ptr<llvm::LLVMContext> context,
                                            std::unique_ptr<llvm::Module> code) {
  code->setDataLayout(jit->getDataLayout());
  code->setTargetTriple(jit->getTargetTriple());
  if (objects)
    objects->name(*code);
  if (!objects || !objects->has(*code))
    optimise(*code);
  // Every kernel has a namespace of its own.
  ExecutionSession &session = jit->getExecutionSession();
  JITDylib &library = session.createBareJITDylib("kernel" + std::to_string(modules++));
  library.addToLinkOrder(*session.getJITDylibByName("machine"));
  if (llvm::Error error =
          jit->addIRModule(library, ThreadSafeModule(std::move(code), std::move(context))))
    return std::move(error);
  llvm::Expected<ExecutorAddr> address = jit->lookup(library, "kernel");
  if (!address)
    return address.takeError();
  return address->toPtr<KernelFunction>();
}
