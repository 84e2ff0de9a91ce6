//===- AttentionDots.cpp - one query of bf16, nothing packed --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What AttentionInPlace.cpp does for f32, where loops of dots stand for the unit of tiles: squares
// of words, pairs of contracted elements, are transposed in registers, and two rows of values are
// interleaved. Each sum adds the pairs that a tile product adds, in the same order.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

/// Vectors of columns of a row whose sums are kept at once, for all rows of a tile together.
static constexpr int64_t kSums = 16;

bool AttentionTask::canReadPairsInPlace() {
  unsigned values = 2 * op.getDots();
  int64_t pairs = 2 * plan.width;
  if (!(plan.dots || plan.halves) || !isContiguous(values, plan.columns, pairs))
    return false;
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    if (!isContiguous(2 * dot + 1, plan.contracted[dot], pairs))
      return false;
  return true;
}

/// A word of a row of pairs in all lanes.
Value AttentionTask::loadPair(Value rows, const Lanes &word) {
  return lanes.materialize(lanes.uniform(loadScalar(lanes, rows, word, lanes.b.getI32Type())));
}

void AttentionTask::emitSquareScores(unsigned dot, const Tile &tile, const Lanes &block,
                                     SquareBody body) {
  int64_t width = lanes.width, words = plan.sizeC[dot] / 2;
  lanes.loop(lanes.indexConstant(0), tile.keys.value, width, {}, [&](Value iv, ValueRange) {
    Lanes group = lanes.uniform(iv, {0, plan.blockKeys - 1}, width), key = lanes.add(block, group);
    auto addSquare = [&](Value c, ValueRange carried) {
      Lanes first = lanes.uniform(c, {0, words - 1}, width);
      // Each square fetches its share of a later group, a key at a time, between the loads of its
      // own: keys that are asked for all at once take the buffers that loads need.
      int64_t share = int64_t(llvm::divideCeil(width, words / width));
      Lanes later = lanes.add(key, lanes.mul(lanes.floorDiv(first, width), lanes.constant(share)));
      SmallVector<Value> rows;
      for (int64_t j = 0; j != width; ++j) {
        SmallVector<Lanes> indices = state.indices;
        indices[op.getKeyIndex()] = clampKey(lanes.add(key, lanes.constant(j)));
        rows.push_back(loadWords(2 * dot + 1, dot, first, /*mask=*/Value(), indices));
        if (int64_t number = j * share / width; number != (j + 1) * share / width)
          fetchAhead(2 * dot + 1, plan.contracted[dot], lanes.add(later, lanes.constant(number)),
                     /*count=*/1);
      }
      return body(transpose(lanes, rows), first, carried);
    };
    SmallVector<Value> zeros(tile.height, lanes.floatVector(0));
    SmallVector<Value> sums =
        lanes.loop(lanes.indexConstant(0), lanes.indexConstant(words), width, zeros, addSquare);
    for (auto [i, sum] : llvm::enumerate(sums))
      storeVector(lanes, getScores(dot, lanes.constant(int64_t(i)), group), sum);
    return SmallVector<Value>();
  });
}

void AttentionTask::emitPairScores(unsigned dot, const Tile &tile, const Lanes &block) {
  auto addSquare = [&](ValueRange columns, const Lanes &first, ValueRange carried) {
    SmallVector<Value> next(carried);
    for (auto [j, column] : llvm::enumerate(columns))
      for (auto [i, sum] : llvm::enumerate(next)) {
        Lanes row = lanes.add(tile.row, lanes.constant(int64_t(i)));
        Lanes place = lanes.add(lanes.mul(row, lanes.constant(plan.sliceC[dot] / 2)), first);
        Value pair = loadPair(state.queries[dot], lanes.add(place, lanes.constant(int64_t(j))));
        sum = cpu::DotOp::create(lanes.b, lanes.loc, sum.getType(), sum, pair, column);
      }
    return next;
  };
  emitSquareScores(dot, tile, block, addSquare);
}

