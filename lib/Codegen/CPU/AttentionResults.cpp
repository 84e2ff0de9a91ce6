//===- AttentionResults.cpp - from sums to results ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

Value AttentionTask::getSums(const Lanes &row, const Lanes &column) {
  Lanes first = lanes.uniform(column.value, column.interval, column.divisor);
  if (plan.tiles)
    return getTileSums(row, first);
  Lanes offset = lanes.add(lanes.mul(row, lanes.constant(plan.sliceV)), first);
  return addElements(lanes, state.sums, offset);
}

Value AttentionTask::emitNormalization(const Lanes &row) {
  return emitReciprocal(lanes, loadTotal(row));
}

LaneBuilder AttentionTask::getResultLanes() {
  // Without columns a row's result is one element.
  return lanes.withWidth(plan.columns.empty() ? 1 : lanes.width);
}

void AttentionTask::forResults(SmallVector<Lanes> row, const Slice &slice, ResultBody body) {
  LaneBuilder results = getResultLanes();
  results.laneLoop(results.constant(0), slice.size, {},
                   [&](const Lanes &column, Value mask, ValueRange) {
                     Lanes result = results.add(column, slice.first);
                     result.interval = {0, plan.sizeV - 1};
                     setIndices(results, kernel, op.getIndices(), plan.columns, result, row);
                     RegionEmitter region(results, kernel, row, mask);
                     body(region, column);
                     return SmallVector<Value>();
                   });
}

void AttentionTask::storeResults() {
  LaneBuilder results = getResultLanes();
  forRows(state.numRows, [&](const Lanes &row) {
    SmallVector<Lanes> indices = getRowIndices(row);
    Value factor;
    if (plan.normalized)
      factor = results.materialize(results.uniform(emitNormalization(row)));
    forResults(indices, getWhole(plan.sizeV), [&](RegionEmitter &region, const Lanes &column) {
      Value sum = loadVector(results, getSums(row, column));
      if (factor)
        sum = arith::MulFOp::create(lanes.b, lanes.loc, sum, factor);
      region.storeOutput(formula, lanes.uniform(sum));
    });
  });
}

void AttentionTask::storeRowSums() {
  if (formula.getNumOutputs() == 1)
    return;
  LaneBuilder single = lanes.withWidth(1);
  forRows(state.numRows, [&](const Lanes &row) {
    Value largest = loadScalar(lanes, state.largest, row, lanes.b.getF32Type());
    storeRowResults(single, RegionEmitter(single, kernel, getRowIndices(row), Value()), op, largest,
                    loadTotal(row));
  });
}
