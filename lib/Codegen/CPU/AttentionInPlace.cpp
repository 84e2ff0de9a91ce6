//===- AttentionInPlace.cpp - one query, nothing packed -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What is packed for one query, f32 or extended to it, is used once: it costs as much as reading
// it. So squares of keys are transposed in registers and multiplied there, and values are rows as
// they lie. Each sum is that of the packed forms, in the same order.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

static constexpr int64_t kWordBits = 32;
/// Values that are summed up before what is fetched.
static constexpr int64_t kValuesAhead = 16;

std::optional<int64_t> AttentionTask::getValueStride() {
  unsigned input = 2 * op.getDots();
  const Buffer &values = kernel.getBuffer(op.getInputs()[input]);
  int64_t bits =
      isa<FloatType>(values.elementType) ? values.elementType.getIntOrFloatBitWidth() : 0;
  if (bits == 0 || !isContiguous(input, plan.columns, plan.width))
    return std::nullopt;
  AffineExpr key = getAffineDimExpr(op.getKeyIndex(), op.getContext());
  std::optional<int64_t> stride;
  for (auto [expr, elements] :
       llvm::zip_equal(formula.getInputMap(input).getResults(), values.strides))
    if (expr == key)
      stride = elements.getConstant();
    else if (expr.isFunctionOfDim(op.getKeyIndex()))
      return std::nullopt;
  if (!stride || *stride * bits % kWordBits != 0)
    return std::nullopt;
  return *stride * bits / kWordBits;
}

bool AttentionTask::canReadInPlace() {
  if (plan.tiles)
    return canReadPairsInPlace();
  if (lanes.width == 1 || plan.cut || plan.valuesInPanels || !getValueStride())
    return false;
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    if (plan.keysInPanels[dot] || !isContiguous(2 * dot + 1, plan.contracted[dot], plan.width))
      return false;
  return true;
}

void AttentionTask::emitScoresInPlace(unsigned dot, const Tile &tile, const Lanes &block) {
  OpBuilder &b = lanes.b;
  int64_t width = lanes.width, size = plan.sizeC[dot];
  lanes.loop(lanes.indexConstant(0), tile.keys.value, width, {}, [&](Value iv, ValueRange) {
    Lanes group = lanes.uniform(iv, {0, plan.blockKeys - 1}, width), key = lanes.add(block, group);
    auto addSquare = [&](Value c, ValueRange carried) {
      Lanes first = lanes.uniform(c, {0, size - 1}, width);
      // Each square fetches its share of a later group.
      int64_t squares = size / width, share = int64_t(llvm::divideCeil(width, squares));
      Lanes before = lanes.mul(lanes.floorDiv(first, width), lanes.constant(share));
      fetchAhead(2 * dot + 1, plan.contracted[dot], lanes.add(key, before), share);
      SmallVector<Lanes> indices = state.indices;
      setIndices(lanes, kernel, op.getIndices(), plan.contracted[dot], lanes.iota(first), indices);
      SmallVector<Value> next(carried);
      for (auto [j, column] : llvm::enumerate(loadSquare(dot, key, indices)))
        for (auto [i, sum] : llvm::enumerate(next)) {
          Lanes row = lanes.add(tile.row, lanes.constant(int64_t(i)));
          Lanes place = lanes.add(lanes.mul(row, lanes.constant(plan.sliceC[dot])), first);
          Value scalar = loadScalar(lanes, state.queries[dot],
                                    lanes.add(place, lanes.constant(int64_t(j))), b.getF32Type());
          Value left = lanes.materialize(lanes.uniform(scalar));
          sum = multiplyAdd(b, lanes.loc, sum, left, column);
        }
      return next;
    };
    SmallVector<Value> zeros(tile.height, lanes.floatVector(0));
    SmallVector<Value> sums =
        lanes.loop(lanes.indexConstant(0), lanes.indexConstant(size), width, zeros, addSquare);
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Lanes held = getHeldRow(tile.row, lanes.constant(int64_t(i)));
      storeVector(lanes, getScores(dot, held, group), sum);
    }
    return SmallVector<Value>();
  });
}

void AttentionTask::setValuesInPlace(TileFactors &factors, const Lanes &block, Value column,
                                     int64_t numVectors) {
  SmallVector<Lanes> indices = state.indices;
  indices[op.getKeyIndex()] = block;
  Lanes first = lanes.uniform(column, {0, plan.sizeV - 1}, lanes.width);
  setIndices(lanes, kernel, op.getIndices(), plan.columns, first, indices);
  factors.panel = getAddress(2 * op.getDots(), indices);
  factors.panelStride = *getValueStride();
  factors.numVectors = numVectors;
  factors.columnType = kernel.getBuffer(op.getValue()).elementType;
  factors.areRows = true;
  // Rows without gaps are one stream.
  int64_t bits = factors.columnType.getIntOrFloatBitWidth();
  if (factors.panelStride * kWordBits != numVectors * lanes.width * bits)
    return;
  factors.prefetch = addElements(lanes, factors.panel, kValuesAhead * factors.panelStride);
  factors.prefetchLines = llvm::divideCeil(factors.unroll * factors.panelStride * 4, kLine);
}
