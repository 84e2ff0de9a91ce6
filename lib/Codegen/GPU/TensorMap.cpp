//===- TensorMap.cpp - tensors that are copied in boxes -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TensorMap.h"

#include "Chunks.h"

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

std::optional<MappedTensor> MappedTensor::match(FormulaOpInterface op, unsigned input,
                                                ArrayRef<unsigned> inner, ArrayRef<unsigned> rows,
                                                std::optional<unsigned> further) {
  return match(op.getInputs()[input], op.getInputMap(input), op.getIndices(), inner, rows, further);
}

/// The dimensions of an output are its indices, in some order.
std::optional<MappedTensor> MappedTensor::matchOutput(FormulaOpInterface op,
                                                      ArrayRef<unsigned> columns,
                                                      ArrayRef<unsigned> rows,
                                                      std::optional<unsigned> further) {
  Value output = op.getOutputs()[0];
  auto type = cast<MemRefType>(output.getType());
  Type element = type.getElementType();
  if (getLayout(type) || !(element.isBF16() || element.isF16() || element.isF32()))
    return std::nullopt;
  SmallVector<unsigned> order = getStoredOrder(op);
  size_t sideBySide = 0;
  int64_t bytes = int64_t(getStorageBits(element)) / 8;
  auto getLast = [&](ArrayRef<unsigned> positions) {
    return positions.drop_back(sideBySide).back();
  };
  while (sideBySide != columns.size() && getLast(order) == getLast(columns)) {
    IndexAttr index = op.getIndexAttr(getLast(columns));
    if (index.getDynamic())
      break;
    bytes *= index.getSize();
    ++sideBySide;
  }
  bool isWhole = sideBySide == columns.size();
  auto first = rows.empty() ? order.end() : llvm::find(order, rows[0]);
  bool hasEvenRows =
      size_t(order.end() - first) >= rows.size() && std::equal(rows.begin(), rows.end(), first);
  if (bytes % kChunkBytes != 0 || (!isWhole && bytes % kPanelBytes != 0) || !hasEvenRows)
    return std::nullopt;
  return match(output, op.getOutputIndexingMap(), op.getIndices(), columns.take_back(sideBySide),
               rows, further);
}

/// Whether the dimension of the tensor has the values of the further index, one after the other.
bool MappedTensor::isFurther(unsigned dimension) const {
  return further && places.getResult(dimension) == getAffineDimExpr(*further, places.getContext());
}

/// Whether the further index is a dimension of the map.
bool MappedTensor::hasFurther() const {
  auto moves = [&](unsigned r) { return places.getResult(r).isFunctionOfDim(*further); };
  if (llvm::is_contained(others, *further))
    return llvm::none_of(whole, moves);
  return llvm::count_if(whole, moves) == 1 &&
         llvm::any_of(whole, [&](unsigned r) { return isFurther(r); });
}

std::optional<MappedTensor> MappedTensor::match(Value buffer, AffineMap places, ArrayAttr indices,
                                                ArrayRef<unsigned> inner, ArrayRef<unsigned> rows,
                                                std::optional<unsigned> further) {
  auto isOfBox = [&](unsigned position) {
    return llvm::is_contained(inner, position) || llvm::is_contained(rows, position);
  };
  auto moves = [&](unsigned position) { return places.isFunctionOfDim(position); };
  if (inner.empty() || rows.empty() || !llvm::all_of(inner, moves) || !llvm::all_of(rows, moves))
    return std::nullopt;
  MappedTensor mapped;
  mapped.buffer = buffer;
  mapped.places = places;
  mapped.indices = indices;
  mapped.inner.assign(inner.begin(), inner.end());
  mapped.rows.assign(rows.begin(), rows.end());
  for (auto [r, expr] : llvm::enumerate(places.getResults())) {
    SmallVector<unsigned> positions;
    for (unsigned i = 0; i != places.getNumDims(); ++i)
      if (expr.isFunctionOfDim(i))
        positions.push_back(i);
    if (llvm::none_of(positions, isOfBox)) {
      mapped.whole.push_back(unsigned(r));
      continue;
    }
    if (!isSum(expr, places.getNumDims()))
      return std::nullopt;
    for (unsigned position : positions)
      if (!isOfBox(position) && !llvm::is_contained(mapped.others, position))
        mapped.others.push_back(position);
  }
  mapped.further = further;
  if (mapped.others.size() + mapped.whole.size() + kOfBox > kMostDimensions ||
      (further && !mapped.hasFurther()))
    return std::nullopt;
  return mapped;
}

