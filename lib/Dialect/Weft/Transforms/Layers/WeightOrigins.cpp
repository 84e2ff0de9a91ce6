//===- WeightOrigins.cpp - what depends on weights only -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Layers/WeightOrigins.h"

#include "Layers/InlineCall.h"
#include "Maps/FixedFormulas.h"

using namespace mlir;
using namespace weft;

WeightOrigins::WeightOrigins(ModuleOp module) {
  sortFunctions(module);
  llvm::erase_if(callersFirst, [&](func::FuncOp function) {
    if (eraseUncalled(function))
      return true;
    visit(function);
    return false;
  });
}

void WeightOrigins::sortFunctions(ModuleOp module) {
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
  for (auto function : module.getOps<func::FuncOp>())
    functions[function.getName()] = function;
  for (auto function : module.getOps<func::FuncOp>())
    visit(function, visit);
  std::reverse(callersFirst.begin(), callersFirst.end());
}

Origin WeightOrigins::of(Value tensor) const {
  if (Operation *op = tensor.getDefiningOp(); op && isa<WeightOp, arith::ConstantOp>(op))
    return isa<WeightOp>(op) ? Origin::Weights : Origin::Constants;
  auto known = origins.find(tensor);
  return known == origins.end() ? Origin::Inputs : known->second;
}

Origin WeightOrigins::of(IndexedOpInterface op) const {
  if (!dependsOnlyOn(op, [&](Value read) { return of(read) != Origin::Inputs; }))
    return Origin::Inputs;
  Origin origin = Origin::Constants;
  for (Value read : getTensorsRead(op))
    origin = std::max(origin, of(read));
  return origin;
}

void WeightOrigins::copy(Operation *op, Operation *copy) {
  for (auto [old, now] : llvm::zip_equal(op->getResults(), copy->getResults()))
    if (Origin origin = of(old); origin != Origin::Inputs)
      origins[now] = origin;
}

ArrayRef<func::CallOp> WeightOrigins::getCallsOf(func::FuncOp function) const {
  auto calls = callsOf.find(function);
  return calls == callsOf.end() ? ArrayRef<func::CallOp>() : calls->second;
}

/// A call for weights only, whose results have one size.
bool WeightOrigins::isForWeights(func::CallOp call) {
  func::FuncOp callee = functions.lookup(call.getCallee());
  auto isFixed = [&](Value operand) { return of(operand) != Origin::Inputs; };
  auto isStatic = [](Type type) { return cast<ShapedType>(type).hasStaticShape(); };
  return callee && callee.isPrivate() && !callee.isExternal() && callee.getBody().hasOneBlock() &&
         llvm::all_of(call.getOperands(), isFixed) && llvm::all_of(call.getResultTypes(), isStatic);
}

void WeightOrigins::inlineHere(func::CallOp call) {
  Block *block = call->getBlock();
  func::FuncOp callee = functions.lookup(call.getCallee());
  llvm::erase(callsOf[callee], call);
  inlineCall(call, callee);
  for (auto nested : block->getOps<func::CallOp>())
    if (auto &calls = callsOf[functions.lookup(nested.getCallee())];
        !llvm::is_contained(calls, nested))
      calls.push_back(nested);
}

void WeightOrigins::visit(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    Origin origin = getCallsOf(function).empty() ? Origin::Inputs : Origin::Constants;
    for (func::CallOp call : getCallsOf(function))
      origin = std::max(origin, of(call.getOperand(argument.getArgNumber())));
    if (origin != Origin::Inputs && !attrs::Entry::isOn(function))
      origins[argument] = origin;
  }
  Block &block = function.front();
  for (Block::iterator at = block.begin(); at != block.end();) {
    if (auto call = dyn_cast<func::CallOp>(*at); call && isForWeights(call)) {
      Operation *before = call->getPrevNode();
      inlineHere(call);
      at = before ? std::next(Block::iterator(before)) : block.begin();
      continue;
    }
    auto formula = dyn_cast<FormulaOpInterface>(*at++);
    if (Origin origin = formula ? of(formula) : Origin::Inputs; origin != Origin::Inputs)
      for (Value result : formula->getResults())
        origins[result] = origin;
  }
}

/// Erases a function all of whose calls were for weights only.
bool WeightOrigins::eraseUncalled(func::FuncOp function) {
  if (!function.isPrivate() || attrs::Entry::isOn(function) || !getCallsOf(function).empty())
    return false;
  function.walk(
      [&](func::CallOp call) { llvm::erase(callsOf[functions.lookup(call.getCallee())], call); });
  functions.erase(function.getName());
  function.erase();
  return true;
}
