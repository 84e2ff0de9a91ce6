//===- ResultBoxes.cpp - results that are copied to memory in boxes -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ResultBoxes.h"

using namespace mlir;
using namespace weft;

/// Columns of sums that lie in rows of 128 bytes.
static constexpr int64_t kSumColumns = kPanelBytes / 4;
/// Where eight bytes of four rows are in different banks.
static constexpr SharedTile kSums{kMmaRows, kPanelBytes / kChunkBytes, /*spread=*/2};

/// Tiles are used in turns, but where one has the sums.
void ResultBoxes::store(ValueRange sums, ArrayRef<Lanes> indices, const Lanes &firstRow,
                        const Lanes &firstColumn, Value map) {
  int64_t columns = output.getPanelElements();
  auto ofBox = size_t(columns / kMmaColumns * kRegistersC), numBoxes = sums.size() / ofBox;
  bool hasTurns = isWide() || !hasEpilogue();
  for (size_t box = 0; box != numBoxes; ++box) {
    int64_t tile = hasTurns ? boxes.begin(box, numBoxes) : 1;
    ValueRange part = sums.slice(box * ofBox, ofBox);
    Lanes column = lanes.add(firstColumn, lanes.constant(int64_t(box) * columns));
    if (hasEpilogue())
      storeFinished(tile, part, indices, firstRow, column);
    else
      storePlain(tile, part);
    boxes.copy(tile, indices, firstRow, column, map);
  }
}

/// From registers, a pair of neighbours at once.
void ResultBoxes::storePlain(int64_t tile, ValueRange sums) {
  LaneBuilder together = lanes.withWidth(2);
  RegionEmitter region(together, kernel, /*indices=*/{}, /*mask=*/Value());
  for (size_t i = 0; i != sums.size(); i += 2) {
    Value pair = vector::FromElementsOp::create(
        lanes.b, lanes.loc, together.vectorOf(lanes.b.getF32Type()), sums.slice(i, 2));
    auto [row, column] = ResultRows::getPosition(lanes, lane, int64_t(i));
    boxes.storeAt(tile, row, column,
                  together.materialize(region.emitEpilogue(op, together.uniform(pair))));
  }
}

void ResultBoxes::storeFinished(int64_t tile, ValueRange sums, ArrayRef<Lanes> indices,
                                const Lanes &firstRow, const Lanes &firstColumn) {
  ResultRows rows(lanes, kernel, op, shape, kSumColumns, width, ResultRows::kAheadOfGroups,
                  isWide() ? WarpBoxes::kBox : kSums);
  Value place = boxes.getTile(isWide() ? tile : 0);
  auto keep = [&](const Lanes &row, const Lanes &column, Value sum,
                  const ResultRows::Extras &extras) {
    Value results = rows.computeResults(indices, row, column, sum, extras);
    Lanes inRow = lanes.sub(row, firstRow), inColumn = lanes.sub(column, firstColumn);
    inRow.interval = {0, kMmaRows - 1};
    inColumn.interval = {0, output.getPanelElements() - 1};
    boxes.storeAt(tile, inRow, inColumn, results);
  };
  constexpr size_t ofPart = kSumColumns / kMmaColumns * kRegistersC;
  for (size_t first = 0; first != sums.size(); first += ofPart) {
    if (first)
      boxes.meet();
    rows.store(lane, sums.slice(first, ofPart), place);
    if (!first && !isWide())
      boxes.waitForCopies(/*butLast=*/false);
    boxes.meet();
    Lanes skip = lanes.constant(int64_t(first / ofPart) * kSumColumns);
    rows.finish(lane, indices, firstRow, lanes.add(firstColumn, skip), place, keep);
  }
}
