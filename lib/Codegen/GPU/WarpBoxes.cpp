//===- WarpBoxes.cpp - a warp's results on their way to memory ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WarpBoxes.h"

#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

Lanes WarpBoxes::getPlace(LaneBuilder &lanes, const Lanes &row, const Lanes &column,
                          int64_t bytes) {
  int64_t ofChunk = kChunkBytes / bytes;
  Lanes place = kBox.getPlace(lanes, row, lanes.floorDiv(column, ofChunk));
  return lanes.add(place, lanes.mul(lanes.mod(column, ofChunk), lanes.constant(bytes)));
}

Type WarpBoxes::getType() {
  return cast<MemRefType>(op.getOutputs()[0].getType()).getElementType();
}

Value WarpBoxes::getTile(int64_t number) {
  return getSharedPlace(lanes, memory, lanes.constant(number * kTileBytes));
}

void WarpBoxes::meet() { nvx::WarpBarrierOp::create(lanes.b, lanes.loc); }

void WarpBoxes::waitForCopies(bool butLast) {
  nvx::TmaWaitOp::create(lanes.b, lanes.loc, /*read=*/true, uint32_t(butLast));
}

/// The last copy may be of the other tile.
int64_t WarpBoxes::begin(size_t box, size_t numBoxes) {
  waitForCopies(/*butLast=*/box > 0 || numBoxes % 2 == 0);
  meet();
  return int64_t(box % 2);
}

void WarpBoxes::storeAt(int64_t tile, const Lanes &row, const Lanes &column, Value results) {
  auto vector = dyn_cast<VectorType>(results.getType());
  LaneBuilder together = lanes.withWidth(vector ? vector.getNumElements() : 1);
  int64_t bytes = getType().getIntOrFloatBitWidth() / 8;
  Lanes place = getPlace(lanes, row, column, bytes);
  Value stored = roundElement(together, results, getType());
  LLVM::StoreOp::create(lanes.b, lanes.loc, stored, getSharedPlace(lanes, getTile(tile), place),
                        unsigned(bytes * together.width));
}

/// By the first thread of the warp, when all have written. What lies behind the last row or column
/// is not copied.
void WarpBoxes::copy(int64_t tile, ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                     Value map) {
  nvx::AsyncFenceOp::create(lanes.b, lanes.loc);
  meet();
  Value isFirst = lanes.compare(arith::CmpIPredicate::eq, lane, lanes.constant(0));
  lanes.ifThen(isFirst, {}, [&] {
    SmallVector<Lanes> values(indices);
    setIndices(lanes, kernel, op.getIndices(), columns, column, values);
    Lanes inner = column;
    if (ArrayRef<unsigned> run = output.getInner(); run.size() != columns.size())
      inner = lanes.mod(column, getBoundProduct(op.getIndices(), run));
    output.store(lanes, map, inner, row, values, getTile(tile));
    nvx::TmaCommitOp::create(lanes.b, lanes.loc);
    return SmallVector<Value>();
  });
}

void WarpBoxes::finish() { nvx::TmaWaitOp::create(lanes.b, lanes.loc, /*read=*/false, 0u); }
