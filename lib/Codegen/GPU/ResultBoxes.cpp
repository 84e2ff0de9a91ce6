//===- ResultBoxes.cpp - results that are copied to memory in boxes -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ResultBoxes.h"

#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

/// Columns of sums that lie in rows of 128 bytes.
static constexpr int64_t kSumColumns = kPanelBytes / 4;
/// Where copies of boxes put chunks; and where eight bytes of four rows are in different banks.
static constexpr SharedTile kBox{kMmaRows, kPanelBytes / kChunkBytes};
static constexpr SharedTile kSums{kMmaRows, kPanelBytes / kChunkBytes, /*spread=*/2};

Type ResultBoxes::getType() {
  return cast<MemRefType>(FormulaOpInterface(op).getOutputs()[0].getType()).getElementType();
}

Value ResultBoxes::getTile(int64_t number) {
  return getSharedPlace(lanes, memory, lanes.constant(number * kTileBytes));
}

void ResultBoxes::meet() { nvx::WarpBarrierOp::create(lanes.b, lanes.loc); }

/// Tiles are used in turns, but where one has the sums.
void ResultBoxes::store(ValueRange sums, ArrayRef<Lanes> indices, const Lanes &firstRow,
                        const Lanes &firstColumn, Value map) {
  int64_t columns = output.getPanelElements();
  auto ofBox = size_t(columns / kMmaColumns * kRegistersC), numBoxes = sums.size() / ofBox;
  bool hasTurns = isWide() || !hasEpilogue();
  for (size_t box = 0; box != numBoxes; ++box) {
    int64_t tile = hasTurns ? int64_t(box % 2) : 1;
    if (hasTurns) {
      // The last copy may be of the other tile.
      bool isOther = box > 0 || numBoxes % 2 == 0;
      nvx::TmaWaitOp::create(lanes.b, lanes.loc, /*read=*/true, uint32_t(isOther));
      meet();
    }
    ValueRange part = sums.slice(box * ofBox, ofBox);
    Lanes column = lanes.add(firstColumn, lanes.constant(int64_t(box) * columns));
    if (hasEpilogue())
      storeFinished(tile, part, indices, firstRow, column);
    else
      storePlain(tile, part);
    copy(tile, indices, firstRow, column, map);
  }
}

Lanes ResultBoxes::getPlace(LaneBuilder &lanes, const Lanes &row, const Lanes &column,
                            int64_t bytes) {
  int64_t ofChunk = kChunkBytes / bytes;
  Lanes place = kBox.getPlace(lanes, row, lanes.floorDiv(column, ofChunk));
  return lanes.add(place, lanes.mul(lanes.mod(column, ofChunk), lanes.constant(bytes)));
}

/// Neighbouring results of a row.
void ResultBoxes::storeAt(int64_t tile, const Lanes &row, const Lanes &column, Value results) {
  auto vector = dyn_cast<VectorType>(results.getType());
  LaneBuilder together = lanes.withWidth(vector ? vector.getNumElements() : 1);
  int64_t bytes = getType().getIntOrFloatBitWidth() / 8;
  Lanes place = getPlace(lanes, row, column, bytes);
  Value stored = roundElement(together, results, getType());
  LLVM::StoreOp::create(lanes.b, lanes.loc, stored, getSharedPlace(lanes, getTile(tile), place),
                        unsigned(bytes * together.width));
}

/// From registers, a pair of neighbours at once.
void ResultBoxes::storePlain(int64_t tile, ValueRange sums) {
  LaneBuilder together = lanes.withWidth(2);
  RegionEmitter region(together, kernel, /*indices=*/{}, /*mask=*/Value());
  for (size_t i = 0; i != sums.size(); i += 2) {
    Value pair = vector::FromElementsOp::create(
        lanes.b, lanes.loc, together.vectorOf(lanes.b.getF32Type()), sums.slice(i, 2));
    auto [row, column] = ResultRows::getPosition(lanes, lane, int64_t(i));
    storeAt(tile, row, column,
            together.materialize(region.emitEpilogue(op, together.uniform(pair))));
  }
}

void ResultBoxes::storeFinished(int64_t tile, ValueRange sums, ArrayRef<Lanes> indices,
                                const Lanes &firstRow, const Lanes &firstColumn) {
  ResultRows rows(lanes, kernel, op, shape, kSumColumns, width, isWide() ? kBox : kSums);
  Value place = getTile(isWide() ? tile : 0);
  auto keep = [&](const Lanes &row, const Lanes &column, Value sum) {
    Value results = rows.computeResults(indices, row, column, sum);
    Lanes inRow = lanes.sub(row, firstRow), inColumn = lanes.sub(column, firstColumn);
    inRow.interval = {0, kMmaRows - 1};
    inColumn.interval = {0, output.getPanelElements() - 1};
    storeAt(tile, inRow, inColumn, results);
  };
  constexpr size_t ofPart = kSumColumns / kMmaColumns * kRegistersC;
  for (size_t first = 0; first != sums.size(); first += ofPart) {
    if (first)
      meet();
    rows.store(lane, sums.slice(first, ofPart), place);
    if (!first && !isWide())
      nvx::TmaWaitOp::create(lanes.b, lanes.loc, /*read=*/true, 0u);
    meet();
    Lanes skip = lanes.constant(int64_t(first / ofPart) * kSumColumns);
    rows.finish(lane, indices, firstRow, lanes.add(firstColumn, skip), place, keep);
  }
}

/// By the first thread of the warp, when all have written. What lies behind the last row or column
/// is not copied.
void ResultBoxes::copy(int64_t tile, ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                       Value map) {
  nvx::AsyncFenceOp::create(lanes.b, lanes.loc);
  meet();
  Value isFirst = lanes.compare(arith::CmpIPredicate::eq, lane, lanes.constant(0));
  lanes.ifThen(isFirst, {}, [&] {
    SmallVector<Lanes> values(indices);
    setIndices(lanes, kernel, op.getIndices(), shape.product.n, column, values);
    Lanes inner = column;
    if (ArrayRef<unsigned> run = output.getInner(); run.size() != shape.product.n.size())
      inner = lanes.mod(column, getBoundProduct(op.getIndices(), run));
    output.store(lanes, map, inner, row, values, getTile(tile));
    nvx::TmaCommitOp::create(lanes.b, lanes.loc);
    return SmallVector<Value>();
  });
}

void ResultBoxes::finish() { nvx::TmaWaitOp::create(lanes.b, lanes.loc, /*read=*/false, 0u); }
