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

/// Vectors of sums of one query, which hide each other's latency.
static constexpr int64_t kInPlaceSums = 8;

void AttentionTask::forTiles(const Lanes &block, const Lanes &padded, TileBody body) {
  auto emit = [&](int64_t height) { forTiles(height, block, padded, body); };
  if (Value isOne = isOneQuery())
    lanes.choose(isOne, [&] { emit(getQueryRows()); }, [&] { emit(plan.tileRows); });
  else
    emit(plan.tileRows);
}

void AttentionTask::forTiles(int64_t height, const Lanes &block, const Lanes &padded,
                             TileBody body) {
  Lanes rows = height < plan.tileRows ? lanes.constant(height) : getPaddedRows();
  lanes.loop(lanes.indexConstant(0), rows.value, height, {}, [&](Value iv, ValueRange) {
    Lanes row = lanes.uniform(iv, {0, plan.blockRows - 1}, height);
    Lanes count = lanes.constant(height);
    if (plan.tiles)
      count = lanes.min(lanes.sub(rows, row), count);
    count.divisor = plan.tiles && height == plan.tileRows ? plan.groupRows : height;
    emitTile({row, count, height, padded, getReach(row, count)}, block, body);
    return SmallVector<Value>();
  });
}

void AttentionTask::emitTile(Tile tile, const Lanes &block, TileBody body) {
  if (!hasBounds())
    return body(tile);
  Lanes end = lanes.add(block, tile.keys);
  Value begins = lanes.compare(arith::CmpIPredicate::slt, tile.reach.someLower, end);
  Value ends = lanes.compare(arith::CmpIPredicate::slt, block, tile.reach.someUpper);
  lanes.ifThen(lanes.andMask(begins, ends), {}, [&] {
    // No more keys than some row reaches.
    int64_t step = 2 * lanes.width;
    Lanes count = lanes.sub(tile.reach.someUpper, block);
    count.interval = {1, keyIndex().getSize()};
    tile.keys = lanes.min(lanes.mul(lanes.ceilDiv(count, step), lanes.constant(step)), tile.keys);
    tile.keys.divisor = step;
    body(tile);
    return SmallVector<Value>();
  });
}

void AttentionTask::emitWeights(const Tile &tile, const Lanes &block) {
  Lanes end = lanes.add(block, tile.keys);
  Value above = lanes.compare(arith::CmpIPredicate::sle, tile.reach.allLower, block);
  Value below = lanes.compare(arith::CmpIPredicate::sle, end, tile.reach.allUpper);
  Value inside = lanes.andMask(above, below);
  auto forGroups = [&](llvm::function_ref<void(const RowGroup &group)> body) {
    lanes.tileLoop(tile.count, plan.groupRows,
                   [&](const Lanes &first, int64_t count) { body({tile.row, first, count}); });
  };
  if (plan.guesses)
    return forGroups(
        [&](const RowGroup &group) { emitGuessedWeights(group, block, tile.keys, inside); });
  auto softmax = [&](bool masked) {
    forGroups([&](const RowGroup &group) { emitGroupWeights(group, block, tile.keys, masked); });
  };
  lanes.choose(inside, [&] { softmax(false); }, [&] { softmax(true); });
}

Lanes AttentionTask::getHeldRow(const Lanes &tile, const Lanes &r) {
  return plan.cut ? lanes.add(tile, r) : r;
}

Value AttentionTask::getScores(int64_t dot, const Lanes &held) {
  Lanes position = lanes.add(held, lanes.constant(dot * plan.heldRows));
  return addElements(lanes, state.scores, lanes.mul(position, lanes.constant(plan.blockKeys)));
}

Value AttentionTask::getScores(int64_t dot, const Lanes &held, const Lanes &position) {
  if (!plan.tiles)
    return addElements(lanes, getScores(dot, held), position);
  // Tiles of all rows held, one after the other.
  int64_t columns = 2 * lanes.width;
  Lanes tiles =
      lanes.add(lanes.floorDiv(position, columns), lanes.constant(dot * plan.blockKeys / columns));
  Lanes row = lanes.add(lanes.mul(tiles, lanes.constant(plan.heldRows)), held);
  Lanes offset = lanes.add(lanes.mul(row, lanes.constant(columns)), lanes.mod(position, columns));
  return addElements(lanes, state.scores, offset);
}

