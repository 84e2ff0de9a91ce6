//===- DeriveWeights.cpp - weft-derive-weights ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// From callers to callees it is found out what depends on weights and constants only; from callees
// to callers such tensors move out of their functions, to become weights in the entries. A layer
// gets one more argument for each, and its callers compute what they pass, until they are entries.
//
//===----------------------------------------------------------------------------------------===//

#include "Cost.h"
#include "Layers/DerivedModule.h"
#include "Layers/InlineCall.h"
#include "Maps/FixedFormulas.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace weft {
#define GEN_PASS_DEF_DERIVEWEIGHTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
/// What a tensor depends on; of several the greatest counts.
enum class Origin { Constants, Weights, Inputs };

class DeriveWeightsPass : public weft::impl::DeriveWeightsPassBase<DeriveWeightsPass> {
public:
  using DeriveWeightsPassBase::DeriveWeightsPassBase;
  void runOnOperation() override;

private:
  void sortFunctions();
  Origin originOf(Value tensor) const;
  Origin originOf(FormulaOpInterface formula) const;
  void findOrigins(func::FuncOp function);
  bool isComputedOnce(func::CallOp call, func::FuncOp callee) const;
  bool eraseUncalled(func::FuncOp &function);

  SmallVector<Operation *> sliceOf(Value value) const;
  bool isWanted(OpResult value) const;
  void moveOut(func::FuncOp function);
  void passIn(func::FuncOp function, OpResult value);
  void eraseUnused(func::FuncOp function);

  SmallVector<func::FuncOp> callersFirst;
  llvm::StringMap<func::FuncOp> functions;
  DenseMap<Operation *, SmallVector<func::CallOp>> callsOf;
  DenseMap<Value, Origin> origins; ///< of what does not depend on inputs
  std::optional<DerivedModule> derived;
};
} // namespace

void DeriveWeightsPass::sortFunctions() {
  llvm::SmallPtrSet<Operation *, 16> visited;
  auto visit = [&](func::FuncOp function, auto &&visit) -> void {
    if (!function || !visited.insert(function).second)
      return;
    function.walk([&](func::CallOp call) {
      func::FuncOp callee = functions.lookup(call.getCallee());
      callsOf[callee].push_back(call);
      visit(callee, visit);
    });
    callersFirst.push_back(function);
  };
  for (auto function : getOperation().getOps<func::FuncOp>())
    functions[function.getName()] = function;
  for (auto function : getOperation().getOps<func::FuncOp>())
    visit(function, visit);
  std::reverse(callersFirst.begin(), callersFirst.end());
}

//===----------------------------------------------------------------------------------------===//
// What depends on weights only
//===----------------------------------------------------------------------------------------===//

Origin DeriveWeightsPass::originOf(Value tensor) const {
  if (Operation *op = tensor.getDefiningOp(); op && isa<WeightOp, arith::ConstantOp>(op))
    return isa<WeightOp>(op) ? Origin::Weights : Origin::Constants;
  auto known = origins.find(tensor);
  return known == origins.end() ? Origin::Inputs : known->second;
}

Origin DeriveWeightsPass::originOf(FormulaOpInterface formula) const {
  if (!dependsOnlyOn(formula, [&](Value read) { return originOf(read) != Origin::Inputs; }))
    return Origin::Inputs;
  Origin origin = Origin::Constants;
  for (Value read : getTensorsRead(formula))
    origin = std::max(origin, originOf(read));
  return origin;
}

/// A call for weights only, whose results have one size: its formulas belong to the caller.
bool DeriveWeightsPass::isComputedOnce(func::CallOp call, func::FuncOp callee) const {
  auto isFixed = [&](Value operand) { return originOf(operand) != Origin::Inputs; };
  auto isStatic = [](Type type) { return cast<ShapedType>(type).hasStaticShape(); };
  return callee && callee.isPrivate() && !callee.isExternal() && callee.getBody().hasOneBlock() &&
         llvm::all_of(call.getOperands(), isFixed) && llvm::all_of(call.getResultTypes(), isStatic);
}

void DeriveWeightsPass::findOrigins(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    Origin origin = callsOf[function].empty() ? Origin::Inputs : Origin::Constants;
    for (func::CallOp call : callsOf[function])
      origin = std::max(origin, originOf(call.getOperand(argument.getArgNumber())));
    if (origin != Origin::Inputs && !attrs::Entry::isOn(function))
      origins[argument] = origin;
  }
  for (Block::iterator at = function.front().begin(); at != function.front().end();) {
    Operation *op = &*at++;
    auto call = dyn_cast<func::CallOp>(op);
    func::FuncOp callee = call ? functions.lookup(call.getCallee()) : func::FuncOp();
    if (call && isComputedOnce(call, callee)) {
      Operation *before = op->getPrevNode();
      llvm::erase(callsOf[callee], call);
      inlineCall(call, callee);
      at = before ? std::next(Block::iterator(before)) : function.front().begin();
      for (auto added = at; added != function.front().end(); ++added)
        if (auto nested = dyn_cast<func::CallOp>(*added))
          if (auto &calls = callsOf[functions.lookup(nested.getCallee())];
              !llvm::is_contained(calls, nested))
            calls.push_back(nested);
      continue;
    }
    auto formula = dyn_cast<FormulaOpInterface>(op);
    if (Origin origin = formula ? originOf(formula) : Origin::Inputs; origin != Origin::Inputs)
      for (Value result : op->getResults())
        origins[result] = origin;
  }
}

