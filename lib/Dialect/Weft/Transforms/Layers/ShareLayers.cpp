//===- ShareLayers.cpp - weft-share-layers --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One function for each repeated layer, and no others: equal functions become one, and those that
// are called once or are too small to be worth a call are inlined, so that the fusions see whole
// layers while code and compile time do not grow with depth. What is not small stays a call even
// without products: modules that call each other twice would double at every level.
//
//===----------------------------------------------------------------------------------------===//

#include "InlineCall.h"

#include "weft/Dialect/Weft/IR/FunctionEquivalence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

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

namespace {
/// How much of the model a function is.
struct FunctionSize {
  unsigned formulas = 0; ///< formulas and calls
  unsigned anchors = 0;  ///< those of the functions it calls included
};

class ShareLayersPass : public weft::impl::ShareLayersPassBase<ShareLayersPass> {
public:
  using ShareLayersPassBase::ShareLayersPassBase;
  void runOnOperation() override;

private:
  void findFunctions();
  SmallVector<func::FuncOp> calleesFirst();
  void shareEqual();
  void replaceFunctions(const llvm::StringMap<StringRef> &replacement);
  FunctionSize measure(func::FuncOp func) const;
  void inlineSmall();
  void inlineCalls(func::FuncOp callee);
  void eraseDeadArguments(func::FuncOp func);

  llvm::StringMap<func::FuncOp> functions;
  DenseMap<Operation *, SmallVector<func::CallOp>> callsOf;
  DenseMap<Operation *, FunctionSize> sizes; // of the functions that stay
};
} // namespace

/// All functions by name, and the calls of each.
void ShareLayersPass::findFunctions() {
  functions.clear();
  callsOf.clear();
  for (auto func : getOperation().getOps<func::FuncOp>())
    functions[func.getSymName()] = func;
  getOperation().walk([&](func::CallOp call) {
    if (func::FuncOp callee = functions.lookup(call.getCallee()))
      callsOf[callee].push_back(call);
  });
}

SmallVector<func::FuncOp> ShareLayersPass::calleesFirst() {
  SmallVector<func::FuncOp> order;
  llvm::SmallPtrSet<Operation *, 16> visited;
  auto visit = [&](func::FuncOp func, auto &&visit) -> void {
    if (!func || !visited.insert(func).second)
      return;
    func.walk([&](func::CallOp call) { visit(functions.lookup(call.getCallee()), visit); });
    order.push_back(func);
  };
  for (auto func : getOperation().getOps<func::FuncOp>())
    visit(func, visit);
  return order;
}

/// Callees first, so that functions are compared when they call the same ones already. Of equal
/// functions the first of the module stays.
void ShareLayersPass::shareEqual() {
  using Class = SmallVector<func::FuncOp>;     // equal functions
  DenseMap<size_t, SmallVector<Class>> byHash; // of their first functions
  for (func::FuncOp func : calleesFirst()) {
    if (!func.isPrivate() || func.isExternal())
      continue;
    SmallVector<Class> &classes = byHash[hashOf(func)];
    auto *found = llvm::find_if(classes, [&](Class &c) { return areEquivalent(func, c.front()); });
    if (found == classes.end()) {
      classes.push_back({func});
      continue;
    }
    for (func::CallOp call : callsOf[func])
      call.setCallee(found->front().getSymName());
    found->push_back(func);
  }
  llvm::StringMap<StringRef> replacement;
  for (auto &[hash, classes] : byHash)
    for (Class &equal : classes) {
      func::FuncOp kept = *llvm::min_element(
          equal, [](func::FuncOp a, func::FuncOp b) { return a->isBeforeInBlock(b); });
      for (func::FuncOp func : equal)
        if (func != kept)
          replacement[func.getSymName()] = kept.getSymName();
    }
  replaceFunctions(replacement);
}

void ShareLayersPass::replaceFunctions(const llvm::StringMap<StringRef> &replacement) {
  for (const auto &entry : replacement)
    functions.lookup(entry.getKey()).erase();
  getOperation().walk([&](func::CallOp call) {
    if (auto found = replacement.find(call.getCallee()); found != replacement.end())
      call.setCallee(found->second);
  });
  numShared += replacement.size();
  findFunctions();
}

FunctionSize ShareLayersPass::measure(func::FuncOp func) const {
  FunctionSize size;
  llvm::SmallPtrSet<Operation *, 8> counted;
  for (Operation &op : func.getBody().front()) {
    size.formulas += isa<FormulaOpInterface, func::CallOp>(op);
    size.anchors += isAnchor(&op);
    auto call = dyn_cast<func::CallOp>(op);
    func::FuncOp callee = call ? functions.lookup(call.getCallee()) : func::FuncOp();
    if (callee && counted.insert(callee).second)
      size.anchors = llvm::SaturatingAdd(size.anchors, sizes.lookup(callee).anchors);
  }
  return size;
}

/// Replaces every call of `callee` by its body.
void ShareLayersPass::inlineCalls(func::FuncOp callee) {
  for (func::CallOp call : callsOf[callee]) {
    if (callee->isProperAncestor(call))
      continue;
    inlineCall(call, callee);
    ++numInlined;
  }
}

/// Callees first: when a function is inlined, none of its callers has been.
void ShareLayersPass::inlineSmall() {
  sizes.clear();
  for (func::FuncOp func : calleesFirst()) {
    if (!func.isPrivate() || func.isExternal() || !func.getBody().hasOneBlock())
      continue;
    FunctionSize size = sizes[func] = measure(func);
    bool isSmall = size.anchors <= maxInlinedAnchors && size.formulas <= maxInlinedFormulas;
    if (isSmall || callsOf[func].size() == 1)
      inlineCalls(func);
  }
}

void ShareLayersPass::eraseDeadArguments(func::FuncOp func) {
  llvm::BitVector dead(func.getNumArguments());
  for (BlockArgument argument : func.getArguments())
    if (argument.use_empty())
      dead.set(argument.getArgNumber());
  if (dead.none())
    return;
  for (func::CallOp call : callsOf[func])
    call->eraseOperands(dead);
  if (failed(func.eraseArguments(dead)))
    signalPassFailure();
}

void ShareLayersPass::runOnOperation() {
  OpPassManager eraseUncalled(ModuleOp::getOperationName());
  eraseUncalled.addPass(createSymbolDCEPass());
  if (failed(runPipeline(eraseUncalled, getOperation())))
    return signalPassFailure();
  findFunctions();
  shareEqual();
  inlineSmall();
  if (failed(runPipeline(eraseUncalled, getOperation())))
    return signalPassFailure();
  findFunctions();
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (func.isPrivate() && !func.isExternal())
      eraseDeadArguments(func);
}
