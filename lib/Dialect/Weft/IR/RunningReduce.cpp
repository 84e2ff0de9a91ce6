//===- RunningReduce.cpp - reductions of all before, or behind ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/RunningReduce.h"

#include "weft/Dialect/Weft/IR/AffineValue.h"
#include "weft/Dialect/Weft/IR/Conjuncts.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace weft;

/// Whether the condition says that one index is below another, or at most that, but for sizes and
/// constants.
static bool isBelow(Conjunct conjunct, unsigned lower, unsigned upper) {
  auto compare = conjunct.condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || conjunct.negated || !compare.getLhs().getType().isIndex())
    return false;
  MLIRContext *context = compare.getContext();
  auto ofSize = [&](SizeOp) { return getAffineSymbolExpr(0, context); }; // whichever it is
  AffineExpr small = getAffineExpr(compare.getLhs(), ofSize),
             large = getAffineExpr(compare.getRhs(), ofSize);
  using Is = arith::CmpIPredicate;
  if (compare.getPredicate() == Is::sgt || compare.getPredicate() == Is::sge)
    std::swap(small, large);
  else if (compare.getPredicate() != Is::slt && compare.getPredicate() != Is::sle)
    return false;
  if (!small || !large)
    return false;
  AffineExpr apart = getAffineDimExpr(lower, context) - getAffineDimExpr(upper, context);
  unsigned numDims = std::max(lower, upper) + 1;
  return simplifyAffineExpr(small - large - apart, numDims, 1).isSymbolicOrConstant();
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

/// Whether the index is among what decides the value.
static bool dependsOn(Value value, unsigned position) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i != values.size(); ++i)
    if (Operation *op = values[i].getDefiningOp()) {
      if (isIndex(op, position))
        return true;
      values.insert_range(op->getOperands());
    }
  return false;
}

/// Of these the one that says how far s goes for a value of t, up or down, if t decides no other.
static Value findBound(ArrayRef<Conjunct> conjuncts, unsigned s, unsigned t, bool descends) {
  Value bound;
  for (Conjunct conjunct : conjuncts)
    if (!bound && (descends ? isBelow(conjunct, t, s) : isBelow(conjunct, s, t)))
      bound = conjunct.condition;
    else if (dependsOn(conjunct.condition, t))
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
  SmallVector<Conjunct> conjuncts;
  collectConjuncts(predicate.front().getTerminator()->getOperand(0), /*negated=*/false, conjuncts);
  for (bool descends : {false, true})
    for (unsigned t = 0; t != s; ++t)
      if (Value bound = findBound(conjuncts, s, t, descends); bound && !dependsOn(op, t))
        return RunningReduce{t, bound, descends, conjuncts.size() > 1};
  return std::nullopt;
}
