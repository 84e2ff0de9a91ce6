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
#include "IndexDependence.h"
#include "Separable.h"

using namespace mlir;
using namespace weft;

/// Whether all readers can leave out a coordinate: formulas and element reads.
static bool canDropCoordinate(Value tensor) {
  return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    if (auto at = dyn_cast<AtOp>(use.getOwner()))
      return at.getInbounds(); // Otherwise the coordinate decides whether the element is 0.
    auto reader = dyn_cast<FormulaOpInterface>(use.getOwner());
    return reader && !reader.hasBufferSemantics();
  });
}

/// Makes every reader of `tensor` leave out coordinate `dim`.
static void dropCoordinate(RewriterBase &rewriter, Value tensor, unsigned dim) {
  for (Operation *user :
       llvm::SmallSetVector<Operation *, 4>(tensor.getUsers().begin(), tensor.getUsers().end())) {
    if (auto at = dyn_cast<AtOp>(user)) {
      at.getCoordinatesMutable().erase(dim);
      continue;
    }
    auto reader = cast<FormulaOpInterface>(user);
    SmallVector<AffineMap> maps;
    for (unsigned i = 0, e = reader.getInputs().size(); i != e; ++i) {
      AffineMap map = reader.getInputMap(i);
      maps.push_back(reader.getInputs()[i] == tensor ? map.dropResult(dim) : map);
    }
    user->setAttr("maps", rewriter.getAffineMapArrayAttr(maps));
  }
}

bool weft::dropUnusedIndex(RewriterBase &rewriter, FormulaOpInterface formula) {
  if (!isa<MapOp, ReduceOp, ContractOp>(formula) || formula.getOutputMapAttr() ||
      formula.getNumOutputIndices() == 0 || !canDropCoordinate(formula->getResult(0)))
    return false;
  llvm::SmallBitVector used = getDependence(formula);
  used.resize(formula.getNumOutputIndices());
  int dropped = (~used).find_first();
  if (dropped < 0)
    return false;

  // Every index behind the dropped one moves up, in the maps and in the code.
  SmallVector<Attribute> indices;
  SmallVector<AffineExpr> dims;
  SmallVector<IndexAttr> output;
  for (unsigned i = 0, e = formula.getNumIndices(); i != e; ++i) {
    dims.push_back(rewriter.getAffineDimExpr(indices.size()));
    if (i == unsigned(dropped))
      continue;
    indices.push_back(formula.getIndexAttr(i));
    if (i < formula.getNumOutputIndices())
      output.push_back(formula.getIndexAttr(i));
  }
  SmallVector<AffineMap> maps;
  for (unsigned i = 0, e = formula.getInputs().size(); i != e; ++i)
    maps.push_back(formula.getInputMap(i).replaceDimsAndSymbols(dims, {}, indices.size(), 0));
  formula->walk([&](weft::IndexOp index) {
    if (index.getPosition() > unsigned(dropped))
      index.setPosition(index.getPosition() - 1);
  });
  Value result = formula->getResult(0);
  rewriter.modifyOpInPlace(formula, [&] {
    formula->setAttr("indices", rewriter.getArrayAttr(indices));
    formula->setAttr("maps", rewriter.getAffineMapArrayAttr(maps));
    dropCoordinate(rewriter, result, dropped);
    result.setType(getTensorType(output, cast<ShapedType>(result.getType()).getElementType()));
  });
  return true;
}
