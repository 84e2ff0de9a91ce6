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

IndexAttr FormulaBatcher::getIndexFor(ArrayAttr indices) const {
  auto isTaken = [&](StringRef name) {
    return llvm::any_of(indices.getAsRange<IndexAttr>(),
                        [&](IndexAttr index) { return index.getName() == name; });
  };
  std::string name = batch.getName().str();
  for (unsigned i = 1; isTaken(name); ++i)
    name = batch.getName().str() + std::to_string(i);
  return IndexAttr::get(batch.getContext(), name, batch.getDim(), batch.getSize(),
                        batch.getDynamic());
}

/// `map` of indices that all moved up by one, with the batch index as its first result if asked.
static AffineMap shiftMap(AffineMap map, bool addBatch) {
  AffineMap shifted = map.shiftDims(1);
  return addBatch ? shifted.insertResult(getAffineDimExpr(0, map.getContext()), 0) : shifted;
}

void FormulaBatcher::addBatchIndex(Operation *op) {
  Builder builder(op->getContext());
  // Index values, and elements read at computed coordinates.
  op->walk([&](weft::IndexOp index) { index.setPosition(index.getPosition() + 1); });
  op->walk([&](AtOp at) {
    if (!isBatched(at.getSource()))
      return;
    OpBuilder inner(at);
    Value example =
        weft::IndexOp::create(inner, at.getLoc(), inner.getIndexType(), inner.getI64IntegerAttr(0));
    SmallVector<Value> coordinates(at.getCoordinates());
    coordinates.insert(coordinates.begin(), example);
    at.getCoordinatesMutable().assign(coordinates);
  });

  auto indices = op->getAttrOfType<ArrayAttr>("indices");
  SmallVector<Attribute> newIndices = {getIndexFor(indices)};
  llvm::append_range(newIndices, indices);
  auto inputs =
      isa<CheckOp>(op) ? cast<CheckOp>(op).getInputs() : cast<FormulaOpInterface>(op).getInputs();
  SmallVector<AffineMap> maps;
  for (auto [map, input] : llvm::zip_equal(
           op->getAttrOfType<ArrayAttr>("maps").getAsValueRange<AffineMapAttr>(), inputs))
    maps.push_back(shiftMap(map, isBatched(input)));
  op->setAttr("indices", builder.getArrayAttr(newIndices));
  op->setAttr("maps", builder.getAffineMapArrayAttr(maps));

  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    softmax.setAxis(softmax.getAxis() + 1);
  for (StringRef name : {"key_lower", "key_upper"})
    if (auto map = op->getAttrOfType<AffineMapAttr>(name))
      op->setAttr(name, AffineMapAttr::get(shiftMap(map.getValue(), false)));
  if (auto map = op->getAttrOfType<AffineMapAttr>("output_map"))
    op->setAttr("output_map", AffineMapAttr::get(shiftMap(map.getValue(), true)));
  for (Value result : op->getResults()) {
    result.setType(getBatchedType(cast<RankedTensorType>(result.getType())));
    markBatched(result);
  }
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
                           formula.getIndicesAttr(), formula.getMapsAttr(), AffineMapAttr());
  finishRegion(formula.getBody(), map.getBody(), element, value.getLoc());
  return map->getResult(0);
}
