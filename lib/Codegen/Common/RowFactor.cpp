//===- RowFactor.cpp - the factor of a product that is not packed ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowFactor.h"

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

RowFactor::RowFactor(ContractOp op, const Product &product)
    : formula(op), product(product), buffer(op.getInputs()[product.getRows()]),
      map(formula.getInputMap(product.getRows())) {
  ArrayRef<unsigned> k = product.k;
  unsigned length = getRunLength();
  outer.assign(k.begin(), k.end() - length);
  run.assign(k.end() - length, k.end());
}

/// The stride, if no run-time size is part of it.
std::optional<int64_t> RowFactor::getStaticStride(unsigned position) const {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t stride = 0, element = 1;
  for (unsigned r = map.getNumResults(); r-- > 0;) {
    AffineExpr expr = map.getResult(r);
    if (expr.isFunctionOfDim(position)) {
      if (element < 0)
        return std::nullopt;
      stride += (*getLinearCoefficients(expr, map.getNumDims()))[position] * element;
    }
    element = element < 0 || type.isDynamicDim(r) ? -1 : element * type.getDimSize(r);
  }
  return stride;
}

/// The number of trailing k indices that are one run.
unsigned RowFactor::getRunLength() const {
  unsigned length = 0;
  std::optional<int64_t> expected;
  for (unsigned position : llvm::reverse(product.k)) {
    std::optional<int64_t> stride = getStaticStride(position);
    if (length && (!stride || stride != expected))
      break;
    ++length;
    if (!stride)
      break;
    IndexAttr index = FormulaOpInterface(formula).getIndexAttr(position);
    expected = index.getDynamic() ? std::nullopt : std::optional(*stride * index.getSize());
  }
  return length;
}

Lanes RowFactor::getStride(LaneBuilder &lanes, const Kernel &kernel, unsigned position) const {
  const Buffer &source = kernel.getBuffer(buffer);
  Lanes stride = lanes.constant(0);
  for (auto [r, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(position))
      continue;
    int64_t coefficient = (*getLinearCoefficients(expr, map.getNumDims()))[position];
    stride = lanes.add(stride, lanes.mul(source.strides[r], lanes.constant(coefficient)));
  }
  return stride;
}

bool RowFactor::hasEvenRows() const {
  std::optional<int64_t> expected;
  for (unsigned position : llvm::reverse(product.m)) {
    std::optional<int64_t> stride = getStaticStride(position);
    if (position != product.m.back() && (!stride || stride != expected))
      return false;
    IndexAttr index = FormulaOpInterface(formula).getIndexAttr(position);
    expected =
        !stride || index.getDynamic() ? std::nullopt : std::optional(*stride * index.getSize());
  }
  return true;
}

Lanes RowFactor::getRowStride(LaneBuilder &lanes, const Kernel &kernel) const {
  return product.m.empty() ? lanes.constant(0) : getStride(lanes, kernel, product.m.back());
}

Lanes RowFactor::getRunStride(LaneBuilder &lanes, const Kernel &kernel) const {
  return getStride(lanes, kernel, product.k.back());
}

SmallVector<Value> RowFactor::getPointers(LaneBuilder &lanes, const Kernel &kernel,
                                          ArrayRef<Lanes> values, const Lanes &first, int64_t count,
                                          Interval rows) const {
  FormulaOpInterface op = formula;
  const Buffer &source = kernel.getBuffer(buffer);
  SmallVector<Value> pointers;
  for (int64_t i = 0; i != count; ++i) {
    SmallVector<Lanes> indices(values);
    Lanes row = lanes.add(first, lanes.constant(i));
    row.interval = rows;
    setIndices(lanes, kernel, op.getIndices(), product.m, row, indices);
    for (unsigned k : product.k)
      indices[k] = lanes.constant(0);
    Lanes offset = getOffset(lanes, source, lanes.apply(map, indices));
    pointers.push_back(
        getElementPointer(lanes, source.pointer, getMemoryType(source.elementType), offset.value));
  }
  return pointers;
}
