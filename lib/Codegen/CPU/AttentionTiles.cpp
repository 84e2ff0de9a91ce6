//===- AttentionTiles.cpp - scores and sums by the unit of tiles ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Scores and sums lie in tiles of 32 columns of all rows of a tile. The unit serves any number of
// rows, of which each has its sums in an order of its own, so that a row has the same bits beside
// any other. It always multiplies whole tiles: whatever lies in rows that are none stays in them,
// and other shapes would have to be set.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "weft/Codegen/CPU/Units.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

void AttentionTask::emitTileScores(unsigned dot, const Tile &tile) {
  constexpr int64_t columns = kTileColumns, element = 2;
  Lanes first = lanes.mul(tile.row, lanes.constant(plan.sliceC[dot] * element / 4));
  Value rows = addElements(lanes, state.queries[dot], first);
  Value stride = lanes.indexConstant(plan.sliceC[dot] * element);
  Value size = lanes.indexConstant(plan.sliceC[dot]), count = tile.count.value;
  Value isFresh = arith::ConstantIntOp::create(lanes.b, lanes.loc, 1, 1);
  lanes.loop(lanes.indexConstant(0), tile.keys.value, columns, {}, [&](Value iv, ValueRange) {
    Lanes key = lanes.uniform(iv, {0, plan.blockKeys - 1}, columns);
    Value sums = getScores(dot, lanes.constant(0), key);
    Lanes words = lanes.mul(lanes.floorDiv(key, columns), lanes.constant(plan.getKeyWords(dot)));
    Value panel = addElements(lanes, state.keys[dot], words);
    cpu::TileProductOp::create(lanes.b, lanes.loc, sums, rows, stride, panel, count, size,
                               /*codes=*/false, isFresh, /*padded=*/true);
    return SmallVector<Value>();
  });
}

/// Most blocks of keys raise no maximum.
void AttentionTask::scaleTileSums(const Tile &tile) {
  OpBuilder &b = lanes.b;
  lanes.loop(tile.count, {}, [&](const Lanes &i, ValueRange) {
    Value scale = loadScalar(lanes, state.scale, i, b.getF32Type());
    Value isOther = arith::CmpFOp::create(b, lanes.loc, arith::CmpFPredicate::UNE, scale,
                                          lanes.floatConstant(1));
    lanes.ifThen(isOther, {}, [&] {
      Value factor = lanes.materialize(lanes.uniform(scale));
      lanes.loop(lanes.indexConstant(0), lanes.indexConstant(plan.sliceV), lanes.width, {},
                 [&](Value iv, ValueRange) {
                   Lanes column = lanes.uniform(iv, {0, plan.sliceV - 1}, lanes.width);
                   Value address = getTileSums(lanes.add(tile.row, i), column);
                   Value sum = loadVector(lanes, address);
                   storeVector(lanes, address, arith::MulFOp::create(b, lanes.loc, sum, factor));
                   return SmallVector<Value>();
                 });
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

void AttentionTask::emitTileSums(const Tile &tile) {
  constexpr int64_t columns = kTileColumns, element = 2;
  if (plan.normalized)
    scaleTileSums(tile);
  Value stride = lanes.indexConstant(plan.blockKeys * element);
  Value count = tile.count.value;
  lanes.loop(lanes.indexConstant(0), lanes.indexConstant(plan.sliceV), columns, {},
             [&](Value iv, ValueRange) {
               Lanes column = lanes.uniform(iv, {0, plan.sliceV - 1}, columns);
               // A panel has a word for each pair of keys and column.
               Lanes words = lanes.mul(column, lanes.constant(plan.blockKeys / 2));
               cpu::TileProductOp::create(
                   lanes.b, lanes.loc, getTileSums(tile.row, column), state.weights, stride,
                   addElements(lanes, state.values, words), count, tile.keys.value,
                   /*codes=*/false, /*fresh=*/Value(), /*padded=*/true);
               return SmallVector<Value>();
             });
}

Value AttentionTask::getTileSums(const Lanes &row, const Lanes &column) {
  Lanes before =
      lanes.mul(lanes.floorDiv(row, plan.tileRows), lanes.constant(plan.tileRows * plan.sliceV));
  Lanes tile =
      lanes.mul(lanes.floorDiv(column, kTileColumns), lanes.constant(plan.tileRows * kTileColumns));
  Lanes inTile = lanes.add(lanes.mul(lanes.mod(row, plan.tileRows), lanes.constant(kTileColumns)),
                           lanes.mod(column, kTileColumns));
  return addElements(lanes, state.sums, lanes.add(before, lanes.add(tile, inTile)));
}
