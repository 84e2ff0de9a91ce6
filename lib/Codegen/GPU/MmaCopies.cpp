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
  bool isListed = ofRows && shape.product.chosen;
  Lanes position =
      isListed ? getListed(inTile) : lanes.add(ofRows ? firstRow : firstColumn, inTile);
  Copy copy;
  copy.exists = lanes.compare(arith::CmpIPredicate::slt, position, size);
  Lanes last = lanes.sub(size, lanes.constant(transposed ? shape.getChunk() : 1));
  Interval interval{0, (ofRows ? shape.sizeM : shape.sizeN) - 1};
  if (!ofRows && shape.isPacked) {
    Lanes row = getPackedRow(lanes.min(position, last));
    copy.source = getElementPointer(lanes, getColumns().pointer, lanes.b.getI8Type(), row.value);
  } else {
    copy.source =
        factor.getPointers(lanes, kernel, indices, lanes.min(position, last), 1, interval)[0];
  }
  copy.firstK = transposed ? row : lanes.mul(chunk, lanes.constant(shape.getChunk()));
  copy.stride = shape.isPacked ? lanes.constant(1) : factor.getRunStride(lanes, kernel);
  SharedTile tile = ofRows ? plan.getTileA() : plan.getTileB();
  copy.target = tile.getPlace(lanes, row, chunk);
  if (!ofRows)
    copy.target = lanes.add(copy.target, lanes.constant(plan.getTileA().getBytes()));
  return copy;
}

Lanes MmaTask::getPackedRow(const Lanes &column) {
  Lanes number = lanes.add(lanes.mul(batch, sizeN), column);
  return lanes.mul(number, lanes.constant(plan.shape.getRowBytes()));
}

/// Whether there is such a k, which is not another block's.
Value MmaTask::existsInPart(const Lanes &k, const Lanes &step) {
  Value exists = lanes.compare(arith::CmpIPredicate::slt, k, lanes.constant(plan.shape.sizeK));
  if (plan.schedule.getSplits() == 1)
    return exists;
  return lanes.andMask(exists, lanes.compare(arith::CmpIPredicate::slt, step, endStep));
}

/// Neighbouring threads copy neighbouring chunks.
void MmaTask::addCopies(bool ofRows, SmallVectorImpl<Copy> &copies) {
  SharedTile tile = ofRows ? plan.getTileA() : plan.getTileB();
  int64_t total = tile.rows * tile.chunks;
  for (int64_t first = 0; first < total; first += kBlockSize) {
    Lanes number = lanes.add(thread, lanes.constant(first));
    copies.push_back(
        makeCopy(ofRows, lanes.floorDiv(number, tile.chunks), lanes.mod(number, tile.chunks)));
    if (first + kBlockSize > total)
      copies.back().isOwn = lanes.compare(arith::CmpIPredicate::slt, number, lanes.constant(total));
  }
}

void MmaTask::beginStage(ArrayRef<Copy> copies, const Lanes &step) {
  Lanes stage = getStage(step), firstK = lanes.mul(step, lanes.constant(plan.schedule.tile[2]));
  for (const Copy &copy : copies) {
    Lanes k = lanes.add(copy.firstK, firstK);
    Value exists = lanes.andMask(copy.exists, existsInPart(k, step));
    Value size = lanes.select(exists, makeWord(lanes, kChunkBytes), makeWord(lanes, 0));
    Value source =
        getElementPointer(lanes, copy.source, plan.shape.element, lanes.mul(k, copy.stride).value);
    auto emitCopy = [&] {
      Value target = getShared(lanes.add(stage, copy.target));
      nvx::CpAsyncOp::create(lanes.b, lanes.loc, target, source, size);
      return SmallVector<Value>();
    };
    if (copy.isOwn)
      lanes.ifThen(copy.isOwn, {}, emitCopy);
    else
      emitCopy();
  }
  for (const CodeCopy &copy : codeCopies)
    copyCodes(copy, stage, step);
  nvx::CpAsyncCommitOp::create(lanes.b, lanes.loc);
}
