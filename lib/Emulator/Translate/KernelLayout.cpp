//===- KernelLayout.cpp - what a kernel consists of and where it lies -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/KernelLayout.h"
#include "Machine/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace weft;
using namespace weft::emulator;

namespace {

class Layouter {
public:
  Layouter(const ptx::Module &module, KernelLayout &layout) : module(module), layout(layout) {}

  void visit(const ptx::Function &function) {
    recursive |= llvm::is_contained(path, &function);
    if (llvm::is_contained(layout.functions, &function))
      return;
    layout.functions.push_back(&function);
    path.push_back(&function);
    for (const ptx::Instruction &instruction : function.body)
      for (const ptx::Operand &operand : instruction.operands)
        visit(operand);
    path.pop_back();
  }
  bool isRecursive() const { return recursive; }

  void placeShared() {
    uint64_t next = 0;
    auto place = [&](const ptx::Variable &variable) {
      uint64_t begin = llvm::alignTo(next, variable.alignment);
      next = begin + variable.bytes;
      return kSharedStart + begin;
    };
    for (const ptx::Variable &variable : module.variables)
      if (isUsed(variable) && !variable.isExtern)
        layout.moduleShared[variable.name] = place(variable);
    for (const ptx::Function *function : layout.functions)
      for (const ptx::Variable &variable : function->variables)
        if (variable.space == ptx::Space::Shared)
          layout.functionShared[&variable] = place(variable);
    layout.sharedBytes = next;
    for (const ptx::Variable &variable : module.variables)
      if (isUsed(variable) && variable.isExtern) {
        // All of them start at the same place.
        layout.sharedBytes = llvm::alignTo(layout.sharedBytes, variable.alignment);
        layout.moduleShared[variable.name] = 0;
      }
    for (const ptx::Variable &variable : module.variables)
      if (isUsed(variable) && variable.isExtern)
        layout.moduleShared[variable.name] = kSharedStart + layout.sharedBytes;
  }

private:
  void visit(const ptx::Operand &operand) {
    for (const ptx::Operand &part : operand.parts)
      visit(part);
    if (operand.kind != ptx::OperandKind::Global)
      return;
    used.insert(operand.name);
    if (const ptx::Function *callee = module.findFunction(operand.name))
      visit(*callee);
  }

  bool isUsed(const ptx::Variable &variable) const {
    return variable.space == ptx::Space::Shared && used.contains(variable.name);
  }

  const ptx::Module &module;
  KernelLayout &layout;
  llvm::StringSet<> used;
  std::vector<const ptx::Function *> path; // of calls
  bool recursive = false;
};

} // namespace

llvm::Expected<KernelLayout> weft::emulator::layOut(const ptx::Module &module,
                                                    const ptx::Function &kernel) {
  KernelLayout layout;
  Layouter layouter(module, layout);
  layouter.visit(kernel);
  if (layouter.isRecursive()) // its stack has no bound
    return llvm::createStringError("kernel '" + kernel.name +
                                   "' calls a function that calls itself");
  for (const ptx::Function *function : layout.functions)
    if (!function->isDefined)
      return llvm::createStringError("function '" + function->name +
                                     "' is defined in another module");
  layouter.placeShared();
  // No GPU of any kind has so much.
  if (layout.sharedBytes > (1 << 20))
    return llvm::createStringError("kernel '" + kernel.name + "' has " +
                                   llvm::Twine(layout.sharedBytes) + " bytes of shared memory");
  for (const ptx::Variable &parameter : kernel.parameters()) {
    uint64_t begin = llvm::alignTo(layout.parameterBytes, parameter.alignment);
    layout.parameters.push_back(begin);
    layout.parameterBytes = begin + parameter.bytes;
  }
  if (layout.parameterBytes > 32764)
    return llvm::createStringError("kernel '" + kernel.name + "' has " +
                                   llvm::Twine(layout.parameterBytes) + " bytes of parameters");
  return layout;
}
