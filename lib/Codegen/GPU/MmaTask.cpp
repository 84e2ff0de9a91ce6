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
  return lanes.mul(lanes.mul(batch, blocks), lanes.constant(plan.schedule.getSplits()));
}

Value MmaTask::getShared(const Lanes &offset) { return getSharedPlace(lanes, memory, offset); }

void MmaTask::emit(const Lanes &task) {
  thread = getThread(lanes);
  lane = lanes.mod(thread, kWarpSize);
  Lanes warp = lanes.floorDiv(thread, kWarpSize);
  int64_t ofRow = plan.schedule.getWarpsOfRow();
  warpRow = lanes.mul(lanes.floorDiv(warp, ofRow), lanes.constant(plan.schedule.getWarpRows()));
  warpColumn = lanes.mul(lanes.mod(warp, ofRow), lanes.constant(plan.schedule.getWarpColumns()));
  auto type = LLVM::LLVMArrayType::get(lanes.b.getI8Type(), unsigned(plan.getSharedBytes()));
  memory = makeShared(lanes, type, "tiles", /*alignment=*/128);
  setTile(task);
  if (!plan.shape.product.chosen)
    return emitTile();
  lanes.ifThen(listRows(), {}, [&] {
    emitTile();
    return SmallVector<Value>();
  });
}

void MmaTask::emitTile() {
  SmallVector<Copy> copies;
  addCopies(/*ofRows=*/true, copies);
  if (plan.shape.codes && !plan.shape.codes->isNumbers())
    words.emplace(lanes, plan.shape.codes->getTable());
  if (plan.shape.codes)
    addCodeCopies();
  else
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
    beginStage(copies, lanes.add(firstStep, lanes.constant(i)));
  auto emitBody = [&](const Lanes &step, ValueRange carried) {
    nvx::CpAsyncWaitOp::create(lanes.b, lanes.loc, uint32_t(ahead - 1));
    // Others' copies are here, too, and nobody reads the stage that is copied to next.
    nvx::BarrierOp::create(lanes.b, lanes.loc);
    beginStage(copies, lanes.add(step, lanes.constant(ahead)));
    return emitStep(step, carried);
  };
  Value zero = arith::ConstantOp::create(lanes.b, lanes.loc,
                                         lanes.b.getZeroAttr(plan.shape.getSumType(lanes.b)));
  Sums zeros(size_t(getNumA() * getNumB() * kRegistersC), zero);
  Interval steps{0, plan.getSteps() - 1};
  Sums sums =
      lanes.loop(firstStep.value, endStep.value, 1, zeros, [&](Value iv, ValueRange carried) {
        return emitBody(lanes.uniform(iv, steps), carried);
      });
  nvx::CpAsyncWaitOp::create(lanes.b, lanes.loc, 0u);
  nvx::BarrierOp::create(lanes.b, lanes.loc);
  return sums;
}

/// The warp's part of A.
SmallVector<Value> MmaTask::loadRows(const Lanes &stage, int64_t k) {
  SharedTile tile = plan.getTileA();
  Lanes skip = lanes.mul(warpRow, lanes.constant(tile.getRowsBytes(1)));
  Lanes place = tile.getPlaceA(lanes, lane, k / plan.shape.getChunk());
  place = lanes.add(lanes.add(place, skip), stage);
  SmallVector<Value> registers;
  for (int64_t i = 0; i != getNumA(); ++i) {
    Lanes row = lanes.add(place, lanes.constant(tile.getRowsBytes(i * kMmaRows)));
    llvm::append_range(registers, loadMatrices(lanes, memory, row, /*transposed=*/false));
  }
  return registers;
}

/// The warp's part of B, sixteen columns at once.
SmallVector<Value> MmaTask::loadColumns(const Lanes &stage, int64_t k) {
  SharedTile tile = plan.getTileB();
  Lanes start = lanes.add(stage, lanes.constant(plan.getTileA().getBytes()));
  if (plan.shape.transposed)
    return loadAcross(start, k);
  SmallVector<Value> registers;
  for (int64_t i = 0; i != getNumB(); i += 2) {
    Lanes skip = lanes.add(lanes.mul(warpColumn, lanes.constant(tile.getRowsBytes(1))),
                           lanes.constant(tile.getRowsBytes(i * kMmaColumns)));
    Lanes place = lanes.add(tile.getPlaceB(lanes, lane, k / plan.shape.getChunk()), skip);
    llvm::append_range(registers, loadMatrices(lanes, memory, lanes.add(place, start), false));
  }
  return registers;
}

