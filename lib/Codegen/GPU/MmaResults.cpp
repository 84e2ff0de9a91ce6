//===- MmaResults.cpp - from sums in registers to results in memory -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Sixteen rows of a warp's part at a time go through shared memory, so that the code of the
// epilogue exists once for each, and neighbouring threads write what lies side by side.
//
//===----------------------------------------------------------------------------------------===//

#include "MmaTask.h"

#include "weft/Codegen/Common/RegionEmitter.h"

using namespace mlir;
using namespace weft;

void MmaTask::emitResults(ValueRange sums) {
  size_t ofBlock = size_t(getNumB() * kRegistersC);
  for (int64_t block = 0; block != getNumA(); ++block) {
    if (block)
      nvx::BarrierOp::create(lanes.b, lanes.loc);
    storeSums(sums.slice(size_t(block) * ofBlock, ofBlock));
    nvx::BarrierOp::create(lanes.b, lanes.loc);
    finishBlock(block);
  }
}

/// Where the warp's sums are, in bytes.
static Lanes getWarpPlace(LaneBuilder &lanes, const Lanes &thread, int64_t bytes) {
  return lanes.mul(lanes.floorDiv(thread, kWarpSize), lanes.constant(bytes));
}

/// Neighbours of a row are written at once.
void MmaTask::storeSums(ValueRange sums) {
  OpBuilder &b = lanes.b;
  Lanes group = lanes.floorDiv(lane, 4), inGroup = lanes.mod(lane, 4);
  auto at = [&](const FragmentPlace &place) {
    return lanes.add(lanes.add(lanes.mul(group, lanes.constant(place.ofGroup)),
                               lanes.mul(inGroup, lanes.constant(place.ofThread))),
                     lanes.constant(place.offset));
  };
  Lanes start = getWarpPlace(lanes, thread, plan.getSumsBytes());
  for (int64_t j = 0; j != getNumB(); ++j)
    for (int64_t i = 0; i != kRegistersC; i += 2) {
      FragmentElement element = getFragmentElement(Fragment::C, 32, i);
      Lanes row = lanes.mul(at(element.row), lanes.constant(plan.getSumsRow()));
      Lanes column = lanes.add(at(element.column), lanes.constant(j * kMmaColumns));
      Lanes place = lanes.mul(lanes.add(row, column), lanes.constant(4));
      ValueRange pair = sums.slice(size_t(j * kRegistersC + i), 2);
      Value vector =
          vector::FromElementsOp::create(b, lanes.loc, VectorType::get({2}, getSumType()), pair);
      LLVM::StoreOp::create(b, lanes.loc, vector, getShared(lanes.add(start, place)),
                            /*alignment=*/8);
    }
}

void MmaTask::finishBlock(int64_t block) {
  int64_t width = plan.schedule.width, ofRow = plan.schedule.getWarpColumns() / width;
  Lanes start = getWarpPlace(lanes, thread, plan.getSumsBytes());
  Lanes above = lanes.add(lanes.add(firstRow, warpRow), lanes.constant(block * kMmaRows));
  Lanes before = lanes.add(firstColumn, warpColumn);
  lanes.loop(lanes.constant(kMmaRows * ofRow / kWarpSize), {}, [&](const Lanes &step, ValueRange) {
    Lanes number = lanes.add(lanes.mul(step, lanes.constant(kWarpSize)), lane);
    Lanes row = lanes.floorDiv(number, ofRow);
    Lanes column = lanes.mul(lanes.mod(number, ofRow), lanes.constant(width));
    Lanes element = lanes.add(lanes.mul(row, lanes.constant(plan.getSumsRow())), column);
    Value place = getShared(lanes.add(start, lanes.mul(element, lanes.constant(4))));
    finishResults(lanes.add(above, row), lanes.add(before, column), place);
    return SmallVector<Value>();
  });
}

/// Those of one row from a column on, if there are such.
void MmaTask::finishResults(const Lanes &row, const Lanes &column, Value place) {
  Value exists = lanes.andMask(lanes.compare(arith::CmpIPredicate::slt, row, sizeM),
                               lanes.compare(arith::CmpIPredicate::slt, column, sizeN));
  lanes.ifThen(exists, {}, [&] {
    LaneBuilder together = lanes.withWidth(plan.schedule.width);
    Value sum = LLVM::LoadOp::create(lanes.b, lanes.loc, together.vectorOf(getSumType()), place,
                                     unsigned(4 * plan.schedule.width));
    if (plan.schedule.getSplits() > 1)
      storeVector(together, getPartSums(part, row, column), sum);
    else
      storeResults(row, column, sum);
    return SmallVector<Value>();
  });
}

void MmaTask::storeResults(const Lanes &row, const Lanes &column, Value sum) {
  const Product &product = plan.shape.product;
  LaneBuilder together = lanes.withWidth(plan.schedule.width);
  SmallVector<Lanes> values(indices);
  Lanes inRange = row, first = together.iota(column);
  inRange.interval = {0, plan.shape.sizeM - 1};
  first.interval = {0, plan.shape.sizeN - 1};
  setIndices(together, kernel, op.getIndices(), product.m, inRange, values);
  setIndices(together, kernel, op.getIndices(), product.n, first, values);
  RegionEmitter region(together, kernel, values, /*mask=*/Value());
  region.storeOutput(op, region.emitEpilogue(op, together.uniform(sum)));
}
