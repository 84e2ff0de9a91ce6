//===- Readers.cpp - who reads a tensor, and in which type ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/Readers.h"

#include "weft/Dialect/Weft/IR/AttentionTypes.h"
#include "weft/Dialect/Weft/IR/CopyFormula.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace weft;

bool weft::isFixed(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return attrs::Entry::isOn(function) && !attrs::State::getArg(function, argument.getArgNumber());
  }
  // A wide attention may keep its sums in its result, a softmax its exponentials.
  if (auto attention = value.getDefiningOp<AttentionOp>())
    return value != attention.getResult(0) || getHeadSize(attention) > kWholeHead;
  return isa<SoftmaxOp, arith::ConstantOp, WeightOp>(value.getDefiningOp());
}

bool weft::isFixedResult(OpOperand &use) {
  auto function = use.getOwner()->getParentOfType<func::FuncOp>();
  return attrs::Entry::isOn(function) && !attrs::State::getResult(function, use.getOperandNumber());
}

void Readers::add(ArrayRef<Value> members, FactorTypes &types) {
  for (Value value : members)
    for (OpOperand &use : value.getUses())
      add(use, types);
}

void Readers::add(OpOperand &use, FactorTypes &types) {
  if (isa<func::CallOp, AppendOp>(use.getOwner()))
    return; // the value there is of the same class, or joined with it
  if (isa<func::ReturnOp>(use.getOwner()))
    hasOthers |= isFixedResult(use);
  else if (types.getWanted(use))
    factors.push_back(&use);
  else if (isCopy(use.getOwner()))
    copies.push_back(&use);
  else
    hasOthers = true;
}

Type Readers::getWanted(FactorTypes &types) const {
  SmallVector<Type> wanted;
  for (OpOperand *use : factors)
    wanted.push_back(types.getWanted(*use));
  for (OpOperand *use : copies)
    wanted.push_back(elementOf(use->getOwner()->getResult(0)));
  return !hasOthers && !wanted.empty() && llvm::all_equal(wanted) ? wanted.front() : Type();
}

SmallVector<Cache> weft::findCaches(ModuleOp module, const TensorClasses &classes) {
  llvm::IntEqClasses kept(classes.size()); // a cache with what it is behind its new rows
  module.walk([&](AppendOp op) {
    kept.join(classes.classOf(op.getCache()), classes.classOf(op.getResult()));
  });
  kept.compress();
  llvm::MapVector<unsigned, Cache> caches;
  module.walk(
      [&](AppendOp op) { caches[kept[classes.classOf(op.getCache())]].appends.push_back(op); });
  for (unsigned id = 0; id != classes.size(); ++id)
    if (auto found = caches.find(kept[id]); found != caches.end())
      llvm::append_range(found->second.members, classes.getMembers(id));
  return llvm::to_vector(llvm::make_second_range(caches.takeVector()));
}
