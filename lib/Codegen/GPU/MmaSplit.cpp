//===- MmaSplit.cpp - sums over parts of k of a product of few rows -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaTask.h"

#include "SharedMemory.h"

using namespace mlir;
using namespace weft;

/// Sums of parts lie one behind the other, each as dense matrices.
Value MmaTask::getPartSums(const Lanes &number, const Lanes &row, const Lanes &column) {
  const ChunkedProduct &shape = plan.shape;
  int64_t matrices = getBoundProduct(op.getIndices(), shape.product.batch);
  int64_t rows = std::min(shape.sizeM, kSkinnyRows);
  Value memory = makePassedOn(lanes, plan.schedule.getSplits() * matrices * rows * shape.sizeN * 4);
  Lanes all = getCount(lanes, kernel, op.getIndices(), shape.product.batch);
  Lanes place = lanes.add(lanes.mul(number, all), batch);
  place = lanes.add(lanes.mul(place, sizeM), row);
  place = lanes.add(lanes.mul(place, sizeN), column);
  return addElements(lanes, memory, place);
}

Lanes MmaTask::getNumSums() {
  Lanes matrices = getCount(lanes, kernel, op.getIndices(), plan.shape.product.batch);
  Lanes ofRow = lanes.floorDiv(sizeN, plan.schedule.width);
  return lanes.mul(matrices, lanes.mul(sizeM, ofRow));
}

void MmaTask::addParts(const Lanes &number) {
  Lanes matrices = getCount(lanes, kernel, op.getIndices(), plan.shape.product.batch);
  Lanes ofRow = lanes.floorDiv(sizeN, plan.schedule.width);
  SmallVector<Lanes> place = lanes.delinearize(number, {matrices, sizeM, ofRow});
  batch = place[0];
  setIndices(lanes, kernel, op.getIndices(), plan.shape.product.batch, batch, indices);
  Lanes column = lanes.mul(place[2], lanes.constant(plan.schedule.width));
  LaneBuilder together = lanes.withWidth(plan.schedule.width);
  SmallVector<Value> sums;
  for (int64_t i = 0; i != plan.schedule.getSplits(); ++i)
    sums.push_back(LLVM::LoadOp::create(lanes.b, lanes.loc,
                                        together.vectorOf(plan.shape.getSumType(lanes.b)),
                                        getPartSums(lanes.constant(i), place[1], column),
                                        /*alignment=*/4));
  Value sum = sums[0];
  for (Value more : ArrayRef(sums).drop_front())
    sum = plan.shape.isWhole() ? arith::AddIOp::create(lanes.b, lanes.loc, sum, more).getResult()
                               : arith::AddFOp::create(lanes.b, lanes.loc, sum, more);
  ResultRows(lanes, kernel, op, plan.shape, plan.schedule.getWarpColumns(), plan.schedule.width)
      .storeResults(indices, place[1], column, sum);
}
