//===- MmaTask.cpp - the code of one tile of a product on matrix units ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaTask.h"

using namespace mlir;
using namespace weft;

MmaTask::MmaTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const MmaPlan &plan)
    : lanes(lanes), kernel(kernel), op(op), plan(plan),
      sizeM(getCount(lanes, kernel, op.getIndices(), plan.shape.product.m)),
      sizeN(getCount(lanes, kernel, op.getIndices(), plan.shape.product.n)),
      indices(op.getIndices().size()) {}

Lanes MmaTask::getNumTasks() {
  Lanes batch = getCount(lanes, kernel, op.getIndices(), plan.shape.product.batch);
  Lanes blocks = lanes.mul(lanes.ceilDiv(sizeM, plan.schedule.tile[0]),
                           lanes.ceilDiv(sizeN, plan.schedule.tile[1]));
  return lanes.mul(batch, blocks);
}

Value MmaTask::getShared(const Lanes &offset, int64_t more) {
  Lanes place = more ? lanes.add(offset, lanes.constant(more)) : offset;
  return getElementPointer(lanes, memory, lanes.b.getI8Type(), place.value);
}

void MmaTask::emit(const Lanes &task) {
  thread = getThread(lanes);
  lane = lanes.mod(thread, kWarpSize);
  Lanes warp = lanes.floorDiv(thread, kWarpSize);
  warpRow = lanes.mul(lanes.floorDiv(warp, MmaSchedule::kWarpColumns),
                      lanes.constant(plan.schedule.getWarpRows()));
  warpColumn = lanes.mul(lanes.mod(warp, MmaSchedule::kWarpColumns),
                         lanes.constant(plan.schedule.getWarpColumns()));
  auto type = LLVM::LLVMArrayType::get(lanes.b.getI8Type(), unsigned(plan.getSharedBytes()));
  memory = makeShared(lanes, type, "tiles", /*alignment=*/128);
  setTile(task);
  SmallVector<Copy> copies;
  addCopies(/*ofRows=*/true, copies);
  addCopies(/*ofRows=*/false, copies);
  emitResults(emitLoop(copies));
}

/// Where the tiles of a step are, in bytes.
Lanes MmaTask::getStage(const Lanes &step) {
  return lanes.mul(lanes.mod(step, plan.schedule.stages), lanes.constant(plan.getStageBytes()));
}

/// All stages but one are on their way while that one is multiplied. The last steps copy zeros, so
/// that every step has a group of copies.
MmaTask::Sums MmaTask::emitLoop(ArrayRef<Copy> copies) {
  int64_t ahead = plan.schedule.stages - 1;
  for (int64_t i = 0; i != ahead; ++i)
    beginStage(copies, lanes.constant(i));
  auto emitBody = [&](const Lanes &step, ValueRange carried) {
    nvx::CpAsyncWaitOp::create(lanes.b, lanes.loc, uint32_t(ahead - 1));
    // Others' copies are here, too, and nobody reads the stage that is copied to next.
    nvx::BarrierOp::create(lanes.b, lanes.loc);
    beginStage(copies, lanes.add(step, lanes.constant(ahead)));
    return emitStep(step, carried);
  };
  Sums zeros(size_t(getNumA() * getNumB() * kRegistersC), lanes.floatConstant(0));
  Sums sums = lanes.loop(lanes.constant(plan.getSteps()), zeros, emitBody);
  nvx::CpAsyncWaitOp::create(lanes.b, lanes.loc, 0u);
  nvx::BarrierOp::create(lanes.b, lanes.loc);
  return sums;
}

/// Four matrices of 8 x 8.
SmallVector<Value> MmaTask::loadMatrices(const Lanes &place, int64_t offset, bool transposed) {
  SmallVector<Type> types(4, lanes.b.getI32Type());
  auto load =
      nvx::LdMatrixOp::create(lanes.b, lanes.loc, types, getShared(place, offset), transposed);
  return SmallVector<Value>(load.getResults());
}

/// The warp's part of A: lanes 0 to 15 name rows, 16 to 31 their next chunk.
SmallVector<Value> MmaTask::loadRows(const Lanes &stage, int64_t k) {
  SharedTile tile = plan.getTileA();
  Lanes row = lanes.mod(lane, kMmaRows);
  Lanes chunk = lanes.add(lanes.floorDiv(lane, kMmaRows), lanes.constant(k / kChunk));
  Lanes skip = lanes.mul(warpRow, lanes.constant(tile.getRowsBytes(1)));
  Lanes place = lanes.add(lanes.add(tile.getPlace(lanes, row, chunk), skip), stage);
  SmallVector<Value> registers;
  for (int64_t i = 0; i != getNumA(); ++i)
    llvm::append_range(registers, loadMatrices(place, tile.getRowsBytes(i * kMmaRows), false));
  return registers;
}

/// The warp's part of B, sixteen columns at once. If a row of the tile is a column, lanes 0 to 7
/// and 8 to 15 name two chunks of eight columns, 16 to 31 those of the next eight columns; if it is
/// a value of k, sixteen of them for eight columns.
SmallVector<Value> MmaTask::loadColumns(const Lanes &stage, int64_t k) {
  SharedTile tile = plan.getTileB();
  Lanes start = lanes.add(stage, lanes.constant(plan.getTileA().getBytes()));
  Lanes inEight = lanes.mod(lane, 8), isOdd = lanes.mod(lanes.floorDiv(lane, 8), 2);
  Lanes half = lanes.floorDiv(lane, 16);
  SmallVector<Value> registers;
  if (!plan.shape.transposed) {
    Lanes row = lanes.add(inEight, lanes.mul(half, lanes.constant(8)));
    Lanes chunk = lanes.add(isOdd, lanes.constant(k / kChunk));
    Lanes skip = lanes.mul(warpColumn, lanes.constant(tile.getRowsBytes(1)));
    Lanes place = lanes.add(lanes.add(tile.getPlace(lanes, row, chunk), skip), start);
    for (int64_t i = 0; i != getNumB(); i += 2)
      llvm::append_range(registers, loadMatrices(place, tile.getRowsBytes(i * kMmaColumns), false));
    return registers;
  }
  Lanes row = lanes.mod(lane, 16);
  Lanes chunk = lanes.add(lanes.floorDiv(warpColumn, kChunk), half);
  for (int64_t i = 0; i != getNumB(); i += 2) {
    Lanes place = tile.getPlace(lanes, row, lanes.add(chunk, lanes.constant(i)));
    llvm::append_range(registers,
                       loadMatrices(lanes.add(place, start), tile.getRowsBytes(k), true));
  }
  return registers;
}

MmaTask::Sums MmaTask::emitStep(const Lanes &step, ValueRange sums) {
  Lanes stage = getStage(step);
  Sums next(sums);
  for (int64_t k = 0; k != plan.schedule.tile[2]; k += getMmaDepth(16)) {
    SmallVector<Value> a = loadRows(stage, k), b = loadColumns(stage, k);
    for (int64_t i = 0; i != getNumA(); ++i)
      for (int64_t j = 0; j != getNumB(); ++j) {
        auto c = MutableArrayRef(next).slice(size_t(i * getNumB() + j) * kRegistersC, kRegistersC);
        auto product = nvx::MmaOp::create(lanes.b, lanes.loc, plan.shape.element,
                                          ArrayRef(a).slice(size_t(i) * kRegistersA, kRegistersA),
                                          ArrayRef(b).slice(size_t(j) * kRegistersB, kRegistersB),
                                          ValueRange(c));
        llvm::copy(product.getResults(), c.begin());
      }
  }
  return next;
}
