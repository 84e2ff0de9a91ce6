//===- KeyBounds.cpp - which keys a row of an attention reaches ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KeyBounds.h"

using namespace mlir;
using namespace weft;

std::pair<Lanes, Lanes> weft::getKeyBounds(LaneBuilder &lanes, const Kernel &kernel, AttentionOp op,
                                           ArrayRef<Lanes> indices) {
  IndexAttr keys = FormulaOpInterface(op).getIndexAttr(op.getKeyIndex());
  Lanes numKeys = kernel.getExtent(lanes, keys);
  Lanes lower = lanes.constant(0), upper = numKeys;
  SmallVector<Lanes> symbols;
  if (op.getBoundSymbols())
    for (StringRef name : op.getBoundSymbols()->getAsValueRange<StringAttr>())
      symbols.push_back(kernel.getSymbol(name));
  if (op.getKeyLower())
    for (AffineExpr expr : op.getKeyLower()->getResults())
      lower = lanes.max(lower, lanes.apply(expr, indices, symbols));
  if (op.getKeyUpper())
    for (AffineExpr expr : op.getKeyUpper()->getResults())
      upper = lanes.min(upper, lanes.apply(expr, indices, symbols));
  return {lanes.min(lower, numKeys), lanes.max(upper, lanes.constant(0))};
}
