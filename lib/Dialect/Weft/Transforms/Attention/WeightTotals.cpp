//===- WeightTotals.cpp - sums of the weights alone -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WeightTotals.h"

#include "SameCode.h"
#include "WeightFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

/// Whether two sums see the same elements: their predicates are the same code of the same reads.
static bool seeTheSame(FormulaOpInterface a, FormulaOpInterface b, const IndexValues &indicesOfB) {
  FormulaCode first(a), second(a);
  IndexValues indices = getIdentityIndices(a.getContext(), a.getNumIndices());
  return isSameCode(first, first.emitPredicate(a, indices), second,
                    second.emitPredicate(b, indicesOfB));
}

/// The weights are a formula over the sum's output indices and the key, read as they are stored.
static std::optional<WeightTotal> matchTotal(FormulaOpInterface consumer, unsigned operand,
                                             OpOperand &use) {
  auto total = dyn_cast<ReduceOp>(use.getOwner());
  if (!total || total.getKind() != ReduceKind::Sum || total.getInputs().empty())
    return std::nullopt;
  FormulaOpInterface formula = total;
  auto yielded = dyn_cast<BlockArgument>(getYielded(formula));
  unsigned numOutput = formula.getNumOutputIndices();
  if (!yielded || yielded.getArgNumber() != use.getOperandNumber() ||
      formula.getNumIndices() != numOutput + 1 || total.getOutputMapsAttr() ||
      !isStoredAsComputed(total->getResult(0)))
    return std::nullopt;
  auto here = getDistinctDims(formula.getInputMap(use.getOperandNumber()));
  auto there = getDistinctDims(consumer.getInputMap(operand));
  if (!here || !there || here->size() != numOutput + 1)
    return std::nullopt;
  WeightTotal result{total, SmallVector<unsigned>(numOutput)};
  IndexValues indices(numOutput + 1);
  for (auto [mine, other] : llvm::zip(*here, *there)) {
    if ((mine == numOutput) != (other == consumer.getNumOutputIndices()) ||
        !haveSameRange(formula.getIndexAttr(mine), consumer.getIndexAttr(other)))
      return std::nullopt;
    indices[mine].expr = getAffineDimExpr(other, consumer.getContext());
    if (mine != numOutput)
      result.indices[mine] = other;
  }
  return seeTheSame(consumer, formula, indices) ? std::optional(result) : std::nullopt;
}

bool weft::matchTotals(FormulaOpInterface consumer, unsigned operand,
                       SmallVectorImpl<WeightTotal> &totals) {
  totals.clear();
  return llvm::all_of(consumer.getInputs()[operand].getUses(), [&](OpOperand &use) {
    if (use.getOwner() == consumer)
      return true;
    std::optional<WeightTotal> total = matchTotal(consumer, operand, use);
    if (total)
      totals.push_back(*total);
    return total.has_value();
  });
}

static bool reads(Operation *op, const llvm::SmallPtrSetImpl<Operation *> &sources) {
  auto findSource = [&](Operation *nested) {
    bool found = llvm::any_of(nested->getOperands(), [&](Value operand) {
      return sources.contains(operand.getDefiningOp());
    });
    return found ? WalkResult::interrupt() : WalkResult::advance();
  };
  return op->walk(findSource).wasInterrupted();
}

bool weft::readWhatIsMadeOf(ArrayRef<Operation *> ops, ArrayRef<Operation *> sources) {
  llvm::SmallPtrSet<Operation *, 16> made(sources.begin(), sources.end());
  for (Operation &op : *ops.front()->getBlock())
    if (reads(&op, made)) {
      if (llvm::is_contained(ops, &op))
        return true;
      made.insert(&op);
    }
  return false;
}
