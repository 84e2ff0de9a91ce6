//===- GemmTile.cpp - the register tiles of products ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ExpandNibbles.h"
#include "ExpandScaled.h"
#include "GemmTask.h"
#include "NibbleProduct.h"
#include "WholeProduct.h"

using namespace mlir;
using namespace weft;

/// Rows up to which it is faster to leave zeros out: it takes two registers for a sum, and
/// instructions for each row's groups.
static constexpr int64_t kRowsWithoutZeros = 2;

Value GemmTask::getSteps(const Lanes &firstK) {
  if (plan.shape.isExpanded())
    return expanded;
  return getPanelSteps(firstK);
}

void GemmTask::emitBlock(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  if (plan.usesTiles()) {
    auto dots = [&] { emitDots(firstK, sizeK, accumulate); };
    auto few = [&](FewRows multiply) { (this->*multiply)(firstK, sizeK, accumulate); };
    auto many = [&] {
      expand(firstK, sizeK, /*fetches=*/true);
      emitUnitBlocks(firstK, sizeK, !accumulate, nullptr);
    };
    return emitDotsOrTiles(dots, [&] { emitFewOrMany(few, many); });
  }
  if (plan.shape.isWhole)
    return emitWholeRows(firstK, sizeK, accumulate);
  if (!plan.shape.isExpanded())
    return emitRows(firstK, sizeK, accumulate);
  auto dots = [&] { emitDots(firstK, sizeK, accumulate); };
  auto few = [&] { emitFewCodes(firstK, sizeK, accumulate); };
  auto many = [&] {
    expand(firstK, sizeK);
    emitRows(firstK, sizeK, accumulate);
  };
  emitDotsOrTiles(dots, [&] { chooseByRows(plan.getRowsOfFewTiles(), few, many); });
}

void GemmTask::expand(const Lanes &firstK, const Lanes &sizeK, bool fetches) {
  int64_t ahead = fetches && plan.schedule.prefetch ? kPanelAhead : 0;
  if (const auto &nibbles = plan.shape.nibbles)
    expandNibbles(lanes, *nibbles, plan.usesWords() ? Nibbles::Numbers : Nibbles::Codes,
                  panelPointer, expanded, firstK, sizeK, ahead);
  if (const auto &scaled = plan.shape.scaled)
    expandScaled(lanes, *scaled, panelPointer, expanded, firstK, sizeK, ahead);
  if (plan.shape.splitsPanels())
    expandParts(lanes, plan.getSplitPanel(), getPanelSteps(firstK), expanded, sizeK);
}

/// Rows are those of one task for all of its panels.
void GemmTask::sumRows() {
  groupSums = kernel.allocateStack(lanes, plan.blockRows * getRowSumBytes());
  lanes.loop(numRows, {}, [&](const Lanes &row, ValueRange) {
    sumGroups(lanes, *plan.shape.scaled, plan.usesWords(), getRowPointers(row)[0], getRowSums(row));
    return SmallVector<Value>();
  });
}

/// Codes of 4 bits without their zeros are for a few rows.
bool GemmTask::sumsFewRows() const {
  const std::optional<NibblePanel> &nibbles = plan.shape.nibbles;
  return nibbles && canMultiplyNibbles(*nibbles) && canSumNibbles(*nibbles) && !plan.usesWords() &&
         plan.rows.isOneRun();
}

