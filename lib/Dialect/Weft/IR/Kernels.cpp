//===- Kernels.cpp - functions that are kernels, and what runs them -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/Kernels.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weft;

SmallVector<StringRef> weft::getKernelSymbols(func::FuncOp kernel) {
  llvm::StringSet<> names;
  AttrTypeWalker walker;
  walker.addWalk([&](IndexAttr index) { names.insert(index.getDim()); });
  walker.addWalk([&](BoundsAttr bounds) {
    for (StringAttr symbol : bounds.getSymbols())
      names.insert(symbol);
  });
  kernel->walk([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    if (auto size = dyn_cast<SizeOp>(op))
      names.insert(size.getSymbol());
    auto attention = dyn_cast<AttentionOp>(op);
    if (attention && attention.getBoundSymbols())
      for (StringRef name : attention.getBoundSymbols()->getAsValueRange<StringAttr>())
        names.insert(name);
  });
  SmallVector<StringRef> symbols;
  auto module = kernel->getParentOfType<ModuleOp>();
  if (auto declared = attrs::Symbols::get(module))
    for (StringAttr symbol : declared.getSymbols())
      if (names.contains(symbol))
        symbols.push_back(symbol);
  return symbols;
}

StringRef weft::getFunctionOfStep(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCallee();
  if (auto launch = dyn_cast<LaunchOp>(op))
    return launch.getKernel();
  return "";
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &input : getInputsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &output : getOutputsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &output);
  if (getOutputs().empty())
    effects.emplace_back(MemoryEffects::Write::get()); // the status
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto kernel = symbolTable.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!kernel || !attrs::Kernel::isOn(kernel))
    return emitOpError() << "'" << getKernel() << "' is no kernel of the module";
  TypeRange arguments = kernel.getArgumentTypes();
  bool onBuffers = llvm::all_of(arguments, llvm::IsaPred<MemRefType>);
  if (onBuffers && !llvm::equal(arguments, getOperandTypes()))
    return emitOpError() << "'" << getKernel() << "' is a kernel on buffers of other types: ("
                         << arguments << "), given (" << getOperandTypes() << ")";
  return success();
}
