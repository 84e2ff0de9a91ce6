//===- SeparateLayers.cpp - weft-separate-layers --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Layers are calls of one function, and types are decided for a function. A layer whose weights are
// to be stored otherwise than those of the others is a function of its own.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/Transforms/SeparateLayers.h"

#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Support/Precision.h"

#include "mlir/IR/SymbolTable.h"

namespace weft {
#define GEN_PASS_DEF_SEPARATELAYERSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

/// The kinds of the operands of a call; empty for what is no weight.
using Kinds = std::vector<std::string>;

class LayerSeparator {
public:
  LayerSeparator(ModuleOp module, llvm::function_ref<std::string(WeightOp)> kindOf)
      : module(module), functions(module), kindOf(kindOf) {}

  unsigned run();

private:
  SmallVector<func::FuncOp> callersFirst();
  std::string getKind(Value tensor) const;
  void separate(func::FuncOp function);
  func::FuncOp copyFunction(func::FuncOp function);

  ModuleOp module;
  SymbolTable functions;
  llvm::function_ref<std::string(WeightOp)> kindOf;
  DenseMap<Operation *, SmallVector<func::CallOp>> callsOf;
  DenseMap<Operation *, Kinds> kindsOf; ///< of the arguments of functions that are called
  unsigned numCopies = 0;
};

class SeparateLayersPass : public weft::impl::SeparateLayersPassBase<SeparateLayersPass> {
public:
  using SeparateLayersPassBase::SeparateLayersPassBase;
  void runOnOperation() override;
};

} // namespace

SmallVector<func::FuncOp> LayerSeparator::callersFirst() {
  SmallVector<func::FuncOp> order;
  llvm::SmallPtrSet<Operation *, 16> visited;
  auto visit = [&](func::FuncOp function, auto &&visit) -> void {
    if (!function || !visited.insert(function).second)
      return;
    function.walk([&](func::CallOp call) {
      auto callee = functions.lookup<func::FuncOp>(call.getCallee());
      callsOf[callee].push_back(call);
      visit(callee, visit);
    });
    order.push_back(function);
  };
  for (auto function : module.getOps<func::FuncOp>())
    visit(function, visit);
  return llvm::to_vector(llvm::reverse(order));
}

std::string LayerSeparator::getKind(Value tensor) const {
  if (auto weight = tensor.getDefiningOp<WeightOp>())
    return kindOf(weight);
  auto argument = dyn_cast<BlockArgument>(tensor);
  auto known = kindsOf.find(argument ? argument.getOwner()->getParentOp() : nullptr);
  return known == kindsOf.end() ? "" : known->second[argument.getArgNumber()];
}

func::FuncOp LayerSeparator::copyFunction(func::FuncOp function) {
  func::FuncOp copy = function.clone();
  functions.insert(copy, std::next(Block::iterator(function)));
  copy.walk(
      [&](func::CallOp call) { callsOf[functions.lookup(call.getCallee())].push_back(call); });
  ++numCopies;
  return copy;
}

/// A function for each list of kinds; the first list keeps it.
void LayerSeparator::separate(func::FuncOp function) {
  SmallVector<std::pair<Kinds, SmallVector<func::CallOp>>> lists;
  for (func::CallOp call : callsOf.lookup(function)) {
    Kinds kinds;
    for (Value operand : call.getOperands())
      kinds.push_back(getKind(operand));
    auto *list = llvm::find_if(lists, [&](const auto &known) { return known.first == kinds; });
    if (list == lists.end())
      list = &lists.emplace_back(std::move(kinds), SmallVector<func::CallOp>());
    list->second.push_back(call);
  }
  for (auto &[kinds, calls] : lists) {
    func::FuncOp version = &kinds == &lists.front().first ? function : copyFunction(function);
    for (func::CallOp call : calls)
      call.setCallee(version.getName());
    kindsOf[version] = std::move(kinds);
  }
}

unsigned LayerSeparator::run() {
  for (func::FuncOp function : callersFirst())
    if (function.isPrivate() && !function.isExternal())
      separate(function);
  return numCopies;
}

unsigned weft::separateLayers(ModuleOp module, llvm::function_ref<std::string(WeightOp)> kindOf) {
  return LayerSeparator(module, kindOf).run();
}

void SeparateLayersPass::runOnOperation() {
  StoreRules rules;
  if (std::string problem = rules.addAll(tensors); !problem.empty()) {
    getOperation().emitError() << problem;
    return signalPassFailure();
  }
  numSeparated += separateLayers(getOperation(), [&](WeightOp weight) {
    const StoreRules::Rule *rule = rules.find(weight.getName());
    return rule ? storeName(rule->as) : "";
  });
}
