//===- AttentionTile.cpp - scores and sums of one tile --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "MicroKernel.h"

using namespace mlir;
using namespace weft;

/// How many rows' weights are made side by side: their chains of additions hide each other. What is
/// long has enough to do by itself, and would be written out so often.
static int64_t getGroupRows(AttentionOp op) {
  constexpr size_t most = 32;
  size_t operations = 0;
  for (Region *region : {&op.getScore(), &op.getPredicate()})
    for (Block &block : *region)
      operations += block.getOperations().size();
  return operations > most ? 1 : 4;
}

AttentionTask::Reach AttentionTask::getReach(const Lanes &row) {
  Reach reach{state.lower, state.upper, state.lower, state.upper};
  if (!hasBounds())
    return reach;
  for (int64_t i = 0; i != plan.tileRows; ++i) {
    auto [lowerValue, upperValue] = loadBounds(lanes.add(row, lanes.constant(i)));
    Lanes lower = lanes.uniform(lowerValue), upper = lanes.uniform(upperValue);
    reach.someLower = i ? lanes.min(reach.someLower, lower) : lower;
    reach.someUpper = i ? lanes.max(reach.someUpper, upper) : upper;
    reach.allLower = i ? lanes.max(reach.allLower, lower) : lower;
    reach.allUpper = i ? lanes.min(reach.allUpper, upper) : upper;
  }
  return reach;
}

void AttentionTask::forTiles(const Lanes &block, const Lanes &padded, TileBody body) {
  lanes.loop(lanes.indexConstant(0), getPaddedRows().value, plan.tileRows, {},
             [&](Value iv, ValueRange) {
               emitTile(lanes.uniform(iv, {0, plan.blockRows - 1}), block, padded, body);
               return SmallVector<Value>();
             });
}

void AttentionTask::emitTile(const Lanes &row, const Lanes &block, const Lanes &padded,
                             TileBody body) {
  Reach reach = getReach(row);
  if (!hasBounds())
    return body(row, padded, reach);
  Lanes end = lanes.add(block, padded);
  Value begins = lanes.compare(arith::CmpIPredicate::slt, reach.someLower, end);
  Value ends = lanes.compare(arith::CmpIPredicate::slt, block, reach.someUpper);
  lanes.ifThen(lanes.andMask(begins, ends), {}, [&] {
    // No more keys than some row reaches.
    int64_t step = 2 * lanes.width;
    Lanes count = lanes.sub(reach.someUpper, block);
    count.interval = {1, keyIndex().getSize()};
    count = lanes.min(lanes.mul(lanes.ceilDiv(count, step), lanes.constant(step)), padded);
    count.divisor = step;
    body(row, count, reach);
    return SmallVector<Value>();
  });
}

void AttentionTask::emitWeights(const Lanes &row, const Lanes &block, const Lanes &padded,
                                const Reach &reach) {
  auto softmax = [&](bool masked) {
    lanes.tileLoop(lanes.constant(plan.tileRows), getGroupRows(op),
                   [&](const Lanes &first, int64_t count) {
                     emitGroupWeights({row, first, count}, block, padded, masked);
                   });
  };
  Value above = lanes.compare(arith::CmpIPredicate::sle, reach.allLower, block);
  Value below = lanes.compare(arith::CmpIPredicate::sle, lanes.add(block, padded), reach.allUpper);
  lanes.choose(lanes.andMask(above, below), [&] { softmax(false); }, [&] { softmax(true); });
}

std::pair<Value, Value> AttentionTask::loadBounds(const Lanes &row) {
  auto load = [&](Value array) {
    Value value = loadScalar(lanes, array, row, lanes.b.getI64Type());
    return arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), value);
  };
  return {load(state.lowers), load(state.uppers)};
}

Lanes AttentionTask::getHeldRow(const Lanes &tile, const Lanes &r) {
  return plan.cut ? lanes.add(tile, r) : r;
}

Value AttentionTask::getScores(int64_t dot, const Lanes &held) {
  Lanes position = lanes.add(held, lanes.constant(dot * plan.heldRows));
  return addElements(lanes, state.scores, lanes.mul(position, lanes.constant(plan.blockKeys)));
}

