//===- ShareLayers.cpp - weft-share-layers --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One function for each repeated layer, and no others: equal functions become one, and those that
// are called once or are too small to be worth a call are inlined, so that the fusions see whole
// layers while code and compile time do not grow with depth.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

namespace weft {
#define GEN_PASS_DEF_SHARELAYERSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// A sum of a product of two tensors, or what has been made of one.
static bool isAnchor(Operation *op) {
  if (isa<ContractOp, AttentionOp, SoftmaxOp>(op))
    return true;
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || reduce.getKind() != ReduceKind::Sum || reduce.getInputs().size() < 2)
    return false;
  return llvm::any_of(reduce.getBody().front(),
                      [](Operation &nested) { return isa<arith::MulFOp>(nested); });
}

/// Those of the functions it calls included, each function once.
static unsigned countAnchors(func::FuncOp func, SymbolTable &symbols,
                             llvm::SmallPtrSetImpl<Operation *> &counted) {
  unsigned count = 0;
  func.walk([&](Operation *op) {
    count += isAnchor(op);
    auto call = dyn_cast<func::CallOp>(op);
    auto callee = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
    if (callee && counted.insert(callee).second)
      count += countAnchors(callee, symbols, counted);
  });
  return count;
}

/// Equal up to name and places.
static bool areEqual(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() && a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

namespace {
class ShareLayersPass : public weft::impl::ShareLayersPassBase<ShareLayersPass> {
public:
  using ShareLayersPassBase::ShareLayersPassBase;
  void runOnOperation() override;

private:
  bool shareEqual();
  void inlineBottomUp(func::FuncOp func);
  void inlineCalls(func::FuncOp callee);
  void eraseDeadArguments(func::FuncOp func);
  SmallVector<func::CallOp> getCalls(func::FuncOp callee);
  void eraseUncalled();

  llvm::SmallPtrSet<Operation *, 16> visited;
};
} // namespace

SmallVector<func::CallOp> ShareLayersPass::getCalls(func::FuncOp callee) {
  SmallVector<func::CallOp> calls;
  getOperation().walk([&](func::CallOp call) {
    if (call.getCallee() == callee.getSymName())
      calls.push_back(call);
  });
  return calls;
}

/// One round of merging; functions that call merged ones may become equal by it.
bool ShareLayersPass::shareEqual() {
  SmallVector<func::FuncOp> kept;
  llvm::StringMap<StringRef> replacement;
  for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
    if (!func.isPrivate() || func.isExternal())
      continue;
    auto *equal = llvm::find_if(kept, [&](func::FuncOp other) { return areEqual(func, other); });
    if (equal == kept.end()) {
      kept.push_back(func);
      continue;
    }
    replacement[func.getSymName()] = equal->getSymName();
  }
  if (replacement.empty())
    return false;
  getOperation().walk([&](func::CallOp call) {
    if (auto found = replacement.find(call.getCallee()); found != replacement.end())
      call.setCallee(found->second);
  });
  for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
    if (replacement.contains(func.getSymName()))
      func.erase();
  numShared += replacement.size();
  return true;
}

/// Replaces every call of `callee` by its body.
void ShareLayersPass::inlineCalls(func::FuncOp callee) {
  for (func::CallOp call : getCalls(callee)) {
    if (callee->isProperAncestor(call))
      continue;
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [result, value] :
         llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
    ++numInlined;
  }
}

void ShareLayersPass::inlineBottomUp(func::FuncOp func) {
  if (!visited.insert(func).second || func.isExternal())
    return;
  SymbolTable symbols(getOperation());
  SmallVector<func::FuncOp> callees;
  func.walk([&](func::CallOp call) {
    if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
      callees.push_back(callee);
  });
  for (func::FuncOp callee : callees)
    inlineBottomUp(callee);
  if (!func.isPrivate() || !func.getBody().hasOneBlock())
    return;
  SmallVector<func::CallOp> calls = getCalls(func);
  llvm::SmallPtrSet<Operation *, 4> counted;
  if (calls.size() == 1 || countAnchors(func, symbols, counted) <= maxInlinedAnchors)
    inlineCalls(func);
}

void ShareLayersPass::eraseDeadArguments(func::FuncOp func) {
  llvm::BitVector dead(func.getNumArguments());
  for (BlockArgument argument : func.getArguments())
    if (argument.use_empty())
      dead.set(argument.getArgNumber());
  if (dead.none())
    return;
  for (func::CallOp call : getCalls(func))
    call->eraseOperands(dead);
  if (failed(func.eraseArguments(dead)))
    signalPassFailure();
}

/// Erases private functions nothing calls, until none is left.
void ShareLayersPass::eraseUncalled() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (func.isPrivate() && !func.isExternal() && getCalls(func).empty()) {
        func.erase();
        changed = true;
      }
  }
}

void ShareLayersPass::runOnOperation() {
  eraseUncalled();
  while (shareEqual())
    ;
  for (func::FuncOp func : SmallVector<func::FuncOp>(getOperation().getOps<func::FuncOp>()))
    inlineBottomUp(func);
  visited.clear();
  eraseUncalled();
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (func.isPrivate() && !func.isExternal())
      eraseDeadArguments(func);
}
