//===- HoistInvariants.cpp - costly code leaves the loops it does not depend on -------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The cosine of a position's angle is the same for every head, the slope of a head the same for
// every pair: such a part of a formula becomes a formula of its own, a small table. A part that
// depends on two positions does not: it would be the n x n tensor the fusions are to avoid.
//
//===----------------------------------------------------------------------------------------===//

#include "Cost.h"
#include "ProductFactors.h"
#include "Separable.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

/// Whether it may be worth a table: a function, or a loop.
static bool isCostly(Operation *op) { return isa<InnerOp>(op) || getCost(*op) >= kFunctionCost; }

/// What the value depends on. Positions that are added up come first, as a cache has them.
static SmallVector<unsigned> getOrderOfIndices(FormulaOpInterface formula, Value value) {
  llvm::SmallBitVector used = getDependence(formula, value);
  SmallVector<unsigned> order;
  for (bool first : {true, false})
    for (unsigned i : used.set_bits()) {
      bool isAdded =
          isa<ReduceOp>(formula) && formula.isReduced(i) && formula.getIndexAttr(i).getDynamic();
      if (isAdded == first)
        order.push_back(i);
    }
  return order;
}

unsigned weft::hoistInvariants(RewriterBase &rewriter, FormulaOpInterface formula) {
  if (!isa<MapOp, ReduceOp, SoftmaxOp>(formula) || attrs::Constant::isOn(formula))
    return 0;
  Region &body = formula->getRegion(0);
  // From the end, so that the largest part that qualifies comes first.
  SmallVector<Operation *> parts;
  llvm::SmallPtrSet<Operation *, 8> covered;
  for (Operation &op : llvm::reverse(body.front().without_terminator())) {
    if (covered.contains(&op) || op.getNumResults() != 1 || !op.getResult(0).getType().isF32())
      continue;
    llvm::SmallBitVector used = getDependence(formula, op.getResult(0));
    if (used.all() || used.none() || hasTwoPositions(formula, used))
      continue;
    bool costly = false;
    double cost = 0;
    forEachInSlice(body, op.getResult(0), [&](Operation *nested) {
      costly |= isCostly(nested);
      cost += getCost(*nested);
      covered.insert(nested);
    });
    if (costly && !isWorthInlining(cost, countPoints(formula, used), countPoints(formula)))
      parts.push_back(&op);
  }
  if (parts.empty())
    return 0;

  rewriter.setInsertionPoint(formula);
  SmallVector<Value> inputs(formula.getInputs());
  SmallVector<AffineMap> maps;
  for (unsigned i = 0, e = inputs.size(); i != e; ++i)
    maps.push_back(formula.getInputMap(i));
  for (Operation *part : parts) {
    Value value = part->getResult(0);
    auto [tensor, map] =
        outlineFormula(rewriter, formula, value, getOrderOfIndices(formula, value));
    inputs.push_back(tensor);
    maps.push_back(map);
    for (Region &region : formula->getRegions())
      if (!region.empty())
        region.addArgument(value.getType(), part->getLoc());
    rewriter.replaceAllUsesWith(value, body.getArguments().back());
  }
  // Operand segments: the inputs come first in every formula.
  rewriter.modifyOpInPlace(formula, [&] {
    llvm::TypeSwitch<Operation *>(formula).Case<MapOp, ReduceOp, SoftmaxOp>([&](auto op) {
      op.getInputsMutable().assign(inputs);
      op.setMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  });
  for (Region &region : formula->getRegions())
    eraseDeadCode(region);
  return parts.size();
}
