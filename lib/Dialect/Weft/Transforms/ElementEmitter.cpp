//===- ElementEmitter.cpp - computes a producer's element inside its consumer ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ElementEmitter.h"

using namespace mlir;
using namespace weft;

Value ElementEmitter::emitRegion(OpBuilder &builder, Region &region, FormulaOpInterface op,
                                 Region &source, const IndexValues &indices, unsigned firstInput,
                                 ValueRange leading) {
  SmallVector<Value> yielded =
      emitYields(builder, region, op, source, indices, firstInput, leading);
  return yielded.empty() ? Value() : yielded.front();
}

SmallVector<Value> ElementEmitter::emitYields(OpBuilder &builder, Region &region,
                                              FormulaOpInterface op, Region &source,
                                              const IndexValues &indices, unsigned firstInput,
                                              ValueRange leading) {
  SmallVector<Value> arguments(leading);
  for (BlockArgument argument : source.getArguments().drop_front(leading.size())) {
    unsigned input = firstInput + argument.getArgNumber() - leading.size();
    Value value;
    if (!argument.use_empty()) {
      value = emitElement(builder, region, op.getInputs()[input], op.getInputMap(input), indices,
                          op.getLoc());
      if (!value)
        return {};
    }
    arguments.push_back(value);
  }
  return cloneScalarCode(builder, source, arguments, indices);
}

Value ElementEmitter::emitElement(OpBuilder &builder, Region &region, Value tensor, AffineMap map,
                                  const IndexValues &indices, Location loc) {
  return formula.readAt(builder, region, tensor, map, indices, loc);
}

IndexValues ElementEmitter::compose(OpBuilder &builder, AffineMap map, const IndexValues &indices,
                                    Location loc) {
  IndexValues result;
  for (unsigned i = 0, e = map.getNumResults(); i != e; ++i) {
    if (auto exprs = getAffineCoordinates(map.getSubMap({i}), indices))
      result.push_back({exprs->front(), Value()});
    else
      result.push_back({AffineExpr(), emitAffine(builder, loc, map.getResult(i), indices)});
  }
  return result;
}

Value ElementEmitter::emitMap(OpBuilder &builder, Region &region, MapOp op, AffineMap map,
                              const IndexValues &indices) {
  formula.noteFolded(op);
  IndexValues at = compose(builder, map, indices, op.getLoc());
  return emitRegion(builder, region, op, op.getBody(), at);
}

bool weft::isInnerReduction(ReduceOp op) {
  return op.getPredicate().empty() && op.getKind() != ReduceKind::ArgMax &&
         op.getKind() != ReduceKind::ArgTop &&
         cast<ShapedType>(op->getResult(0).getType()).getElementType().isF32();
}

Value ElementEmitter::emitInner(OpBuilder &builder, Region &region, ReduceOp op, AffineMap map,
                                const IndexValues &indices) {
  OpBuilder::InsertionGuard guard(builder);
  formula.noteFolded(op);
  IndexValues at = compose(builder, map, indices, op.getLoc());
  SmallVector<IndexAttr> reduced;
  for (unsigned i = op.getNumOutputIndices(), e = op.getNumIndices(); i != e; ++i)
    reduced.push_back(op.getIndexAttr(i));
  InnerOp outermost = openInner(builder, op.getKind(), reduced, at, op.getLoc());
  Value value = emitRegion(builder, region, op, op.getBody(), at);
  return value ? closeInner(builder, outermost, value) : Value();
}

InnerOp ElementEmitter::openInner(OpBuilder &builder, ReduceKind kind, ArrayRef<IndexAttr> reduced,
                                  IndexValues &indices, Location loc) {
  InnerOp outermost;
  for (IndexAttr range : reduced) {
    auto inner = InnerOp::create(builder, loc, builder.getF32Type(),
                                 ReduceKindAttr::get(builder.getContext(), kind), range);
    outermost = outermost ? outermost : inner;
    Block &block = inner.getBody().emplaceBlock();
    indices.push_back({AffineExpr(), block.addArgument(builder.getIndexType(), loc)});
    builder.setInsertionPointToEnd(&block);
  }
  return outermost;
}

Value ElementEmitter::closeInner(OpBuilder &builder, InnerOp outermost, Value value) {
  for (;;) {
    YieldOp::create(builder, value.getLoc(), value);
    auto inner = cast<InnerOp>(builder.getInsertionBlock()->getParentOp());
    value = inner.getResult();
    if (inner == outermost)
      return value;
    builder.setInsertionPointAfter(inner);
  }
}
