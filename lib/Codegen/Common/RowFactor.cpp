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

std::optional<int64_t> RowFactor::getStaticStride(unsigned position) const {
  return weft::getStaticStride(formula, product.getRows(), position);
}

/// The number of trailing k indices that are one run.
unsigned RowFactor::getRunLength() const {
  unsigned length = 0;
  std::optional<int64_t> expected;
  for (unsigned position : llvm::reverse(product.k)) {
    IndexAttr index = FormulaOpInterface(formula).getIndexAttr(position);
    if (length && index.getExtent() == 1) { // whatever its stride
      ++length;
      continue;
    }
    std::optional<int64_t> stride = getStaticStride(position);
    if (length && (!stride || stride != expected))
      break;
    ++length;
    if (!stride)
      break;
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

StringRef weft::getSymbolOf(Value buffer, int64_t dim) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  BoundsAttr bounds =
      function ? attrs::Bounds::getArg(function, argument.getArgNumber()) : BoundsAttr();
  auto type = cast<MemRefType>(buffer.getType());
  auto number = size_t(llvm::count(type.getShape().take_front(dim), ShapedType::kDynamic));
  return bounds && number < bounds.getSymbols().size() ? bounds.getSymbols()[number].getValue()
                                                       : StringRef();
}

/// Whether the two indices read neighbouring dimensions, and the inner one all of its.
bool RowFactor::areNeighbours(unsigned outer, unsigned inner) const {
  MLIRContext *context = map.getContext();
  auto dim = map.getResultPosition(getAffineDimExpr(inner, context));
  if (isa<StridedLayoutAttr>(cast<MemRefType>(buffer.getType()).getLayout()))
    return false; // getStaticStride says all
  if (!dim || *dim == 0 || map.getResult(*dim - 1) != getAffineDimExpr(outer, context))
    return false;
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if ((i != *dim && expr.isFunctionOfDim(inner)) ||
        (i + 1 != *dim && expr.isFunctionOfDim(outer)))
      return false;
  IndexAttr index = FormulaOpInterface(formula).getIndexAttr(inner);
  int64_t size = cast<MemRefType>(buffer.getType()).getDimSize(*dim);
  if (!index.getDynamic() || !ShapedType::isDynamic(size))
    return index.getExtent() == size;
  return getSymbolOf(buffer, *dim) == index.getDim();
}

bool RowFactor::hasEvenRows() const {
  ArrayRef<unsigned> m = product.m;
  for (unsigned i = 1; i < m.size(); ++i) {
    IndexAttr index = FormulaOpInterface(formula).getIndexAttr(m[i]);
    std::optional<int64_t> outer = getStaticStride(m[i - 1]), inner = getStaticStride(m[i]);
    bool isEven = outer && inner && !index.getDynamic() && *outer == *inner * index.getSize();
    if (!isEven && !areNeighbours(m[i - 1], m[i]))
      return false;
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
