//===- GemmUnitTile.cpp - the tiles of products in a matrix unit ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A panel comes from memory while the tiles of the one before are computed: each of them fetches
// its share into the second cache.
//
//===----------------------------------------------------------------------------------------===//

#include "ExpandNibbles.h"
#include "GemmTask.h"
#include "NibbleProduct.h"

#include "weft/Codegen/CPU/Units.h"

using namespace mlir;
using namespace weft;

/// Rows up to which dots of codes are faster than tiles, which read a panel less evenly; and than
/// expanding codes of 4 bits, where there are no tiles.
static constexpr int64_t kFewRows = 4, kFewShortRows = 8;
/// Bytes of the lines that a unit fetches at a time, one of each of its streams.
static constexpr int64_t kPortion = kPanelStreams * kLine;

bool GemmTask::canMultiplyShort() const {
  const std::optional<NibblePanel> &nibbles = plan.shape.nibbles;
  return plan.shape.scaled || (nibbles && canMultiplyNibbles(*nibbles));
}

int64_t GemmTask::getFewRows() const {
  if (plan.usesWords()) // one tile of them
    return plan.tileRows;
  // Their sums need 16 registers.
  bool isShort = canMultiplyShort() && lanes.width == kTileColumns / 2 && !plan.usesTiles();
  return isShort ? kFewShortRows : kFewRows;
}

void GemmTask::emitDotsOrTiles(function_ref<void()> dots, function_ref<void()> tiles) {
  if (!hasFewRows())
    return tiles();
  chooseByRows(getFewRows(), dots, tiles);
}

void GemmTask::emitFewOrMany(function_ref<void(FewRows)> few, function_ref<void()> many) {
  bool areNibbles = plan.shape.nibbles.has_value();
  auto blocks = [&] { few(areNibbles ? &GemmTask::emitFewCodes : &GemmTask::emitFewSplit); };
  auto tiles = [&] {
    areNibbles || awaitsMemory() ? chooseByRows(plan.getRowsOfFewTiles(), blocks, many) : many();
  };
  if (!plan.schedule.halves)
    return tiles();
  chooseByRows(*plan.schedule.halves, [&] { few(&GemmTask::emitHalves); }, tiles);
}

void GemmTask::emitDots(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  bool isShort = canMultiplyShort();
  if (!isShort)
    expand(firstK, sizeK);
  bool isRead = isShort || !plan.shape.isExpanded();
  lanes.tileLoop(numRows, getFewRows(), [&](const Lanes &row, int64_t count) {
    Ahead ahead = plan.schedule.fetchesOwn(count) && isRead ? Ahead::OwnPanel : Ahead::Nothing;
    emitTile({row, count, ahead, isShort}, firstK, sizeK, accumulate);
  });
}

void GemmTask::emitUnitPanel(const Lanes &panel) {
  Lanes zero = lanes.constant(0);
  emitDotsOrTiles(
      [&] {
        emitDots(zero, sizeK, /*accumulate=*/false);
        emitEpilogue(panel, zero, numRows);
      },
      [&] {
        auto few = [&](FewRows multiply) {
          (this->*multiply)(zero, sizeK, /*accumulate=*/false);
          emitEpilogue(panel, zero, numRows);
        };
        auto many = [&] {
          expand(zero, sizeK, /*fetches=*/true);
          emitUnitBlocks(zero, sizeK, /*isFresh=*/true, &panel);
        };
        emitFewOrMany(few, many);
      });
}

Value GemmTask::getUnitRows(const Lanes &row, const Lanes &firstK) {
  if (spread) {
    Lanes before = lanes.floorDiv(lanes.sub(firstK, spread->first), plan.shape.depth);
    Lanes first = lanes.mul(row, lanes.constant(spread->words));
    return addElements(lanes, spread->rows, lanes.add(first, before));
  }
  if (!plan.shape.isSplit())
    return addRowElements(getRowPointers(row)[0],
                          lanes.mul(firstK, plan.rows.getRunStride(lanes, kernel)));
  // Tiles of rows are whole, and those of a matrix follow one another.
  Lanes tileWords = lanes.constant(kSplitTile * kTileRowBytes * plan.shape.parts / 4);
  Lanes tilesK = lanes.ceilDiv(sizeK, kSplitTile);
  Lanes before = lanes.mul(matrix, lanes.ceilDiv(getSize(product.m), kSplitTile));
  Lanes tile = lanes.add(before, lanes.floorDiv(lanes.add(firstRow, row), kSplitTile));
  Lanes place = lanes.add(lanes.mul(tile, tilesK), lanes.floorDiv(firstK, kSplitTile));
  return addElements(lanes, kernel.getBuffer(op.getInputs()[product.getRows()]).pointer,
                     lanes.mul(place, tileWords));
}

GemmTask::Portions GemmTask::getPortions(const Lanes &row, const Lanes &sizeK,
                                         const UnitTiles &tiles) {
  if (!plan.schedule.prefetch || plan.shape.isEncoded())
    return {};
  // The tiles share the portions of a step out.
  int64_t depth = plan.shape.getUnitDepth();
  int64_t whole = depth / plan.shape.depth * plan.shape.stepWords * 4 / kPortion;
  int64_t portions = tiles.fetchesHalf ? whole / 2 : whole;
  Lanes sharing = lanes.ceilDiv(numRows, kTileRows), tile = lanes.floorDiv(row, kTileRows);
  auto getShare = [&](const Lanes &number) {
    return lanes.binary(arith::DivUIOp::getOperationName(),
                        lanes.mul(number, lanes.constant(portions)), sharing, {0, portions});
  };
  Lanes first = getShare(tile);
  Lanes number = lanes.sub(getShare(lanes.add(tile, lanes.constant(1))), first);
  Lanes before = lanes.mul(first, lanes.ceilDiv(sizeK, depth));
  Lanes words = lanes.mul(before, lanes.constant(kLine / 4));
  Lanes apart = lanes.mul(lanes.floorDiv(sizeK, depth), lanes.constant(whole * kLine));
  return {addElements(lanes, tiles.ahead, words), number.value, apart.value};
}

void GemmTask::eachUnitTile(function_ref<void(const Lanes &row, const Lanes &count)> body) {
  lanes.loop(lanes.indexConstant(0), numRows.value, kTileRows, {}, [&](Value iv, ValueRange) {
    Lanes row = lanes.uniform(iv, {0, plan.blockRows - 1}, kTileRows);
    body(row, lanes.min(lanes.sub(numRows, row), lanes.constant(kTileRows)));
    return SmallVector<Value>();
  });
}

void GemmTask::emitUnitTile(const Lanes &row, const Lanes &count, const Lanes &firstK,
                            const Lanes &sizeK, const UnitTiles &tiles) {
  const PackedProduct &shape = plan.shape;
  Lanes place = plan.holdsTile() ? lanes.constant(0) : row;
  Value target = addElements(lanes, scratch, lanes.mul(place, lanes.constant(shape.nr)));
  Lanes stride =
      shape.isSplit() ? lanes.constant(kTileRowBytes)
      : spread ? lanes.constant(spread->words * 4)
               : lanes.mul(plan.rows.getRowStride(lanes, kernel), lanes.constant(4 / shape.depth));
  Portions portions = getPortions(row, sizeK, tiles);
  cpu::TileProductOp::create(lanes.b, lanes.loc, target, getUnitRows(row, firstK), stride.value,
                             tiles.panel, count.value, sizeK.value, portions.ahead, portions.number,
                             portions.apart, tiles.isFresh, shape.isCodes, isPadded(), tiles.isHeld,
                             shape.parts, shape.columnParts);
}
