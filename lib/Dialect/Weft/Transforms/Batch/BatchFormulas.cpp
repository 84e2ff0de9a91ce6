//===- BatchFormulas.cpp - a leading batch index for formulas -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BatchFormulas.h"

#include "weft/Dialect/Weft/IR/CopyFormula.h"

using namespace mlir;
using namespace weft;

RankedTensorType FormulaBatcher::getBatchedType(RankedTensorType type) const {
  SmallVector<IndexAttr> indices = getIndicesOf(type);
  indices.insert(indices.begin(), batch);
  return getTensorType(indices, type.getElementType());
}

bool FormulaBatcher::readsBatched(Operation *op) const {
  auto result = op->walk([&](Operation *nested) {
    return llvm::any_of(nested->getOperands(), [&](Value operand) { return isBatched(operand); })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

void FormulaBatcher::addBatchIndex(IndexedOpInterface op) {
  op.insertIndex(0, batch, /*isOutput=*/true);
  AffineExpr example = getAffineDimExpr(0, op->getContext());
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (isBatched(input))
      op.setInputMap(i, op.getInputMap(i).insertResult(example, 0));
  // Elements read at computed coordinates.
  op->walk([&](AtOp at) {
    if (!isBatched(at.getSource()))
      return;
    OpBuilder builder(at);
    SmallVector<Value> coordinates(at.getCoordinates());
    coordinates.insert(coordinates.begin(),
                       weft::IndexOp::create(builder, at.getLoc(), /*position=*/0));
    at.getCoordinatesMutable().assign(coordinates);
  });
  for (Value result : op->getResults())
    markBatched(result);
}

Value FormulaBatcher::broadcast(OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<IndexAttr> indices = {batch};
  llvm::append_range(indices, getIndicesOf(type));
  SmallVector<AffineExpr> coordinates;
  for (unsigned i = 0, e = type.getRank(); i != e; ++i)
    coordinates.push_back(builder.getAffineDimExpr(i + 1));
  auto map = AffineMap::get(indices.size(), 0, coordinates, builder.getContext());
  return createCopy(builder, value.getLoc(), value, indices, map).getResult();
}
