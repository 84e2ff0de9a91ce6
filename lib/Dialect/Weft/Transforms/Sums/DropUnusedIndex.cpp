//===- DropUnusedIndex.cpp - formulas over the indices they depend on -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `y[h, t, s] = sum(c) w[h, c] * q[h, t, c]` is the same for every s: it is computed for h and t,
// and read without s.
//
//===----------------------------------------------------------------------------------------===//

#include "FormulaBuilder.h"
#include "Separable.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

/// Whether all readers can leave out a coordinate: formulas, checks and element reads.
static bool canDropCoordinate(Value tensor) {
  return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    if (auto at = dyn_cast<AtOp>(use.getOwner()))
      return at.getInbounds(); // Otherwise the coordinate decides whether the element is 0.
    return isa<IndexedOpInterface>(use.getOwner());
  });
}

/// Makes every reader of `tensor` leave out coordinate `dim`.
static void dropCoordinate(Value tensor, unsigned dim) {
  for (Operation *user :
       llvm::SmallSetVector<Operation *, 4>(tensor.getUsers().begin(), tensor.getUsers().end())) {
    if (auto at = dyn_cast<AtOp>(user)) {
      at.getCoordinatesMutable().erase(dim);
      continue;
    }
    auto reader = cast<IndexedOpInterface>(user);
    for (auto [i, input] : llvm::enumerate(reader.getInputs()))
      if (input == tensor)
        reader.setInputMap(i, reader.getInputMap(i).dropResult(dim));
  }
}

bool weft::dropUnusedIndex(RewriterBase &rewriter, FormulaOpInterface formula) {
  if (!isa<MapOp, ReduceOp, ContractOp>(formula) || formula.getOutputMapsAttr() ||
      formula.getNumOutputIndices() == 0 || !canDropCoordinate(formula->getResult(0)))
    return false;
  llvm::SmallBitVector used = getDependence(formula);
  used.resize(formula.getNumOutputIndices());
  int dropped = (~used).find_first();
  if (dropped < 0)
    return false;

  rewriter.modifyOpInPlace(formula, [&] {
    formula.eraseIndex(dropped);
    dropCoordinate(formula->getResult(0), dropped);
  });
  return true;
}
