//===- CopyFormula.cpp - a tensor read at other places --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/CopyFormula.h"

using namespace mlir;
using namespace weft;

MapOp weft::createCopy(OpBuilder &builder, Location loc, Value source, ArrayRef<IndexAttr> indices,
                       AffineMap map, LayoutAttr layout, Type element) {
  if (!element)
    element = cast<RankedTensorType>(source.getType()).getElementType();
  RankedTensorType type = withLayout(getTensorType(indices, element), layout);
  auto copy = MapOp::create(builder, loc, type, source, /*output=*/Value(),
                            getIndexArray(builder.getContext(), indices),
                            builder.getAffineMapArrayAttr(map), /*output_maps=*/ArrayAttr());
  OpBuilder body = OpBuilder::atBlockEnd(&copy.getBody().emplaceBlock());
  YieldOp::create(body, loc, copy.getBody().addArgument(getComputeTypeOf(source), loc));
  return copy;
}

bool weft::isCopy(Operation *op) {
  auto map = dyn_cast<MapOp>(op);
  if (!map || map.getInputs().size() != 1)
    return false;
  Block &body = map.getBody().front();
  return body.getTerminator()->getOperand(0) == body.getArgument(0);
}

FactorView::FactorView(FormulaOpInterface formula, unsigned input, ArrayRef<unsigned> order) {
  MLIRContext *context = formula.getContext();
  AffineMap map = formula.getInputMap(input);
  SmallVector<AffineExpr> places(map.getNumDims(), getAffineConstantExpr(0, context)), dims;
  for (auto [i, position] : llvm::enumerate(order)) {
    places[position] = getAffineDimExpr(i, context);
    dims.push_back(getAffineDimExpr(position, context));
    indices.push_back(formula.getIndexAttr(position));
  }
  source = map.replaceDimsAndSymbols(places, {}, order.size(), /*numResultSyms=*/0);
  reads = AffineMap::get(map.getNumDims(), 0, dims, context);
}
