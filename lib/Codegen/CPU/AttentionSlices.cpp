//===- AttentionSlices.cpp - heads that are cut ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Queries, keys, values and sums of a wide head do not fit the stack. For a block of keys the
// scores of all rows are added up over slices of the contracted elements, then become weights, then
// the sums are made a slice of columns at a time; between blocks of keys they rest in the output.
// So nothing is computed twice: queries are packed for every block of keys, and sums moved, which
// is little beside the products.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "MicroKernel.h"

#include <numeric>

using namespace mlir;
using namespace weft;

void AttentionTask::forSlices(int64_t size, int64_t length,
                              llvm::function_ref<void(const Slice &)> body) {
  if (size <= length)
    return body(getWhole(size));
  lanes.loop(lanes.indexConstant(0), lanes.indexConstant(size), length, {},
             [&](Value iv, ValueRange) {
               Slice slice{lanes.uniform(iv, {0, size - 1}, length), lanes.constant(length)};
               if (size % length != 0)
                 slice.size = lanes.min(slice.size, lanes.sub(lanes.constant(size), slice.first));
               slice.size.interval = {1, length};
               slice.size.divisor = std::gcd(size, length);
               body(slice);
               return SmallVector<Value>();
             });
}

void AttentionTask::emitCutKeyBlock(const Lanes &block, const Lanes &padded) {
  clearScores(padded);
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    forSlices(plan.sizeC[dot], plan.sliceC[dot], [&](const Slice &slice) {
      packQueries(dot, slice);
      packKeys(dot, slice, block, padded);
      forTiles(block, padded, [&](const Tile &tile) { emitScores(dot, slice, tile, block); });
    });
  forTiles(block, padded, [&](const Tile &tile) { emitWeights(tile, block); });
  forSlices(plan.sizeV, plan.sliceV, [&](const Slice &slice) {
    packValues(slice, block, padded);
    loadSums(slice);
    forTiles(block, padded, [&](const Tile &tile) { emitSums(slice, tile, block); });
    storeSums(slice);
  });
}

void AttentionTask::clearScores(const Lanes &padded) {
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    forRows(getPaddedRows(), [&](const Lanes &row) {
      Value scores = getScores(dot, row);
      lanes.loop(lanes.indexConstant(0), padded.value, lanes.width, {}, [&](Value key, ValueRange) {
        storeVector(lanes, addElements(lanes, scores, lanes.uniform(key)), lanes.floatVector(0));
        return SmallVector<Value>();
      });
    });
}

void AttentionTask::clearOutput() {
  Lanes zero = lanes.uniform(getResultLanes().floatVector(0));
  forRows(state.numRows, [&](const Lanes &row) {
    forResults(getRowIndices(row), getWhole(plan.sizeV),
               [&](RegionEmitter &region, const Lanes &) { region.storeOutput(formula, zero); });
  });
}

void AttentionTask::loadSums(const Slice &slice) {
  LaneBuilder results = getResultLanes();
  forRows(state.numRows, [&](const Lanes &row) {
    Value sums = addElements(lanes, state.sums, lanes.mul(row, lanes.constant(plan.sliceV)));
    forResults(getRowIndices(row), slice, [&](RegionEmitter &region, const Lanes &column) {
      Lanes sum = region.load(op.getOutput(), formula.getOutputIndexingMap());
      storeVector(results, addElements(results, sums, lanes.uniform(column.value)),
                  results.materialize(sum));
    });
  });
}

void AttentionTask::storeSums(const Slice &slice) {
  LaneBuilder results = getResultLanes();
  forRows(state.numRows, [&](const Lanes &row) {
    Value sums = addElements(lanes, state.sums, lanes.mul(row, lanes.constant(plan.sliceV)));
    forResults(getRowIndices(row), slice, [&](RegionEmitter &region, const Lanes &column) {
      Value sum = loadVector(results, addElements(results, sums, lanes.uniform(column.value)));
      region.storeOutput(formula, lanes.uniform(sum));
    });
  });
}

void AttentionTask::normalizeOutput() {
  if (!plan.normalized)
    return;
  forRows(state.numRows, [&](const Lanes &row) {
    Lanes factor = lanes.uniform(emitNormalization(row));
    forResults(getRowIndices(row), getWhole(plan.sizeV), [&](RegionEmitter &region, const Lanes &) {
      Lanes sum = region.load(op.getOutput(), formula.getOutputIndexingMap());
      region.storeOutput(formula, region.multiply(sum, factor));
    });
  });
}