/// Tiles are of 8, 4, 2 and 1 rows, in this order: the last of a few rows are those of small ones.
void GemmTask::sumFewRows() {
  groupSums = kernel.allocateStack(lanes, getFewRows() * getRowSumBytes());
  lanes.ifThen(hasFew(getFewRows()), {}, [&] {
    Lanes last = lanes.mod(numRows, 2 * kRowsWithoutZeros), first = lanes.sub(numRows, last);
    lanes.loop(last, {}, [&](const Lanes &number, ValueRange) {
      Lanes row = lanes.add(first, number);
      sumNibbleRow(lanes, *plan.shape.nibbles, getRowPointers(row)[0], getRowSums(row));
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

int64_t GemmTask::getRowSumBytes() {
  return plan.shape.isWhole ? getGroupSumBytes(*plan.shape.scaled)
                            : getNibbleSumBytes(*plan.shape.nibbles);
}

Value GemmTask::getRowSums(const Lanes &row) {
  return addElements(lanes, groupSums, lanes.mul(row, lanes.constant(getRowSumBytes() / kElement)));
}

/// Few rows fetch the panel, many share what is near.
void GemmTask::emitWholeRows(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  lanes.tileLoop(numRows, plan.tileRows, [&](const Lanes &row, int64_t count) {
    bool isFew = count < plan.tileRows || numRows.interval.max <= plan.getRowsOfFewTiles();
    Ahead ahead = isFew && plan.schedule.fetchesOwn(count) ? Ahead::OwnPanel : Ahead::Nothing;
    emitTile({row, count, ahead}, firstK, sizeK, accumulate);
  });
}

CodeFactors GemmTask::getCodeFactors(const Tile &tile, ArrayRef<Value> rows, const Lanes &firstK,
                                     const Lanes &sizeK) {
  int64_t ahead = tile.ahead == Ahead::OwnPanel ? kPanelAhead : 0;
  return {rows, panelPointer, firstK, sizeK, ahead, plan.usesWords()};
}

SmallVector<Value> GemmTask::emitWholeTile(const Tile &tile, ArrayRef<Value> rows,
                                           const Lanes &firstK, const Lanes &sizeK,
                                           ValueRange sums) {
  SmallVector<Value> ofGroups;
  for (int64_t i = 0; i != tile.count; ++i)
    ofGroups.push_back(getRowSums(lanes.add(tile.row, lanes.constant(i))));
  WholeFactors factors{getCodeFactors(tile, rows, firstK, sizeK), ofGroups};
  return multiplyWhole(lanes, *plan.shape.scaled, factors, sums);
}

SmallVector<Value> GemmTask::emitNibbles(const Tile &tile, ArrayRef<Value> rows,
                                         const Lanes &firstK, const Lanes &sizeK, ValueRange sums) {
  NibbleFactors factors{
      getCodeFactors(tile, rows, firstK, sizeK), tile.isShort ? Value() : expanded, {}};
  for (int64_t i = 0; i != tile.count && sumsFewRows() && tile.count <= kRowsWithoutZeros; ++i)
    factors.sums.push_back(getRowSums(lanes.add(tile.row, lanes.constant(i))));
  return multiplyNibbles(lanes, *plan.shape.nibbles, factors, sums);
}

void GemmTask::emitTile(const Tile &tile, const Lanes &firstK, const Lanes &sizeK,
                        bool accumulate) {
  const Lanes &row = tile.row;
  int64_t count = tile.count;
  Lanes stride = plan.rows.getRunStride(lanes, kernel);
  SmallVector<Value> rows = getRowPointers(row, count);
  Value target = addElements(lanes, scratch, lanes.mul(row, lanes.constant(plan.shape.nr)));
  Value zero = arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(getSumsType()));
  SmallVector<Value> sums(count * (plan.shape.nr / lanes.width), zero);
  if (accumulate)
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = loadSums(addElements(lanes, target, i * lanes.width));
  if (multipliesSpread()) {
    sums = emitRun(tile, getSpreadRows(tile, firstK), lanes.constant(1), firstK, sizeK, sums);
  } else if (plan.rows.isOneRun()) {
    Lanes skip = lanes.mul(firstK, stride);
    for (Value &pointer : rows)
      pointer = addRowElements(pointer, skip);
    int64_t ahead = tile.ahead == Ahead::OwnPanel ? kPanelAhead : 0;
    if (plan.shape.isWhole)
      sums = emitWholeTile(tile, rows, firstK, sizeK, sums);
    else if (tile.isShort && plan.shape.scaled)
      sums = multiplyScaled(lanes, *plan.shape.scaled, panelPointer, rows, stride, firstK, sizeK,
                            ahead, sums);
    else if (plan.shape.nibbles && (tile.isShort || plan.usesWords()))
      sums = emitNibbles(tile, rows, firstK, sizeK, sums);
    else
      sums = emitRun(tile, rows, stride, firstK, sizeK, sums);
  } else {
    sums = emitOuterK(tile, rows, stride, /*depth=*/0, lanes.constant(0), sums);
  }
  for (auto [i, sum] : llvm::enumerate(sums))
    storeVector(lanes, addElements(lanes, target, i * lanes.width), sum);
}

SmallVector<Value> GemmTask::emitOuterK(const Tile &tile, ArrayRef<Value> rows, const Lanes &stride,
                                        unsigned depth, const Lanes &firstK, ValueRange sums) {
  ArrayRef<unsigned> outer = plan.rows.getOuter();
  if (depth == outer.size())
    return emitRun(tile, rows, stride, firstK, getSize(plan.rows.getRun()), sums);
  Lanes inner = lanes.mul(getSize(plan.rows.getRun()), getSize(outer.drop_front(depth + 1)));
  return lanes.loop(getSize(outer[depth]), sums, [&](const Lanes &iv, ValueRange carried) {
    SmallVector<Value> moved;
    Lanes skip = lanes.mul(iv, plan.rows.getStride(lanes, kernel, outer[depth]));
    for (Value pointer : rows)
      moved.push_back(addRowElements(pointer, skip));
    Lanes next = lanes.add(firstK, lanes.mul(iv, inner));
    return emitOuterK(tile, moved, stride, depth + 1, next, carried);
  });
}

SmallVector<Value> GemmTask::emitRun(const Tile &tile, ArrayRef<Value> rows, const Lanes &stride,
                                     const Lanes &firstK, const Lanes &sizeK, ValueRange sums) {
  TileFactors factors;
  factors.rows.assign(rows.begin(), rows.end());
  factors.stride = stride;
  factors.panel = getSteps(firstK);
  factors.rowType = getRowType();
  factors.columnType = kernel.getBuffer(op.getInputs()[product.columns]).elementType;
  factors.panelStride = plan.shape.stepWords;
  factors.areNarrow = plan.shape.isNarrow;
  if (multipliesSpread())
    factors.rowType = lanes.b.getF32Type();
  factors.numVectors = plan.shape.nr / lanes.width;
  factors.unroll = plan.schedule.unroll;
  setPrefetch(factors, tile, firstK, sizeK);
  return emitTileProduct(lanes, factors, sizeK, sums);
}
