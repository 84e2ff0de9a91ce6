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

#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Support/Precision.h"

#include "mlir/IR/SymbolTable.h"

namespace weft {
#define GEN_PASS_DEF_SEPARATELAYERSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// What is said of each operand of a call: a word of --store, or nothing.
using Said = std::vector<std::string>;

namespace {
class SeparateLayersPass : public weft::impl::SeparateLayersPassBase<SeparateLayersPass> {
public:
  using SeparateLayersPassBase::SeparateLayersPassBase;
  void runOnOperation() override;

private:
  SmallVector<func::FuncOp> callersFirst();
  std::string getSaid(Value tensor) const;
  void separate(func::FuncOp function);
  func::FuncOp copyFunction(func::FuncOp function);

  StoreRules rules;
  std::optional<SymbolTable> functions;
  DenseMap<Operation *, SmallVector<func::CallOp>> callsOf;
  DenseMap<Operation *, Said> saidOf; ///< of the arguments of functions that are called
};
} // namespace

SmallVector<func::FuncOp> SeparateLayersPass::callersFirst() {
  SmallVector<func::FuncOp> order;
  llvm::SmallPtrSet<Operation *, 16> visited;
  auto visit = [&](func::FuncOp function, auto &&visit) -> void {
    if (!function || !visited.insert(function).second)
      return;
    function.walk([&](func::CallOp call) {
      auto callee = functions->lookup<func::FuncOp>(call.getCallee());
      callsOf[callee].push_back(call);
      visit(callee, visit);
    });
    order.push_back(function);
  };
  for (auto function : getOperation().getOps<func::FuncOp>())
    visit(function, visit);
  return llvm::to_vector(llvm::reverse(order));
}

std::string SeparateLayersPass::getSaid(Value tensor) const {
  if (auto weight = tensor.getDefiningOp<WeightOp>()) {
    const StoreRules::Rule *rule = rules.find(weight.getName());
    return rule ? storeName(rule->as) : "";
  }
  auto argument = dyn_cast<BlockArgument>(tensor);
  auto known = saidOf.find(argument ? argument.getOwner()->getParentOp() : nullptr);
  return known == saidOf.end() ? "" : known->second[argument.getArgNumber()];
}

func::FuncOp SeparateLayersPass::copyFunction(func::FuncOp function) {
  func::FuncOp copy = function.clone();
  functions->insert(copy, std::next(Block::iterator(function)));
  copy.walk(
      [&](func::CallOp call) { callsOf[functions->lookup(call.getCallee())].push_back(call); });
  ++numSeparated;
  return copy;
}

/// A function for each list of what is said of the operands of its calls; the first list keeps it.
void SeparateLayersPass::separate(func::FuncOp function) {
  SmallVector<std::pair<Said, SmallVector<func::CallOp>>> kinds;
  for (func::CallOp call : callsOf.lookup(function)) {
    Said said;
    for (Value operand : call.getOperands())
      said.push_back(getSaid(operand));
    auto *kind = llvm::find_if(kinds, [&](const auto &known) { return known.first == said; });
    if (kind == kinds.end())
      kind = &kinds.emplace_back(std::move(said), SmallVector<func::CallOp>());
    kind->second.push_back(call);
  }
  for (auto &[said, calls] : kinds) {
    func::FuncOp version = &said == &kinds.front().first ? function : copyFunction(function);
    for (func::CallOp call : calls)
      call.setCallee(version.getName());
    saidOf[version] = std::move(said);
  }
}

void SeparateLayersPass::runOnOperation() {
  rules = StoreRules();
  if (std::string problem = rules.addAll(tensors); !problem.empty()) {
    getOperation().emitError() << problem;
    return signalPassFailure();
  }
  callsOf.clear();
  saidOf.clear();
  functions.emplace(getOperation());
  for (func::FuncOp function : callersFirst())
    if (function.isPrivate() && !function.isExternal())
      separate(function);
}
