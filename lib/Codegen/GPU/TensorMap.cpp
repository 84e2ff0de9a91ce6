//===- TensorMap.cpp - tensors that are copied in boxes -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TensorMap.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

using namespace mlir;
using namespace weft;

/// Of a map, and what a box has of it.
static constexpr size_t kMostDimensions = 5, kOfBox = 2;

/// Whether the expression is a sum of multiples, none of them negative.
static bool isSum(AffineExpr expr, unsigned numDims) {
  auto coefficients = getLinearCoefficients(expr, numDims);
  return coefficients && llvm::all_of(*coefficients, [](int64_t c) { return c >= 0; });
}

std::optional<MappedInput> MappedInput::match(FormulaOpInterface op, unsigned input,
                                              ArrayRef<unsigned> inner, ArrayRef<unsigned> rows) {
  AffineMap map = op.getInputMap(input);
  auto isOfBox = [&](unsigned position) {
    return llvm::is_contained(inner, position) || llvm::is_contained(rows, position);
  };
  auto moves = [&](unsigned position) { return map.isFunctionOfDim(position); };
  if (inner.empty() || rows.empty() || !llvm::all_of(inner, moves) || !llvm::all_of(rows, moves))
    return std::nullopt;
  MappedInput mapped;
  mapped.op = op;
  mapped.input = input;
  mapped.inner.assign(inner.begin(), inner.end());
  mapped.rows.assign(rows.begin(), rows.end());
  for (auto [r, expr] : llvm::enumerate(map.getResults())) {
    SmallVector<unsigned> positions;
    for (unsigned i = 0; i != map.getNumDims(); ++i)
      if (expr.isFunctionOfDim(i))
        positions.push_back(i);
    if (llvm::none_of(positions, isOfBox)) {
      mapped.whole.push_back(unsigned(r));
      continue;
    }
    if (!isSum(expr, map.getNumDims()))
      return std::nullopt;
    for (unsigned position : positions)
      if (!isOfBox(position) && !llvm::is_contained(mapped.others, position))
        mapped.others.push_back(position);
  }
  if (mapped.others.size() + mapped.whole.size() + kOfBox > kMostDimensions)
    return std::nullopt;
  return mapped;
}

MemRefType MappedInput::getType() const {
  return cast<MemRefType>(FormulaOpInterface(op).getInputs()[input].getType());
}

int64_t MappedInput::getPanelElements() const {
  return kPanelBytes * 8 / int64_t(getStorageBits(getType().getElementType()));
}

/// Elements from one value of the index to the next, in the dimensions of the box.
Lanes MappedInput::getStride(LaneBuilder &lanes, const Buffer &source, unsigned position) const {
  AffineMap map = FormulaOpInterface(op).getInputMap(input);
  Lanes stride = lanes.constant(0);
  for (auto [r, expr] : llvm::enumerate(map.getResults())) {
    if (llvm::is_contained(whole, r))
      continue;
    int64_t coefficient = (*getLinearCoefficients(expr, map.getNumDims()))[position];
    if (coefficient)
      stride = lanes.add(stride, lanes.mul(source.strides[r], lanes.constant(coefficient)));
  }
  return stride;
}

Value MappedInput::makeMap(LaneBuilder &lanes, const Kernel &kernel, int64_t boxRows) const {
  FormulaOpInterface formula = op;
  const Buffer &source = kernel.getBuffer(formula.getInputs()[input]);
  ArrayAttr indices = formula.getIndices();
  OpBuilder &b = lanes.b;
  auto asNumber = [&](const Lanes &value) -> Value {
    return arith::IndexCastOp::create(b, lanes.loc, b.getI64Type(), value.value);
  };
  Lanes bytes = lanes.constant(int64_t(getStorageBits(getType().getElementType())) / 8);
  SmallVector<Value> sizes, strides;
  // A map has no dimension without elements; nothing is copied then.
  auto addSize = [&](ArrayRef<unsigned> positions) {
    Lanes count = getCount(lanes, kernel, indices, positions);
    sizes.push_back(asNumber(lanes.max(count, lanes.constant(1))));
  };
  addSize(inner);
  SmallVector<int32_t> box = {int32_t(getPanelElements()), int32_t(boxRows)};
  addSize(rows);
  strides.push_back(asNumber(lanes.mul(getStride(lanes, source, rows.back()), bytes)));
  for (unsigned position : others) {
    addSize(position);
    strides.push_back(asNumber(lanes.mul(getStride(lanes, source, position), bytes)));
    box.push_back(1);
  }
  for (unsigned r : whole) {
    sizes.push_back(asNumber(lanes.max(source.sizes[r], lanes.constant(1))));
    strides.push_back(asNumber(lanes.mul(source.strides[r], bytes)));
    box.push_back(1);
  }
  SmallVector<Lanes> zeros(indices.size(), lanes.constant(0));
  SmallVector<Lanes> origin = lanes.apply(formula.getInputMap(input), zeros);
  for (unsigned r : whole)
    origin[r] = lanes.constant(0);
  Lanes offset = getOffset(lanes, source, origin);
  Value first =
      getElementPointer(lanes, source.pointer, getMemoryType(source.elementType), offset.value);
  return nvx::TensorMapOp::create(b, lanes.loc, LLVM::LLVMPointerType::get(b.getContext()), first,
                                  sizes, strides, box, source.elementType);
}

void MappedInput::load(LaneBuilder &lanes, Value target, Value map, const Lanes &first,
                       const Lanes &row, ArrayRef<Lanes> values, Value barrier) const {
  OpBuilder &b = lanes.b;
  SmallVector<Value> coordinates;
  auto add = [&](const Lanes &value) {
    coordinates.push_back(arith::IndexCastOp::create(b, lanes.loc, b.getI32Type(), value.value));
  };
  add(first);
  add(row);
  for (unsigned position : others)
    add(values[position]);
  AffineMap places = FormulaOpInterface(op).getInputMap(input);
  for (unsigned r : whole)
    add(lanes.apply(places.getResult(r), values));
  nvx::TmaLoadOp::create(b, lanes.loc, target, map, coordinates, barrier);
}
