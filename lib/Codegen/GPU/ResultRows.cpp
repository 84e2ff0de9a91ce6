//===- ResultRows.cpp - from sums in registers to results in memory -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ResultRows.h"

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

/// Of a sum in shared memory, in bytes.
Lanes ResultRows::getPlace(const Lanes &row, const Lanes &column) {
  constexpr int64_t ofChunk = kChunkBytes / 4;
  if (!tile) {
    Lanes start = lanes.mul(row, lanes.constant(getElements(columns)));
    return lanes.mul(lanes.add(start, column), lanes.constant(4));
  }
  Lanes inChunk = lanes.mul(lanes.mod(column, ofChunk), lanes.constant(4));
  return lanes.add(tile->getPlace(lanes, row, lanes.floorDiv(column, ofChunk)), inChunk);
}

std::pair<Lanes, Lanes> ResultRows::getPosition(LaneBuilder &lanes, const Lanes &lane,
                                                int64_t number) {
  Lanes group = lanes.floorDiv(lane, 4), inGroup = lanes.mod(lane, 4);
  auto at = [&](const FragmentPlace &place) {
    return lanes.add(lanes.add(lanes.mul(group, lanes.constant(place.ofGroup)),
                               lanes.mul(inGroup, lanes.constant(place.ofThread))),
                     lanes.constant(place.offset));
  };
  FragmentElement element = getFragmentElement(Fragment::C, 32, number % kRegistersC);
  Lanes matrix = lanes.constant(number / kRegistersC * kMmaColumns);
  return {at(element.row), lanes.add(at(element.column), matrix)};
}

/// Neighbours of a row are written at once.
void ResultRows::store(const Lanes &lane, ValueRange sums, Value memory) {
  OpBuilder &b = lanes.b;
  for (int64_t i = 0; i != columns / kMmaColumns * kRegistersC; i += 2) {
    auto [row, column] = getPosition(lanes, lane, i);
    Value vector = vector::FromElementsOp::create(
        b, lanes.loc, VectorType::get({2}, shape.getSumType(b)), sums.slice(size_t(i), 2));
    LLVM::StoreOp::create(b, lanes.loc, vector,
                          getSharedPlace(lanes, memory, getPlace(row, column)),
                          /*alignment=*/8);
  }
}

void ResultRows::finish(const Lanes &lane, ArrayRef<Lanes> indices, const Lanes &firstRow,
                        const Lanes &firstColumn, Value memory, Keep keep, RowOf rowOf) {
  int64_t ofRow = columns / width;
  lanes.loop(lanes.constant(kMmaRows * ofRow / kWarpSize), {}, [&](const Lanes &step, ValueRange) {
    Lanes number = lanes.add(lanes.mul(step, lanes.constant(kWarpSize)), lane);
    Lanes row = lanes.floorDiv(number, ofRow);
    Lanes column = lanes.mul(lanes.mod(number, ofRow), lanes.constant(width));
    Value place = getSharedPlace(lanes, memory, getPlace(row, column));
    Lanes ofProduct = lanes.add(firstRow, row);
    if (rowOf)
      ofProduct = rowOf(ofProduct);
    finishAt(indices, ofProduct, lanes.add(firstColumn, column), place, keep);
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

void ResultRows::compute(ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column, Value sum,
                         Use use) {
  const Product &product = shape.product;
  LaneBuilder together = lanes.withWidth(width);
  SmallVector<Lanes> values(indices);
  Lanes inRange = row, first = together.iota(column);
  inRange.interval = {0, shape.sizeM - 1};
  first.interval = {0, shape.sizeN - 1};
  setIndices(together, kernel, op.getIndices(), product.m, inRange, values);
  setIndices(together, kernel, op.getIndices(), product.n, first, values);
  RegionEmitter region(together, kernel, values, /*mask=*/Value());
  use(together, region, region.emitEpilogue(op, together.uniform(sum)));
}

void ResultRows::storeResults(ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                              Value sum) {
  compute(indices, row, column, sum, [&](LaneBuilder &, RegionEmitter &region, Lanes results) {
    region.storeOutput(op, results);
  });
}

Value ResultRows::computeResults(ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                                 Value sum) {
  Value numbers;
  compute(indices, row, column, sum, [&](LaneBuilder &together, RegionEmitter &, Lanes results) {
    numbers = together.materialize(results);
  });
  return numbers;
}
