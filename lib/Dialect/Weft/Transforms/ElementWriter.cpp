//===- ElementWriter.cpp - a map or a sum, its element first --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ElementWriter.h"

#include "ProductFactors.h"

using namespace mlir;
using namespace weft;

ElementWriter::ElementWriter(OpBuilder &builder, Location loc, ArrayRef<IndexAttr> indices)
    : builder(builder), loc(loc), formula(builder.getContext(), indices),
      body(getBuilderAtEnd(formula.getBody(), builder.getContext())) {}

Value ElementWriter::read(Value tensor) {
  unsigned rank = cast<ShapedType>(tensor.getType()).getRank();
  return read(tensor, builder.getMultiDimIdentityMap(rank).getResults());
}

Value ElementWriter::read(Value tensor, ArrayRef<AffineExpr> places) {
  return formula.read(formula.getBody(), tensor, places, loc);
}

Value ElementWriter::readAt(Value tensor, AffineMap map, const IndexValues &indices) {
  return formula.readAt(body, formula.getBody(), tensor, map, indices, loc);
}

Value ElementWriter::copy(FormulaOpInterface op, Value value, const IndexValues &indices) {
  return emitScalar(body, formula, op, value, indices);
}

Value ElementWriter::constant(double value) {
  return arith::ConstantOp::create(body, loc, body.getF32FloatAttr(float(value)));
}

Value ElementWriter::multiply(Value lhs, Value rhs) {
  return lhs ? arith::MulFOp::create(body, loc, lhs, rhs).getResult() : rhs;
}

Value ElementWriter::scale(Value value, double factor) {
  return factor == 1.0 ? value : multiply(value, constant(factor));
}

MapOp ElementWriter::buildMap(Type type, Value element, ArrayAttr outputMaps) {
  auto op = MapOp::create(builder, loc, type, formula.getReads(), Value(), formula.getIndicesAttr(),
                          formula.getMapsAttr(), outputMaps);
  finishRegion(formula.getBody(), op.getBody(), element, loc);
  return op;
}

ReduceOp ElementWriter::buildReduce(Type type, Value element, ReduceKind kind) {
  auto op = ReduceOp::create(builder, loc, type, ReduceKindAttr::get(builder.getContext(), kind),
                             formula.getReads(), Value(), formula.getIndicesAttr(),
                             formula.getMapsAttr(), ArrayAttr());
  finishRegion(formula.getBody(), op.getBody(), element, loc);
  return op;
}
