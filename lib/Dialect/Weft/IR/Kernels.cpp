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

/// Of all sizes and indices of a kernel, declared or not.
static llvm::StringSet<> getUsedSymbols(func::FuncOp kernel) {
  llvm::StringSet<> names;
  AttrTypeWalker walker;
  walker.addWalk([&](IndexAttr index) {
    if (index.getDynamic())
      names.insert(index.getDim());
  });
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
  return names;
}

SmallVector<StringRef> weft::getKernelSymbols(func::FuncOp kernel) {
  llvm::StringSet<> names = getUsedSymbols(kernel);
  SmallVector<StringRef> symbols;
  auto module = kernel->getParentOfType<ModuleOp>();
  if (auto declared = attrs::Symbols::get(module))
    for (StringAttr symbol : declared.getSymbols())
      if (names.contains(symbol))
        symbols.push_back(symbol);
  return symbols;
}

LogicalResult weft::verifyKernelArguments(func::FuncOp function) {
  auto declared = attrs::Symbols::get(function->getParentOfType<ModuleOp>());
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
    auto type = dyn_cast<MemRefType>(function.getArgumentTypes()[i]);
    if (!type)
      return function.emitError() << "argument " << i << " of '" << function.getName()
                                  << "' is no buffer";
    auto bounds = attrs::Bounds::getArg(function, i);
    if (!bounds && type.getNumDynamicDims() > 0)
      return function.emitError() << "argument " << i << " of '" << function.getName() << "' has "
                                  << type.getNumDynamicDims() << " run-time sizes and no '"
                                  << attrs::Bounds::name << "'";
    for (StringAttr symbol : bounds ? bounds.getSymbols() : ArrayRef<StringAttr>())
      if (!declared || !llvm::is_contained(declared.getSymbols(), symbol))
        return function.emitError()
               << "argument " << i << " of '" << function.getName() << "': symbol " << symbol
               << " is not among the module's " << attrs::Symbols::name;
  }
  return success();
}

LogicalResult weft::verifyKernelSymbols(func::FuncOp kernel) {
  if (failed(verifyKernelArguments(kernel)))
    return failure();
  auto declared = attrs::Symbols::get(kernel->getParentOfType<ModuleOp>());
  auto isDeclared = [&](StringRef name) {
    return declared && llvm::any_of(declared.getSymbols(),
                                    [&](StringAttr symbol) { return symbol.getValue() == name; });
  };
  for (const auto &name : getUsedSymbols(kernel))
    if (!isDeclared(name.getKey()))
      return kernel.emitError() << "'" << kernel.getName() << "': symbol \"" << name.getKey()
                                << "\" is not among the module's " << attrs::Symbols::name;
  return success();
}

ArrayAttr KernelSymbols::of(func::FuncOp kernel) {
  ArrayAttr &symbols = known[kernel];
  if (!symbols)
    symbols = Builder(kernel.getContext()).getStrArrayAttr(getKernelSymbols(kernel));
  return symbols;
}

llvm::StringMap<std::string> weft::getLastCounts(ModuleOp module) {
  llvm::StringMap<std::string> counts;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto name = attrs::Last::get(function);
    auto step = name ? module.lookupSymbol<func::FuncOp>(name.getValue()) : func::FuncOp();
    if (step && attrs::Step::isOn(step) && attrs::Step::isOn(function))
      counts[attrs::Step::get(function).getCount()] = attrs::Step::get(step).getCount().str();
  }
  return counts;
}

//===----------------------------------------------------------------------------------------===//
// What a kernel does
//===----------------------------------------------------------------------------------------===//

static SmallVector<StringRef> getNames(ArrayAttr symbols) {
  return llvm::to_vector(symbols.getAsValueRange<StringAttr>());
}

WorkCount weft::readWork(WorkAttr attribute) {
  SmallVector<StringRef> names = getNames(attribute.getSymbols());
  auto read = [&](StringRef text) { return *Count::parse(text, names); };
  return {read(attribute.getFlops()),   read(attribute.getFunctions()), read(attribute.getBytes()),
          read(attribute.getWeights()), *findUnit(attribute.getUnit()), int(attribute.getPasses())};
}

WorkAttr weft::makeWork(ArrayAttr symbols, const WorkCount &work) {
  SmallVector<StringRef> names = getNames(symbols);
  return WorkAttr::get(symbols.getContext(), symbols, unitName(work.unit), work.passes,
                       work.flops.getText(names), work.functions.getText(names),
                       work.bytes.getText(names), work.weights.getText(names));
}

LogicalResult WorkAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                               ArrayAttr symbols, StringRef unit, int64_t passes, StringRef flops,
                               StringRef functions, StringRef bytes, StringRef weights) {
  if (!llvm::all_of(symbols, llvm::IsaPred<StringAttr>))
    return emitError() << "the symbols of work are strings, found " << symbols;
  if (!findUnit(unit) || passes < 1 || passes > INT32_MAX)
    return emitError() << "work is done by a unit in 1 or more passes, found '" << unit << "' in "
                       << passes;
  for (StringRef count : {flops, functions, bytes, weights})
    if (!Count::parse(count, getNames(symbols)))
      return emitError() << "'" << count << "' counts nothing in the symbols " << symbols;
  return success();
}

LLVM::LLVMPointerType weft::getPointerType(MemRefType buffer) {
  // Any other space than a number is an error of `weft.address`.
  auto space = dyn_cast_or_null<IntegerAttr>(buffer.getMemorySpace());
  return LLVM::LLVMPointerType::get(buffer.getContext(), space ? space.getInt() : 0);
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
  // At stage `loops` the values of symbols and the status follow the buffers.
  auto buffers = llvm::filter_to_vector(kernel.getArgumentTypes(), llvm::IsaPred<MemRefType>);
  bool onPointers = buffers.empty() && kernel.getNumArguments();
  if (!onPointers && !llvm::equal(buffers, getOperandTypes()))
    return emitOpError() << "'" << getKernel() << "' is a kernel on buffers of other types: ("
                         << buffers << "), given (" << getOperandTypes() << ")";
  return success();
}

LogicalResult AddressOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  if (type.getMemorySpace() && !isa<IntegerAttr>(type.getMemorySpace()))
    return emitOpError() << "the memory space " << type.getMemorySpace() << " of the buffer is no"
                         << " number (C27)";
  auto pointer = cast<LLVM::LLVMPointerType>(getPointer().getType());
  if (pointer == getPointerType(type))
    return success();
  return emitOpError() << "the buffer is in memory space " << type.getMemorySpaceAsInt()
                       << ", the pointer in " << pointer.getAddressSpace() << " (C27)";
}
