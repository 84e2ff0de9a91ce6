//===- AttentionHalves.cpp - one query of bf16 beside the unit of tiles ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What AttentionDots.cpp does with dots, for the unit of tiles: to pack keys and values for one
// query takes longer than to multiply them. Both halves of a word of bf16 are made f32, and
// multiplied and added in the order of the unit (`addTileStep`), so every sum has its bits.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

Value AttentionTask::getHalves(unsigned dot, int64_t row, bool isHigh) {
  int64_t words = plan.sizeC[dot] / 2;
  return addElements(lanes, state.halves[dot], (2 * row + isHigh) * words);
}

void AttentionTask::splitQueries(unsigned dot) {
  int64_t words = plan.sizeC[dot] / 2;
  for (int64_t row = 0; row != getQueryRows(); ++row) {
    Value packed = addElements(lanes, state.queries[dot], row * plan.sliceC[dot] / 2);
    lanes.loop(lanes.indexConstant(0), lanes.indexConstant(words), lanes.width, {},
               [&](Value iv, ValueRange) {
                 Lanes word = lanes.uniform(iv, {0, words - 1}, lanes.width);
                 Value pairs =
                     LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.vectorOf(lanes.b.getI32Type()),
                                          addElements(lanes, packed, word), /*alignment=*/4);
                 for (bool isHigh : {false, true})
                   storeVector(lanes, addElements(lanes, getHalves(dot, row, isHigh), word),
                               cpu::extendHalf(lanes.b, lanes.loc, pairs, isHigh));
                 return SmallVector<Value>();
               });
  }
}

void AttentionTask::emitHalfScores(unsigned dot, const Tile &tile, const Lanes &block) {
  OpBuilder &b = lanes.b;
  auto addSquare = [&](ValueRange columns, const Lanes &first, ValueRange carried) {
    SmallVector<Value> halves(2 * tile.height, lanes.floatVector(0)), next;
    for (auto [j, column] : llvm::enumerate(columns))
      for (bool isHigh : {false, true}) {
        Value right = cpu::extendHalf(b, lanes.loc, column, isHigh);
        for (int64_t i = 0; i != tile.height; ++i) {
          Lanes word = lanes.add(first, lanes.constant(int64_t(j)));
          Value left = loadScalar(lanes, getHalves(dot, i, isHigh), word, b.getF32Type());
          Value &half = halves[2 * i + isHigh];
          half = multiplyAdd(b, lanes.loc, half, lanes.materialize(lanes.uniform(left)), right);
        }
      }
    for (int64_t i = 0; i != tile.height; ++i)
      next.push_back(cpu::addTileStep(b, lanes.loc, carried[i], halves[2 * i], halves[2 * i + 1]));
    return next;
  };
  emitSquareScores(dot, tile, block, addSquare);
}

SmallVector<Value> AttentionTask::addHalfValues(const Tile &tile, const Lanes &key,
                                                const Lanes &pair, int64_t column, int64_t count,
                                                ValueRange carried) {
  OpBuilder &b = lanes.b;
  // Of each row and vector of words: even and odd columns, of the first key and of the second.
  SmallVector<Value> halves(carried);
  SmallVector<Value> weights;
  for (int64_t i = 0; i != tile.height; ++i)
    weights.push_back(
        loadPair(state.weights, lanes.add(lanes.constant(i * plan.blockKeys / 2), pair)));
  for (int64_t second : {0, 1})
    for (int64_t v = 0; v != count; ++v) {
      Value words =
          loadValueWords(lanes.add(key, lanes.constant(second)), column + v * 2 * lanes.width);
      for (int64_t i = 0; i != tile.height; ++i)
        for (int64_t odd : {0, 1}) {
          Value &half = halves[4 * (i * count + v) + 2 * odd + second];
          half = multiplyAdd(b, lanes.loc, half,
                             cpu::extendHalf(b, lanes.loc, weights[i], /*isHigh=*/second != 0),
                             cpu::extendHalf(b, lanes.loc, words, /*isHigh=*/odd != 0));
        }
    }
  return halves;
}

void AttentionTask::emitHalfSums(const Tile &tile, const Lanes &block, int64_t column,
                                 int64_t count) {
  int64_t width = lanes.width, numSums = 2 * tile.height * count;
  auto shuffle = [&](ValueRange pair, llvm::function_ref<int64_t(int64_t)> place) -> Value {
    SmallVector<int64_t> places;
    for (int64_t i = 0; i != width; ++i)
      places.push_back(place(i));
    return vector::ShuffleOp::create(lanes.b, lanes.loc, pair[0], pair[1], places);
  };
  SmallVector<Value> places = getSumPlaces(tile, column, count), sums;
  for (int64_t i = 0; i != numSums; i += 2) {
    Value pair[] = {loadVector(lanes, places[i]), loadVector(lanes, places[i + 1])};
    for (int64_t isOdd : {0, 1})
      sums.push_back(shuffle(pair, [&](int64_t j) { return 2 * j + isOdd; }));
  }
  sums = lanes.loop(lanes.ceilDiv(tile.keys, 2 * kTileStepWords), sums,
                    [&](const Lanes &step, ValueRange carried) {
                      Lanes first = lanes.mul(step, lanes.constant(kTileStepWords));
                      SmallVector<Value> zeros(2 * numSums, lanes.floatVector(0)), next;
                      SmallVector<Value> halves = lanes.loop(
                          lanes.constant(kTileStepWords), zeros,
                          [&](const Lanes &j, ValueRange inner) {
                            Lanes pair = lanes.add(first, j);
                            Lanes key = lanes.add(block, lanes.mul(pair, lanes.constant(2)));
                            if (column == 0)
                              fetchAhead(2 * op.getDots(), plan.columns, key, /*count=*/2);
                            return addHalfValues(tile, key, pair, column, count, inner);
                          });
                      for (int64_t i = 0; i != numSums; ++i)
                        next.push_back(cpu::addTileStep(lanes.b, lanes.loc, carried[i],
                                                        halves[2 * i], halves[2 * i + 1]));
                      return next;
                    });
  for (int64_t i = 0; i != numSums; i += 2)
    for (int64_t second : {0, 1})
      storeVector(lanes, places[i + second], shuffle(ValueRange(sums).slice(i, 2), [&](int64_t j) {
                    return (j % 2) * width + second * width / 2 + j / 2;
                  }));
}
