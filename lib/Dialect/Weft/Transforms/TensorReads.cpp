//===- TensorReads.cpp - where a formula reads which rows of a tensor -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TensorReads.h"

using namespace mlir;
using namespace weft;

SmallVector<unsigned> Positions::getDims(Type type) const {
  SmallVector<unsigned> dims;
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (unsigned i = 0; tensor && i != tensor.getRank(); ++i)
    if (weft::getSymbol(tensor, i) == symbol)
      dims.push_back(i);
  return dims;
}

bool Positions::isRange(IndexAttr index) const {
  return index.getDynamic() && index.getDim() == symbol;
}

AffineExpr weft::getDistance(IndexedOpInterface op, unsigned position, AffineExpr coordinate) {
  constexpr unsigned kMostSymbols = 8;
  return simplifyAffineExpr(getAffineDimExpr(position, op->getContext()) - coordinate,
                            op.getNumIndices(), kMostSymbols);
}

SmallVector<TensorRead> weft::getReads(IndexedOpInterface op) {
  SmallVector<TensorRead> reads;
  for (auto [input, map] : llvm::zip_equal(op.getInputs(), op.getInputMaps()))
    reads.push_back({input, map, AtOp()});
  op->walk([&](AtOp at) { reads.push_back({at.getSource(), AffineMap(), at}); });
  return reads;
}

bool TensorRead::isExactly(unsigned dim, unsigned row) const {
  if (at) {
    auto index = at.getCoordinates()[dim].getDefiningOp<weft::IndexOp>();
    return index && index.getPosition() == row;
  }
  for (auto [other, coordinate] : llvm::enumerate(map.getResults()))
    if (other == dim ? coordinate != getAffineDimExpr(row, map.getContext())
                     : coordinate.isFunctionOfDim(row))
      return false;
  return true;
}

unsigned weft::getRowIndex(OpResult result, unsigned rowDim) {
  auto op = cast<FormulaOpInterface>(result.getOwner());
  return op.getOutputIndexingMap(result.getResultNumber()).getDimPosition(rowDim);
}

std::optional<unsigned> weft::getRowIndex(CheckOp op, const Positions &positions) {
  for (unsigned i = 0; i != op.getNumIndices(); ++i)
    if (positions.isRange(op.getIndexAttr(i)))
      return i;
  return std::nullopt;
}
