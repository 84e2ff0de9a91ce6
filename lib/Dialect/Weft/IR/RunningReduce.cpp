//===- RunningReduce.cpp - reductions of all that was before --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/RunningReduce.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace weft;

/// Whether there is such an op among those that make the value.
static bool isMadeBy(Value value, llvm::function_ref<bool(Operation *)> isSuch) {
  llvm::SetVector<Operation *> ops;
  auto add = [&](Value operand) {
    if (Operation *op = operand.getDefiningOp())
      ops.insert(op);
  };
  add(value);
  for (size_t i = 0; i != ops.size(); ++i) {
    if (isSuch(ops[i]))
      return true;
    for (Value operand : ops[i]->getOperands())
      add(operand);
  }
  return false;
}

/// Whether no index of the formula decides the value, nor an element.
static bool isFixed(Value value) {
  return !isMadeBy(value, [](Operation *op) {
    return isa<weft::IndexOp>(op) || !isPure(op) || op->getNumRegions() > 0 ||
           llvm::any_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
  }) && !isa<BlockArgument>(value);
}

/// Whether the value is the index at `position` plus what no index decides.
static bool isIndexPlus(Value value, unsigned position) {
  if (auto index = value.getDefiningOp<weft::IndexOp>())
    return index.getPosition() == position;
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return (isIndexPlus(sum.getLhs(), position) && isFixed(sum.getRhs())) ||
           (isFixed(sum.getLhs()) && isIndexPlus(sum.getRhs(), position));
  auto difference = value.getDefiningOp<arith::SubIOp>();
  return difference && isIndexPlus(difference.getLhs(), position) && isFixed(difference.getRhs());
}

/// Whether the comparison says that s is below t, or at most t, but for what no index decides.
static bool isBelow(Value condition, unsigned s, unsigned t) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex())
    return false;
  Value small = compare.getLhs(), large = compare.getRhs();
  using Is = arith::CmpIPredicate;
  if (compare.getPredicate() == Is::sgt || compare.getPredicate() == Is::sge)
    std::swap(small, large);
  else if (compare.getPredicate() != Is::slt && compare.getPredicate() != Is::sle)
    return false;
  return isIndexPlus(small, s) && isIndexPlus(large, t);
}

static bool isIndex(Operation *op, unsigned position) {
  auto index = dyn_cast<weft::IndexOp>(op);
  return index && index.getPosition() == position;
}

/// Whether the index decides an element.
static bool dependsOn(ReduceOp op, unsigned position) {
  FormulaOpInterface formula = op;
  for (unsigned i = 0; i != op.getInputs().size(); ++i)
    if (formula.getInputMap(i).isFunctionOfDim(position))
      return true;
  return op.getBody()
      .walk([&](Operation *inner) {
        return isIndex(inner, position) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What all has to hold.
static SmallVector<Value> getConditions(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  SmallVector<Value> conditions;
  for (size_t i = 0; i != values.size(); ++i)
    if (auto both = values[i].getDefiningOp<arith::AndIOp>()) {
      values.insert(both.getLhs());
      values.insert(both.getRhs());
    } else {
      conditions.push_back(values[i]);
    }
  return conditions;
}

/// Of these the one that says how far s goes for a value of t, if t decides no other.
static Value findBound(ArrayRef<Value> conditions, unsigned s, unsigned t) {
  Value bound;
  for (Value condition : conditions)
    if (!bound && isBelow(condition, s, t))
      bound = condition;
    else if (isMadeBy(condition, [&](Operation *op) { return isIndex(op, t); }))
      return {};
  return bound;
}

/// Whether the order of the elements is that of positions, or does not matter.
static bool isInOrder(ReduceOp op) {
  ReduceKind kind = op.getKind();
  if (kind == ReduceKind::Max || kind == ReduceKind::Min)
    return true;
  bool isSum = kind == ReduceKind::Sum || kind == ReduceKind::Mean || kind == ReduceKind::Prod;
  return isSum && attrs::Lane::isOn(op) && attrs::Lane::getInt(op) < 0;
}

std::optional<RunningReduce> weft::findRunning(ReduceOp op) {
  FormulaOpInterface formula = op;
  unsigned s = formula.getNumOutputIndices();
  Region &predicate = op.getPredicate();
  if (predicate.empty() || formula.getNumIndices() != s + 1 || !isInOrder(op))
    return std::nullopt;
  // A condition with a reduction of its own is not looked into.
  if (llvm::any_of(predicate.getOps(), [](Operation &inner) { return inner.getNumRegions() > 0; }))
    return std::nullopt;
  SmallVector<Value> conditions = getConditions(predicate.front().getTerminator()->getOperand(0));
  for (unsigned t = 0; t != s; ++t)
    if (Value bound = findBound(conditions, s, t); bound && !dependsOn(op, t))
      return RunningReduce{t, bound, conditions.size() > 1};
  return std::nullopt;
}