/// The same where columns are side by side: matrices are turned as they are read, which there is
/// only for elements of 16 bits.
SmallVector<Value> MmaTask::loadAcross(const Lanes &start, int64_t k) {
  OpBuilder &b = lanes.b;
  SharedTile tile = plan.getTileB();
  SmallVector<Value> registers;
  Lanes group = lanes.floorDiv(lane, 4), inGroup = lanes.mod(lane, 4);
  for (int64_t i = 0; plan.shape.isWide() && i != getNumB() * kRegistersB; ++i) {
    Lanes row = lanes.add(inGroup, lanes.constant(k + i % kRegistersB * 4));
    Lanes column = lanes.add(group, lanes.constant(i / kRegistersB * kMmaColumns));
    column = lanes.add(column, warpColumn);
    Lanes inChunk = lanes.mul(lanes.mod(column, 4), lanes.constant(4));
    Lanes place = lanes.add(tile.getPlace(lanes, row, lanes.floorDiv(column, 4)), inChunk);
    registers.push_back(
        LLVM::LoadOp::create(b, lanes.loc, b.getI32Type(), getShared(lanes.add(place, start))));
  }
  for (int64_t i = 0; !plan.shape.isWide() && i != getNumB(); i += 2) {
    Lanes chunk = lanes.add(lanes.floorDiv(warpColumn, kChunk), lanes.floorDiv(lane, 16));
    Lanes place = tile.getPlace(lanes, lanes.mod(lane, 16), lanes.add(chunk, lanes.constant(i)));
    place = lanes.add(place, lanes.constant(tile.getRowsBytes(k)));
    llvm::append_range(registers, loadMatrices(lanes, memory, lanes.add(place, start), true));
  }
  return registers;
}

void MmaTask::multiply(ValueRange a, ValueRange b, Sums &sums) {
  Type element = plan.shape.isWide() ? lanes.b.getTF32Type() : plan.shape.element;
  for (int64_t i = 0; i != getNumA(); ++i)
    for (int64_t j = 0; j != getNumB(); ++j) {
      auto c = MutableArrayRef(sums).slice(size_t(i * getNumB() + j) * kRegistersC, kRegistersC);
      ValueRange rows = a.slice(size_t(i) * kRegistersA, kRegistersA);
      ValueRange columns = b.slice(size_t(j) * kRegistersB, kRegistersB);
      if (plan.shape.isWhole())
        addWholeProduct(lanes, rows, columns, c);
      else
        addProduct(lanes, element, rows, columns, c);
    }
}

void MmaTask::multiplyWide(ValueRange a, ValueRange b, Sums &sums) {
  auto [a1, a2] = splitWide(lanes, a);
  auto [b1, b2] = splitWide(lanes, b);
  if (plan.schedule.products == 3) {
    multiply(a2, b1, sums);
    multiply(a1, b2, sums);
  }
  multiply(a1, b1, sums);
}

MmaTask::Sums MmaTask::emitStep(const Lanes &step, ValueRange sums) {
  if (plan.shape.codes)
    return words ? emitStepOfReals(step, sums) : emitStepOfNumbers(step, sums);
  Lanes stage = getStage(step);
  Sums next(sums);
  int64_t depth = getMmaDepth(8 * plan.shape.getBytes());
  for (int64_t k = 0; k != plan.schedule.tile[2]; k += depth) {
    SmallVector<Value> a = loadRows(stage, k);
    SmallVector<Value> b = loadColumns(stage, k);
    if (plan.shape.isWide())
      multiplyWide(a, b, next);
    else
      multiply(a, b, next);
  }
  return next;
}

/// Sixteen rows of each warp at once.
void MmaTask::emitResults(ValueRange sums) {
  bool isSplit = plan.schedule.getSplits() > 1, isChosen = plan.shape.product.chosen.has_value();
  ResultRows results(lanes, kernel, op, plan.shape, plan.schedule.getWarpColumns(),
                     plan.schedule.width, isSplit ? 1 : ResultRows::kAhead);
  Lanes warp = lanes.floorDiv(thread, kWarpSize);
  Value place = getShared(lanes.mul(warp, lanes.constant(plan.getSumsBytes())));
  size_t ofBlock = size_t(getNumB() * kRegistersC);
  auto keep = [&](const Lanes &row, const Lanes &column, Value sum, const ResultRows::Extras &) {
    LaneBuilder together = lanes.withWidth(plan.schedule.width);
    storeVector(together, getPartSums(part, row, column), sum);
  };
  for (int64_t block = 0; block != getNumA(); ++block) {
    if (block)
      nvx::BarrierOp::create(lanes.b, lanes.loc);
    results.store(lane, sums.slice(size_t(block) * ofBlock, ofBlock), place);
    nvx::BarrierOp::create(lanes.b, lanes.loc);
    Lanes above = isChosen ? warpRow : lanes.add(firstRow, warpRow);
    above = lanes.add(above, lanes.constant(block * kMmaRows));
    Lanes across = lanes.add(firstColumn, warpColumn);
    auto getRow = [&](const Lanes &row) { return getListed(row); };
    results.finish(lane, indices, above, across, place, isSplit ? ResultRows::Keep(keep) : nullptr,
                   isChosen ? ResultRows::RowOf(getRow) : nullptr);
  }
}