MemRefType MappedTensor::getType() const { return cast<MemRefType>(buffer.getType()); }

int64_t MappedTensor::getPanelElements() const {
  return kPanelBytes * 8 / int64_t(getStorageBits(getType().getElementType()));
}

/// Elements from one value of the index to the next, in the dimensions of the box.
Lanes MappedTensor::getStride(LaneBuilder &lanes, const Buffer &tensor, unsigned position) const {
  Lanes stride = lanes.constant(0);
  for (auto [r, expr] : llvm::enumerate(places.getResults())) {
    if (llvm::is_contained(whole, r))
      continue;
    int64_t coefficient = (*getLinearCoefficients(expr, places.getNumDims()))[position];
    if (coefficient)
      stride = lanes.add(stride, lanes.mul(tensor.strides[r], lanes.constant(coefficient)));
  }
  return stride;
}

Value MappedTensor::makeMap(LaneBuilder &lanes, const Kernel &kernel, int64_t boxRows,
                            int64_t boxFurther) const {
  const Buffer &tensor = kernel.getBuffer(buffer);
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
  strides.push_back(asNumber(lanes.mul(getStride(lanes, tensor, rows.back()), bytes)));
  for (unsigned position : others) {
    addSize(position);
    strides.push_back(asNumber(lanes.mul(getStride(lanes, tensor, position), bytes)));
    box.push_back(int32_t(further == position ? boxFurther : 1));
  }
  for (unsigned r : whole) {
    sizes.push_back(asNumber(lanes.max(tensor.sizes[r], lanes.constant(1))));
    strides.push_back(asNumber(lanes.mul(tensor.strides[r], bytes)));
    box.push_back(int32_t(isFurther(r) ? boxFurther : 1));
  }
  SmallVector<Lanes> zeros(indices.size(), lanes.constant(0));
  SmallVector<Lanes> origin = lanes.apply(places, zeros);
  for (unsigned r : whole)
    origin[r] = lanes.constant(0);
  Lanes offset = getOffset(lanes, tensor, origin);
  Value first =
      getElementPointer(lanes, tensor.pointer, getMemoryType(tensor.elementType), offset.value);
  return nvx::TensorMapOp::create(b, lanes.loc, LLVM::LLVMPointerType::get(b.getContext()), first,
                                  sizes, strides, box, tensor.elementType);
}

SmallVector<Value> MappedTensor::getCoordinates(LaneBuilder &lanes, const Lanes &first,
                                                const Lanes &row, ArrayRef<Lanes> values) const {
  OpBuilder &b = lanes.b;
  SmallVector<Value> coordinates;
  auto add = [&](const Lanes &value) {
    coordinates.push_back(arith::IndexCastOp::create(b, lanes.loc, b.getI32Type(), value.value));
  };
  add(first);
  add(row);
  for (unsigned position : others)
    add(values[position]);
  for (unsigned r : whole)
    add(lanes.apply(places.getResult(r), values));
  return coordinates;
}

void MappedTensor::load(LaneBuilder &lanes, Value target, Value map, const Lanes &first,
                        const Lanes &row, ArrayRef<Lanes> values, Value barrier) const {
  SmallVector<Value> coordinates = getCoordinates(lanes, first, row, values);
  nvx::TmaLoadOp::create(lanes.b, lanes.loc, target, map, coordinates, barrier);
}

void MappedTensor::store(LaneBuilder &lanes, Value map, const Lanes &first, const Lanes &row,
                         ArrayRef<Lanes> values, Value source) const {
  SmallVector<Value> coordinates = getCoordinates(lanes, first, row, values);
  nvx::TmaStoreOp::create(lanes.b, lanes.loc, map, coordinates, source);
}
