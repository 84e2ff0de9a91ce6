//===- ResultRows.cpp - from sums in registers to results in memory -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ResultRows.h"

#include "SharedTile.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/RegionEmitter.h"

using namespace mlir;
using namespace weft;

/// Neighbours of a row are written at once.
void ResultRows::store(const Lanes &lane, ValueRange sums, Value memory) {
  OpBuilder &b = lanes.b;
  Lanes group = lanes.floorDiv(lane, 4), inGroup = lanes.mod(lane, 4);
  auto at = [&](const FragmentPlace &place) {
    return lanes.add(lanes.add(lanes.mul(group, lanes.constant(place.ofGroup)),
                               lanes.mul(inGroup, lanes.constant(place.ofThread))),
                     lanes.constant(place.offset));
  };
  for (int64_t j = 0; j != columns / kMmaColumns; ++j)
    for (int64_t i = 0; i != kRegistersC; i += 2) {
      FragmentElement element = getFragmentElement(Fragment::C, 32, i);
      Lanes row = lanes.mul(at(element.row), lanes.constant(getElements(columns)));
      Lanes column = lanes.add(at(element.column), lanes.constant(j * kMmaColumns));
      Lanes place = lanes.mul(lanes.add(row, column), lanes.constant(4));
      ValueRange pair = sums.slice(size_t(j * kRegistersC + i), 2);
      Value vector = vector::FromElementsOp::create(
          b, lanes.loc, VectorType::get({2}, shape.getSumType(b)), pair);
      LLVM::StoreOp::create(b, lanes.loc, vector, getSharedPlace(lanes, memory, place),
                            /*alignment=*/8);
    }
}

void ResultRows::finish(const Lanes &lane, ArrayRef<Lanes> indices, const Lanes &firstRow,
                        const Lanes &firstColumn, Value memory, Keep keep) {
  int64_t ofRow = columns / width;
  lanes.loop(lanes.constant(kMmaRows * ofRow / kWarpSize), {}, [&](const Lanes &step, ValueRange) {
    Lanes number = lanes.add(lanes.mul(step, lanes.constant(kWarpSize)), lane);
    Lanes row = lanes.floorDiv(number, ofRow);
    Lanes column = lanes.mul(lanes.mod(number, ofRow), lanes.constant(width));
    Lanes element = lanes.add(lanes.mul(row, lanes.constant(getElements(columns))), column);
    Value place = getSharedPlace(lanes, memory, lanes.mul(element, lanes.constant(4)));
    finishAt(indices, lanes.add(firstRow, row), lanes.add(firstColumn, column), place, keep);
    return SmallVector<Value>();
  });
}

/// Those of one row from a column on.
void ResultRows::finishAt(ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                          Value place, Keep keep) {
  const Product &product = shape.product;
  Lanes sizeM = getCount(lanes, kernel, op.getIndices(), product.m);
  Lanes sizeN = getCount(lanes, kernel, op.getIndices(), product.n);
  Value exists = lanes.andMask(lanes.compare(arith::CmpIPredicate::slt, row, sizeM),
                               lanes.compare(arith::CmpIPredicate::slt, column, sizeN));
  lanes.ifThen(exists, {}, [&] {
    LaneBuilder together = lanes.withWidth(width);
    Value sum =
        LLVM::LoadOp::create(lanes.b, lanes.loc, together.vectorOf(shape.getSumType(lanes.b)),
                             place, unsigned(4 * width));
    if (keep)
      keep(row, column, sum);
    else
      storeResults(indices, row, column, sum);
    return SmallVector<Value>();
  });
}

void ResultRows::storeResults(ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                              Value sum) {
  const Product &product = shape.product;
  LaneBuilder together = lanes.withWidth(width);
  SmallVector<Lanes> values(indices);
  Lanes inRange = row, first = together.iota(column);
  inRange.interval = {0, shape.sizeM - 1};
  first.interval = {0, shape.sizeN - 1};
  setIndices(together, kernel, op.getIndices(), product.m, inRange, values);
  setIndices(together, kernel, op.getIndices(), product.n, first, values);
  RegionEmitter region(together, kernel, values, /*mask=*/Value());
  region.storeOutput(op, region.emitEpilogue(op, together.uniform(sum)));
}
