//===- MmaCopies.cpp - tiles of factors on their way to shared memory -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaTask.h"

using namespace mlir;
using namespace weft;

/// Tiles that need the same columns of B come one after the other.
void MmaTask::setTile(const Lanes &task) {
  const Product &product = plan.shape.product;
  Lanes blocksM = lanes.ceilDiv(sizeM, plan.schedule.tile[0]);
  Lanes blocksN = lanes.ceilDiv(sizeN, plan.schedule.tile[1]);
  Lanes matrices = getCount(lanes, kernel, op.getIndices(), product.batch);
  int64_t splits = plan.schedule.getSplits();
  Lanes tile = splits == 1 ? task : lanes.floorDiv(task, splits);
  SmallVector<Lanes> place = lanes.delinearize(tile, {matrices, blocksN, blocksM});
  batch = place[0];
  setIndices(lanes, kernel, op.getIndices(), product.batch, batch, indices);
  part = splits == 1 ? lanes.constant(0) : lanes.mod(task, splits);
  firstStep = lanes.mul(part, lanes.constant(plan.getPartSteps()));
  endStep = lanes.min(lanes.add(firstStep, lanes.constant(plan.getPartSteps())),
                      lanes.constant(plan.getSteps()));
  firstColumn = lanes.mul(place[1], lanes.constant(plan.schedule.tile[1]));
  firstRow = lanes.mul(place[2], lanes.constant(plan.schedule.tile[0]));
}

/// What lies behind the last row or column is not read: zeros are written in its place.
MmaTask::Copy MmaTask::makeCopy(bool ofRows, const Lanes &row, const Lanes &chunk) {
  const ChunkedProduct &shape = plan.shape;
  const RowFactor &factor = ofRows ? shape.rows : shape.columns;
  const Lanes &size = ofRows ? sizeM : sizeN;
  bool transposed = !ofRows && shape.transposed;
  Lanes inTile = transposed ? lanes.mul(chunk, lanes.constant(shape.getChunk())) : row;
  Lanes position = lanes.add(ofRows ? firstRow : firstColumn, inTile);
  Copy copy;
  copy.exists = lanes.compare(arith::CmpIPredicate::slt, position, size);
  Lanes last = lanes.sub(size, lanes.constant(transposed ? shape.getChunk() : 1));
  Interval interval{0, (ofRows ? shape.sizeM : shape.sizeN) - 1};
  copy.source =
      factor.getPointers(lanes, kernel, indices, lanes.min(position, last), 1, interval)[0];
  copy.firstK = transposed ? row : lanes.mul(chunk, lanes.constant(shape.getChunk()));
  copy.stride = factor.getRunStride(lanes, kernel);
  SharedTile tile = ofRows ? plan.getTileA() : plan.getTileB();
  copy.target = tile.getPlace(lanes, row, chunk);
  if (!ofRows)
    copy.target = lanes.add(copy.target, lanes.constant(plan.getTileA().getBytes()));
  return copy;
}

/// Neighbouring threads copy neighbouring chunks.
void MmaTask::addCopies(bool ofRows, SmallVectorImpl<Copy> &copies) {
  SharedTile tile = ofRows ? plan.getTileA() : plan.getTileB();
  for (int64_t first = 0; first != tile.rows * tile.chunks; first += kBlockSize) {
    Lanes number = lanes.add(thread, lanes.constant(first));
    copies.push_back(
        makeCopy(ofRows, lanes.floorDiv(number, tile.chunks), lanes.mod(number, tile.chunks)));
  }
}

void MmaTask::beginStage(ArrayRef<Copy> copies, const Lanes &step) {
  OpBuilder &b = lanes.b;
  Lanes stage = getStage(step), firstK = lanes.mul(step, lanes.constant(plan.schedule.tile[2]));
  auto bytes = [&](int32_t number) -> Value {
    return arith::ConstantOp::create(b, lanes.loc, b.getI32IntegerAttr(number));
  };
  for (const Copy &copy : copies) {
    Lanes k = lanes.add(copy.firstK, firstK);
    Value isInside = lanes.compare(arith::CmpIPredicate::slt, k, lanes.constant(plan.shape.sizeK));
    if (plan.schedule.getSplits() > 1) // what comes next is another block's
      isInside = lanes.andMask(isInside, lanes.compare(arith::CmpIPredicate::slt, step, endStep));
    Value exists = lanes.andMask(copy.exists, isInside);
    Value size = lanes.select(exists, bytes(16), bytes(0));
    Value source =
        getElementPointer(lanes, copy.source, plan.shape.element, lanes.mul(k, copy.stride).value);
    nvx::CpAsyncOp::create(b, lanes.loc, getShared(lanes.add(stage, copy.target)), source, size);
  }
  nvx::CpAsyncCommitOp::create(b, lanes.loc);
}
