//===- IndexDependence.cpp - what depends on which index ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

llvm::SmallBitVector weft::getUsedIndices(ArrayRef<AffineExpr> exprs, unsigned count) {
  llvm::SmallBitVector used(count);
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr leaf) {
      if (auto dim = dyn_cast<AffineDimExpr>(leaf); dim && dim.getPosition() < count)
        used.set(dim.getPosition());
    });
  return used;
}

llvm::SmallBitVector weft::getUsedIndices(AffineMap map) {
  return getUsedIndices(map.getResults(), map.getNumDims());
}

namespace {
/// A walk up the scalar code from a value to the reads and index values it rests on.
class DependenceWalk {
public:
  DependenceWalk(FormulaOpInterface op, int firstInput)
      : op(op), firstInput(firstInput), used(op.getNumIndices()) {}

  void visit(Value value) {
    if (!visited.insert(value).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return visitArgument(argument);
    Operation *def = value.getDefiningOp();
    if (!op->isProperAncestor(def))
      return;
    // A `weft.inner` depends on whatever its region does.
    def->walk([&](Operation *nested) {
      if (auto index = dyn_cast<weft::IndexOp>(nested))
        used.set(index.getPosition());
      for (Value operand : nested->getOperands())
        visit(operand);
    });
  }

  llvm::SmallBitVector getUsed() const { return used; }

private:
  void visitArgument(BlockArgument argument) {
    if (argument.getOwner()->getParentOp() != op.getOperation())
      return;
    int input = int(argument.getArgNumber()) + firstInput;
    if (input >= 0)
      used |= getUsedIndices(op.getInputMap(input));
    else
      used.set(0, op.getNumOutputIndices());
  }

  FormulaOpInterface op;
  int firstInput;
  llvm::SmallBitVector used;
  llvm::SmallPtrSet<Value, 16> visited;
};
} // namespace

llvm::SmallBitVector weft::getDependence(FormulaOpInterface op, Value value, int firstInput) {
  DependenceWalk walk(op, firstInput);
  walk.visit(value);
  return walk.getUsed();
}

llvm::SmallBitVector weft::getDependence(FormulaOpInterface op) {
  llvm::SmallBitVector used(op.getNumIndices());
  for (unsigned i = 0, e = op.getInputs().size(); i != e; ++i)
    used |= getUsedIndices(op.getInputMap(i));
  op->walk([&](weft::IndexOp index) { used.set(index.getPosition()); });
  return used;
}

std::optional<SmallVector<unsigned>> weft::getDistinctDims(AffineMap map) {
  SmallVector<unsigned> dims;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(dims, dim.getPosition()))
      return std::nullopt;
    dims.push_back(dim.getPosition());
  }
  return dims;
}

bool weft::haveSameRange(IndexAttr a, IndexAttr b) {
  return a.getSize() == b.getSize() && a.getDynamic() == b.getDynamic() &&
         (!a.getDynamic() || a.getDim() == b.getDim());
}

bool weft::hasTwoPositions(FormulaOpInterface op, const llvm::SmallBitVector &used) {
  llvm::SmallDenseSet<StringRef> dims;
  unsigned numDynamic = 0;
  for (unsigned i : used.set_bits()) {
    IndexAttr index = op.getIndexAttr(i);
    numDynamic += index.getDynamic();
    if (!index.getDim().empty() && !dims.insert(index.getDim()).second)
      return true;
  }
  return numDynamic > 1;
}