/// Erases a function all of whose calls were for weights only.
bool DeriveWeightsPass::eraseUncalled(func::FuncOp &function) {
  if (!function.isPrivate() || attrs::Entry::isOn(function) || !callsOf[function].empty())
    return false;
  function.walk(
      [&](func::CallOp call) { llvm::erase(callsOf[functions.lookup(call.getCallee())], call); });
  function.erase();
  function = {};
  return true;
}

//===----------------------------------------------------------------------------------------===//
// Out of functions
//===----------------------------------------------------------------------------------------===//

/// All that it is computed by, in order: formulas and constants, no weights.
SmallVector<Operation *> DeriveWeightsPass::sliceOf(Value value) const {
  llvm::SetVector<Operation *> found;
  auto visit = [&](Value read, auto &&visit) -> void {
    Operation *op = read.getDefiningOp();
    if (!op || isa<WeightOp>(op) || !found.insert(op))
      return;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (operand.getParentBlock() == op->getBlock())
          visit(operand, visit);
    });
  };
  visit(value, visit);
  SmallVector<Operation *> slice = found.takeVector();
  llvm::sort(slice, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return slice;
}

/// Whether something that is computed in every call reads it, and to compute it is work.
bool DeriveWeightsPass::isWanted(OpResult value) const {
  if (originOf(value) != Origin::Weights || !getElementTypeOrSelf(value).isF32())
    return false;
  Block *block = value.getOwner()->getBlock();
  bool isRead = llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *reader = block->findAncestorOpInBlock(*user);
    return reader->getNumResults() == 0 || originOf(reader->getResult(0)) == Origin::Inputs;
  });
  if (!isRead)
    return false;
  double work = 0;
  for (Operation *op : sliceOf(value))
    if (auto formula = dyn_cast<FormulaOpInterface>(op)) {
      llvm::SmallBitVector outputs(formula.getNumIndices());
      outputs.set(0, formula.getNumOutputIndices());
      work += getElementCost(formula) * countPoints(formula, outputs);
    }
  return work >= double(leastWork);
}

/// One more argument of the function, which every caller computes.
void DeriveWeightsPass::passIn(func::FuncOp function, OpResult value) {
  SmallVector<Operation *> slice = sliceOf(value);
  for (func::CallOp call : callsOf[function]) {
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(function.getArguments().take_front(call.getNumOperands()), call.getOperands());
    for (Operation *op : slice) {
      Operation *copy = builder.clone(*op, mapping);
      for (auto [old, now] : llvm::zip_equal(op->getResults(), copy->getResults()))
        if (auto origin = origins.find(old); origin != origins.end()) {
          Origin same = origin->second;
          origins[now] = same;
        }
    }
    call->insertOperands(call.getNumOperands(), mapping.lookup(Value(value)));
  }
  unsigned number = function.getNumArguments();
  StringRef label = attrs::Label::getText(value.getOwner());
  DictionaryAttr name;
  if (!label.empty())
    name = DictionaryAttr::get(&getContext(), attrs::Name::named(&getContext(), label));
  (void)function.insertArgument(number, value.getType(), name, value.getLoc());
  value.replaceAllUsesWith(function.getArgument(number));
}

void DeriveWeightsPass::moveOut(func::FuncOp function) {
  SmallVector<OpResult> wanted;
  for (Operation &op : function.front())
    for (OpResult result : op.getResults())
      if (isa<FormulaOpInterface>(op) && isWanted(result))
        wanted.push_back(result);
  if (wanted.empty())
    return;
  for (OpResult value : wanted) {
    if (!attrs::Entry::isOn(function)) {
      passIn(function, value);
      continue;
    }
    std::string name = derived->add(value, sliceOf(value));
    OpBuilder builder(value.getOwner());
    auto weight = WeightOp::create(builder, value.getLoc(), value.getType(), name, CodedAttr(),
                                   ArrayAttr(), IntegerAttr());
    value.replaceAllUsesWith(weight.getResult());
    ++numDerived;
  }
  eraseUnused(function);
}

/// What was read by what is gone, and arguments that nothing reads.
void DeriveWeightsPass::eraseUnused(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isa<FormulaOpInterface, WeightOp, arith::ConstantOp>(op) && op.use_empty()) {
      for (Value result : op.getResults())
        origins.erase(result);
      op.erase();
    }
  llvm::BitVector unread(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty() && !attrs::Entry::isOn(function)) {
      unread.set(argument.getArgNumber());
      origins.erase(argument);
    }
  for (func::CallOp call : callsOf[function])
    call->eraseOperands(unread);
  (void)function.eraseArguments(unread);
}

void DeriveWeightsPass::runOnOperation() {
  callersFirst.clear();
  functions.clear();
  callsOf.clear();
  origins.clear();
  sortFunctions();
  if (llvm::any_of(callersFirst, [](func::FuncOp function) { return function.isExternal(); }))
    return; // the contract of stage graph says what is wrong
  derived.emplace(getOperation());
  for (func::FuncOp &function : callersFirst)
    if (!eraseUncalled(function))
      findOrigins(function);
  for (func::FuncOp function : llvm::reverse(callersFirst))
    if (function)
      moveOut(function);
}
