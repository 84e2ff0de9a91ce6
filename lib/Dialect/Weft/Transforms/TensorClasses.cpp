//===- TensorClasses.cpp - one tensor across calls ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace weft;

/// All tensor values of the functions' bodies, in the order of the text.
static SmallVector<Value> tensorValues(ModuleOp module) {
  SmallVector<Value> values;
  auto add = [&](ValueRange range) {
    for (Value value : range)
      if (isa<RankedTensorType>(value.getType()))
        values.push_back(value);
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    add(function.getArguments());
    for (Block &block : function.getBody())
      for (Operation &op : block)
        add(op.getResults());
  }
  return values;
}

/// Calls `join(a, b)` for all pairs of tensors that a call makes one.
static void forEachCallPair(ModuleOp module, function_ref<void(Value, Value)> join) {
  SymbolTable symbols(module);
  module.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return;
    for (auto [operand, argument] : llvm::zip(call.getOperands(), callee.getArguments()))
      join(operand, argument);
    Operation *terminator = callee.getBody().back().getTerminator();
    for (auto [result, returned] : llvm::zip(call.getResults(), terminator->getOperands()))
      join(result, returned);
  });
}

/// The same of the parts of a state that a step and what computes its last position read.
static void forEachCachePair(ModuleOp module, function_ref<void(Value, Value)> join) {
  for (auto last : module.getOps<func::FuncOp>()) {
    auto name = attrs::Last::get(last);
    auto step = name ? module.lookupSymbol<func::FuncOp>(name.getValue()) : func::FuncOp();
    if (!step)
      continue;
    for (auto [a, b] : llvm::zip(step.getArguments(), last.getArguments()))
      if (attrs::State::getArg(last, b.getArgNumber()))
        join(a, b);
  }
}

/// The same of the parts of a state that the start of a sequence makes and its step reads.
static void forEachStatePair(ModuleOp module, function_ref<void(Value, Value)> join) {
  SymbolTable symbols(module);
  for (auto start : module.getOps<func::FuncOp>()) {
    auto name = attrs::Start::get(start);
    auto step = name ? symbols.lookup<func::FuncOp>(name.getValue()) : func::FuncOp();
    if (!step || start.isExternal() || step.isExternal())
      continue;
    Operation *terminator = start.getBody().back().getTerminator();
    for (auto [i, made] : llvm::enumerate(terminator->getOperands()))
      for (BlockArgument read : step.getArguments())
        if (attrs::State::getArg(step, read.getArgNumber()) &&
            attrs::Name::getArg(step, read.getArgNumber()) == attrs::Name::getResult(start, i))
          join(made, read);
  }
}

/// The same of the weights of one name: it is stored once, whichever functions read it.
static void forEachWeightPair(ModuleOp module, function_ref<void(Value, Value)> join) {
  llvm::MapVector<std::pair<StringRef, Type>, Value> first;
  module.walk([&](WeightOp op) {
    auto [slot, inserted] =
        first.try_emplace({op.getName(), op.getResult().getType()}, op.getResult());
    if (!inserted)
      join(slot->second, op.getResult());
  });
}

/// The tensor is made here: not handed in by a call.
static bool isSource(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return attrs::Entry::isOn(argument.getOwner()->getParentOp());
  return !isa<func::CallOp>(value.getDefiningOp());
}

TensorClasses::TensorClasses(ModuleOp module) {
  SmallVector<Value> values = tensorValues(module);
  for (auto [i, value] : llvm::enumerate(values))
    classes[value] = i;
  llvm::IntEqClasses joined(values.size());
  auto join = [&](Value a, Value b) {
    if (classes.contains(a) && classes.contains(b))
      joined.join(classes[a], classes[b]);
  };
  forEachCallPair(module, join);
  forEachCachePair(module, join);
  forEachStatePair(module, join);
  forEachWeightPair(module, join);
  joined.compress();
  members.resize(joined.getNumClasses());
  weight.assign(joined.getNumClasses(), true);
  SmallVector<bool> hasSource(joined.getNumClasses(), false);
  for (auto [i, value] : llvm::enumerate(values)) {
    unsigned id = classes[value] = joined[i];
    members[id].push_back(value);
    if (!isSource(value))
      continue;
    hasSource[id] = true;
    Operation *source = value.getDefiningOp();
    weight[id] = weight[id] && source && isa<WeightOp, arith::ConstantOp>(source);
  }
  for (unsigned id = 0; id != members.size(); ++id)
    weight[id] = weight[id] && hasSource[id];
}

static DenseElementsAttr round(DenseFPElementsAttr numbers, FloatType element) {
  return numbers.mapValues(element, [&](const APFloat &number) {
    APFloat rounded = number;
    bool isExact;
    rounded.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &isExact);
    return rounded.bitcastToAPInt();
  });
}

void weft::setElementType(ArrayRef<Value> members, Type element) {
  for (Value value : members) {
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(
          round(cast<DenseFPElementsAttr>(constant.getValue()), cast<FloatType>(element)));
    value.setType(cast<RankedTensorType>(value.getType()).clone(element));
  }
}

IRMapping weft::addTwins(ModuleOp module, ArrayRef<Value> members, RankedTensorType type,
                         llvm::function_ref<void(WeightOp)> change) {
  IRMapping twins;
  for (Value value : members) {
    if (auto weight = value.getDefiningOp<WeightOp>()) {
      auto twin = cast<WeightOp>(OpBuilder(weight).clone(*weight));
      twin.getResult().setType(type);
      change(twin);
      twins.map(value, twin.getResult());
      continue;
    }
    auto function = cast<func::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
    unsigned end = function.getNumArguments();
    (void)function.insertArgument(end, type, {}, value.getLoc());
    twins.map(value, function.getArgument(end));
  }
  // Calls get their operands in the order in which the arguments were added.
  SymbolTable functions(module);
  module.walk([&](func::CallOp call) {
    auto callee = functions.lookup<func::FuncOp>(call.getCallee());
    SmallVector<std::pair<unsigned, Value>> added;
    for (auto [operand, argument] : llvm::zip(call.getOperands(), callee.getArguments()))
      if (twins.contains(argument))
        added.emplace_back(cast<BlockArgument>(twins.lookup(argument)).getArgNumber(),
                           twins.lookup(operand));
    llvm::sort(added, llvm::less_first());
    for (auto [number, twin] : added)
      call->insertOperands(number, twin);
  });
  return twins;
}

void weft::updateFunctionTypes(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    Operation *terminator = function.getBody().back().getTerminator();
    function.setType(FunctionType::get(module.getContext(), function.getBody().getArgumentTypes(),
                                       terminator->getOperandTypes()));
  }
}