Value AttentionTask::loadValueWords(const Lanes &key, int64_t column) {
  SmallVector<Lanes> indices = state.indices;
  indices[op.getKeyIndex()] = clampKey(key);
  setIndices(lanes, kernel, op.getIndices(), plan.columns, lanes.constant(column), indices);
  return LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.vectorOf(lanes.b.getI32Type()),
                              getAddress(2 * op.getDots(), indices), /*alignment=*/2);
}

/// The words of a pair of keys in two vectors of columns.
std::pair<Value, Value> AttentionTask::loadValuePairs(const Lanes &key, int64_t column) {
  OpBuilder &b = lanes.b;
  int64_t width = lanes.width;
  Type halves = VectorType::get(2 * width, b.getI16Type());
  Value rows[2];
  for (int64_t j : {0, 1})
    rows[j] = vector::BitCastOp::create(b, lanes.loc, halves,
                                        loadValueWords(lanes.add(key, lanes.constant(j)), column));
  auto interleave = [&](int64_t first) -> Value {
    SmallVector<int64_t> places;
    for (int64_t i = first; i != first + width; ++i)
      places.append({i, i + 2 * width});
    Value joined = vector::ShuffleOp::create(b, lanes.loc, rows[0], rows[1], places);
    return vector::BitCastOp::create(b, lanes.loc, lanes.vectorOf(b.getI32Type()), joined);
  };
  return {interleave(0), interleave(width)};
}

SmallVector<Value> AttentionTask::getSumPlaces(const Tile &tile, int64_t column, int64_t count) {
  SmallVector<Value> places;
  for (int64_t i = 0; i != tile.height; ++i)
    for (int64_t v = 0; v != 2 * count; ++v)
      places.push_back(getTileSums(lanes.add(tile.row, lanes.constant(i)),
                                   lanes.constant(column + v * lanes.width)));
  return places;
}

void AttentionTask::emitPairSums(const Tile &tile, const Lanes &block) {
  if (plan.normalized)
    scaleTileSums(tile);
  int64_t columns = 2 * lanes.width, numColumns = plan.sizeV / columns;
  // Halves have twice as many.
  int64_t most = std::max<int64_t>(kSums / ((plan.halves ? 4 : 2) * tile.height), 1);
  for (int64_t first = 0; first < numColumns; first += most) {
    int64_t count = std::min(most, numColumns - first);
    plan.halves ? emitHalfSums(tile, block, first * columns, count)
                : emitPairSums(tile, block, first * columns, count);
  }
}

void AttentionTask::emitPairSums(const Tile &tile, const Lanes &block, int64_t column,
                                 int64_t count) {
  OpBuilder &b = lanes.b;
  int64_t columns = 2 * lanes.width;
  SmallVector<Value> places = getSumPlaces(tile, column, count), start;
  for (Value place : places)
    start.push_back(loadVector(lanes, place));
  Lanes keys = lanes.min(tile.keys, lanes.sub(state.numKeys, block));
  SmallVector<Value> sums =
      lanes.loop(lanes.ceilDiv(keys, 2), start, [&](const Lanes &pair, ValueRange carried) {
        SmallVector<Value> next(carried);
        Lanes key = lanes.add(block, lanes.mul(pair, lanes.constant(2)));
        if (column == 0)
          fetchAhead(2 * op.getDots(), plan.columns, key, /*count=*/2);
        for (int64_t v = 0; v != count; ++v) {
          auto [low, high] = loadValuePairs(key, column + v * columns);
          for (int64_t i = 0; i != tile.height; ++i) {
            Lanes word = lanes.add(lanes.constant(i * plan.blockKeys / 2), pair);
            Value weights = loadPair(state.weights, word);
            Value *sum = &next[2 * (i * count + v)];
            sum[0] = cpu::DotOp::create(b, lanes.loc, sum[0].getType(), sum[0], weights, low);
            sum[1] = cpu::DotOp::create(b, lanes.loc, sum[1].getType(), sum[1], weights, high);
          }
        }
        return next;
      });
  for (auto [place, sum] : llvm::zip_equal(places, sums))
    storeVector(lanes, place, sum);
}
