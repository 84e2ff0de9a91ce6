//===- ToldSymbols.cpp - which run-time sizes a caller tells --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ToldSymbols.h"

using namespace mlir;
using namespace weft;

static void addSymbols(Type type, llvm::StringSet<> &symbols) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (BoundsAttr bounds = getBounds(tensor))
      for (StringAttr symbol : bounds.getSymbols())
        symbols.insert(symbol.getValue());
}

void weft::addToldSymbols(func::FuncOp function, llvm::StringSet<> &told) {
  for (Type type : function.getArgumentTypes())
    addSymbols(type, told);
  for (Type type : function.getResultTypes())
    addSymbols(type, told);
}

/// The symbols that `op` itself runs over or asks for.
static SmallVector<StringRef> symbolsUsedBy(Operation *op) {
  SmallVector<StringRef> symbols;
  auto add = [&](IndexAttr index) {
    if (index.getDynamic())
      symbols.push_back(index.getDim());
  };
  if (auto indexed = dyn_cast<IndexedOpInterface>(op))
    llvm::for_each(indexed.getIndexList(), add);
  if (auto inner = dyn_cast<InnerOp>(op))
    add(inner.getRange());
  if (auto attention = dyn_cast<AttentionOp>(op); attention && attention.getBoundSymbolsAttr())
    for (auto symbol : attention.getBoundSymbolsAttr().getAsRange<StringAttr>())
      symbols.push_back(symbol.getValue());
  if (auto size = dyn_cast<SizeOp>(op))
    symbols.push_back(size.getSymbol());
  return symbols;
}

namespace {
/// Looks through a function and its callees, each once.
class UseFinder {
public:
  explicit UseFinder(const llvm::StringSet<> &told) : told(told) {}

  std::optional<UntoldSymbol> find(func::FuncOp function) {
    if (!function || !visited.insert(function).second)
      return std::nullopt;
    std::optional<UntoldSymbol> found;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (StringRef symbol : symbolsUsedBy(op))
        if (!told.contains(symbol))
          found = UntoldSymbol{op, symbol.str()};
      auto call = dyn_cast<func::CallOp>(op);
      if (!found && call)
        found =
            find(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()));
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }

private:
  const llvm::StringSet<> &told;
  llvm::SmallPtrSet<Operation *, 8> visited;
};
} // namespace

std::optional<UntoldSymbol> weft::findUntoldSymbol(func::FuncOp function,
                                                   const llvm::StringSet<> &told) {
  return UseFinder(told).find(function);
}

/// Adds the symbols that hold for the whole sequence of `step`: what was told at its start, and the
/// numbers of positions.
static void addSequenceSymbols(func::FuncOp step, llvm::StringSet<> &told) {
  StepAttr positions = attrs::Step::get(step);
  if (!positions)
    return;
  told.insert(positions.getLength());
  told.insert(positions.getCount());
  if (auto name = attrs::Last::get(step))
    if (auto all = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(step, name))
      return addSequenceSymbols(all, told);
  for (auto start : step->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    if (attrs::Start::get(start) == FlatSymbolRefAttr::get(step))
      addToldSymbols(start, told);
}

std::optional<UntoldSymbol> weft::findUntoldSymbol(func::FuncOp entry) {
  llvm::StringSet<> told;
  addToldSymbols(entry, told);
  addSequenceSymbols(entry, told);
  // A start computes for all positions that there can be.
  if (auto begun = attrs::Start::get(entry))
    if (auto step = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(entry, begun))
      if (StepAttr positions = attrs::Step::get(step))
        told.insert(positions.getLength());
  return findUntoldSymbol(entry, told);
}
