//===- BatchFormulas.cpp - a leading batch index for formulas -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BatchFormulas.h"

#include "FormulaBuilder.h"

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
                       weft::IndexOp::create(builder, at.getLoc(), builder.getIndexType(),
                                             builder.getI64IntegerAttr(0)));
    at.getCoordinatesMutable().assign(coordinates);
  });
  for (Value result : op->getResults())
    markBatched(result);
}

Value FormulaBatcher::broadcast(OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<IndexAttr> indices = {batch};
  llvm::append_range(indices, getIndicesOf(type));
  FormulaBuilder formula(builder.getContext(), indices);
  SmallVector<AffineExpr> coordinates;
  for (unsigned i = 0, e = type.getRank(); i != e; ++i)
    coordinates.push_back(builder.getAffineDimExpr(i + 1));
  Value element = formula.read(formula.getBody(), value, coordinates, value.getLoc());
  auto map = MapOp::create(builder, value.getLoc(), getBatchedType(type), value, Value(),
                           formula.getIndicesAttr(), formula.getMapsAttr(), ArrayAttr());
  finishRegion(formula.getBody(), map.getBody(), element, value.getLoc());
  return map->getResult(0);
}