void AttentionTask::emitScores(unsigned dot, const Slice &slice, const Lanes &row,
                               const Lanes &block, const Lanes &padded) {
  lanes.loop(lanes.indexConstant(0), padded.value, 2 * lanes.width, {}, [&](Value key, ValueRange) {
    TileFactors factors;
    factors.rowType = factors.columnType = lanes.b.getF32Type();
    SmallVector<Value> sums(plan.tileRows * 2, lanes.floatVector(0));
    for (int64_t i = 0; i != plan.tileRows; ++i)
      factors.rows.push_back(addElements(
          lanes, state.queries[dot],
          lanes.mul(lanes.add(row, lanes.constant(i)), lanes.constant(plan.sliceC[dot]))));
    factors.stride = lanes.constant(1);
    setKeyPanel(factors, dot, block, key);
    factors.unroll = plan.unroll;
    auto getTarget = [&](int64_t i) {
      Value scores = getScores(dot, getHeldRow(row, lanes.constant(i / 2)));
      scores = addElements(lanes, scores, lanes.uniform(key));
      return i % 2 ? addElements(lanes, scores, lanes.width) : scores;
    };
    for (int64_t i = 0; i != 2 * plan.tileRows && plan.cut; ++i)
      sums[i] = loadVector(lanes, getTarget(i));
    sums = emitTileProduct(lanes, factors, slice.size, sums);
    for (auto [i, sum] : llvm::enumerate(sums))
      storeVector(lanes, getTarget(i), sum);
    return SmallVector<Value>();
  });
}

void AttentionTask::emitSums(const Slice &slice, const Lanes &row, const Lanes &block,
                             const Lanes &padded) {
  Lanes keys = getSummedKeys(block, padded);
  int64_t width = lanes.width;
  Lanes vectors = lanes.ceilDiv(slice.size, width);
  Lanes end = lanes.mul(vectors, lanes.constant(width));
  Lanes pairs = lanes.mul(lanes.floorDiv(vectors, 2), lanes.constant(2 * width));
  auto tiles = [&](const Lanes &first, const Lanes &last, int64_t numVectors) {
    lanes.loop(first.value, last.value, numVectors * width, {}, [&](Value column, ValueRange) {
      emitSumTile(row, block, keys, column, numVectors);
      return SmallVector<Value>();
    });
  };
  tiles(lanes.constant(0), pairs, 2);
  tiles(pairs, end, 1);
}

void AttentionTask::emitSumTile(const Lanes &row, const Lanes &block, const Lanes &keys,
                                Value column, int64_t numVectors) {
  TileFactors factors;
  factors.rowType = factors.columnType = lanes.b.getF32Type();
  SmallVector<Value> targets, sums;
  for (int64_t i = 0; i != plan.tileRows; ++i) {
    Lanes held = getHeldRow(row, lanes.constant(i));
    factors.rows.push_back(getScores(0, held));
    Lanes offset =
        lanes.add(lanes.mul(lanes.add(row, lanes.constant(i)), lanes.constant(plan.sliceV)),
                  lanes.uniform(column));
    targets.push_back(addElements(lanes, state.sums, offset));
    Value scale;
    if (plan.normalized)
      scale = lanes.materialize(
          lanes.uniform(loadScalar(lanes, state.scale, held, lanes.b.getF32Type())));
    for (int64_t v = 0; v != numVectors; ++v) {
      Value sum = loadVector(lanes, addElements(lanes, targets[i], v * lanes.width));
      sums.push_back(scale ? arith::MulFOp::create(lanes.b, lanes.loc, sum, scale).getResult()
                           : sum);
    }
  }
  factors.stride = lanes.constant(1);
  setValuePanel(factors, block, column, numVectors);
  factors.unroll = plan.unroll;
  sums = emitTileProduct(lanes, factors, keys, sums);
  for (auto [i, sum] : llvm::enumerate(sums))
    storeVector(lanes, addElements(lanes, targets[i / numVectors], (i % numVectors) * lanes.width),
                sum);
}