void AttentionTask::emitScores(unsigned dot, const Slice &slice, const Tile &tile,
                               const Lanes &block) {
  auto emitPanel = [&](Value key, ValueRange) {
    TileFactors factors;
    factors.rowType = factors.columnType = lanes.b.getF32Type();
    SmallVector<Value> sums(tile.height * 2, lanes.floatVector(0));
    for (int64_t i = 0; i != tile.height; ++i)
      factors.rows.push_back(addElements(
          lanes, state.queries[dot],
          lanes.mul(lanes.add(tile.row, lanes.constant(i)), lanes.constant(plan.sliceC[dot]))));
    factors.stride = lanes.constant(1);
    setKeyPanel(factors, dot, block, key);
    factors.unroll = plan.unroll;
    auto getTarget = [&](int64_t i) {
      Value scores = getScores(dot, getHeldRow(tile.row, lanes.constant(i / 2)));
      scores = addElements(lanes, scores, lanes.uniform(key));
      return i % 2 ? addElements(lanes, scores, lanes.width) : scores;
    };
    for (int64_t i = 0; i != 2 * tile.height && plan.cut; ++i)
      sums[i] = loadVector(lanes, getTarget(i));
    sums = emitTileProduct(lanes, factors, slice.size, sums);
    for (auto [i, sum] : llvm::enumerate(sums))
      storeVector(lanes, getTarget(i), sum);
    return SmallVector<Value>();
  };
  lanes.loop(lanes.indexConstant(0), tile.keys.value, 2 * lanes.width, {}, emitPanel);
}

void AttentionTask::emitSums(const Slice &slice, const Tile &tile, const Lanes &block) {
  Lanes keys = getSummedKeys(tile, block);
  int64_t width = lanes.width;
  Lanes vectors = lanes.ceilDiv(slice.size, width), done = lanes.constant(0);
  auto tiles = [&](const Lanes &first, const Lanes &last, int64_t numVectors) {
    lanes.loop(first.value, last.value, numVectors * width, {}, [&](Value column, ValueRange) {
      emitSumTile(tile, block, keys, column, numVectors);
      return SmallVector<Value>();
    });
  };
  // What is read in place is read once, as it lies.
  int64_t most = tile.inPlace ? std::max<int64_t>(kInPlaceSums / tile.height, 2) : 2;
  for (int64_t count = llvm::bit_floor(uint64_t(most)); count != 0; count /= 2) {
    Lanes end = lanes.mul(lanes.floorDiv(vectors, count), lanes.constant(count * width));
    tiles(done, end, count);
    done = end;
  }
}

void AttentionTask::emitSumTile(const Tile &tile, const Lanes &block, const Lanes &keys,
                                Value column, int64_t numVectors) {
  TileFactors factors;
  factors.rowType = factors.columnType = lanes.b.getF32Type();
  SmallVector<Value> targets, sums;
  for (int64_t i = 0; i != tile.height; ++i) {
    Lanes held = getHeldRow(tile.row, lanes.constant(i));
    factors.rows.push_back(getWeights(held, lanes.constant(0)));
    Lanes offset =
        lanes.add(lanes.mul(lanes.add(tile.row, lanes.constant(i)), lanes.constant(plan.sliceV)),
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
  factors.unroll = plan.unroll;
  if (tile.inPlace)
    setValuesInPlace(factors, block, column, numVectors);
  else
    setValuePanel(factors, block, column, numVectors);
  sums = emitTileProduct(lanes, factors, keys, sums);
  for (auto [i, sum] : llvm::enumerate(sums))
    storeVector(lanes, addElements(lanes, targets[i / numVectors], (i % numVectors) * lanes.width),
                sum);
}
