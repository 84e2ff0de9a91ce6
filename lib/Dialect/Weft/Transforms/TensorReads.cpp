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

bool Positions::isRange(ArrayAttr indices, unsigned i) const {
  auto index = cast<IndexAttr>(indices[i]);
  return index.getDynamic() && index.getDim() == symbol;
}

ArrayAttr weft::getIndicesOfOp(Operation *op) {
  if (auto check = dyn_cast<CheckOp>(op))
    return check.getIndices();
  return cast<FormulaOpInterface>(op).getIndices();
}

ArrayAttr weft::getMapsOfOp(Operation *op) {
  if (auto check = dyn_cast<CheckOp>(op))
    return check.getMaps();
  return cast<FormulaOpInterface>(op).getMaps();
}

OperandRange weft::getInputsOfOp(Operation *op) {
  if (auto check = dyn_cast<CheckOp>(op))
    return check.getInputs();
  return cast<FormulaOpInterface>(op).getInputs();
}

SmallVector<IndexAttr> weft::getRanges(Operation *op) {
  return llvm::to_vector(getIndicesOfOp(op).getAsRange<IndexAttr>());
}

AffineExpr weft::getDistance(Operation *op, unsigned position, AffineExpr coordinate) {
  constexpr unsigned kMostSymbols = 8;
  return simplifyAffineExpr(getAffineDimExpr(position, op->getContext()) - coordinate,
                            getIndicesOfOp(op).size(), kMostSymbols);
}

SmallVector<TensorRead> weft::getReads(Operation *op) {
  SmallVector<TensorRead> reads;
  for (auto [input, map] : llvm::zip_equal(getInputsOfOp(op), getMapsOfOp(op)))
    reads.push_back({input, cast<AffineMapAttr>(map).getValue(), AtOp()});
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

unsigned weft::getRowIndex(FormulaOpInterface op, unsigned rowDim) {
  return cast<AffineDimExpr>(op.getOutputIndexingMap().getResult(rowDim)).getPosition();
}

std::optional<unsigned> weft::getRowIndex(CheckOp op, const Positions &positions) {
  for (unsigned i = 0; i != op.getIndices().size(); ++i)
    if (positions.isRange(op.getIndices(), i))
      return i;
  return std::nullopt;
}
