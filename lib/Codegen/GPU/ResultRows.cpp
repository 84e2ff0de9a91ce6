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

/// Whether an epilogue reads an element for each result, a residual or a gate.
bool ResultRows::readsElements() {
  FormulaOpInterface formula = op;
  auto reads = [&](AffineMap map, ArrayRef<unsigned> positions) {
    return llvm::any_of(positions, [&](unsigned i) { return map.isFunctionOfDim(i); });
  };
  for (unsigned i = op.getFirstElementInput(); i < op.getInputs().size(); ++i)
    if (reads(formula.getInputMap(i), shape.product.m) &&
        reads(formula.getInputMap(i), shape.product.n))
      return true;
  return false;
}

/// What an epilogue reads of each result comes from far: a thread asks for that of some results
/// before it computes any.
void ResultRows::finish(const Lanes &lane, ArrayRef<Lanes> indices, const Lanes &firstRow,
                        const Lanes &firstColumn, Value memory, Keep keep, RowOf rowOf) {
  int64_t ofRow = columns / width, steps = kMmaRows * ofRow / kWarpSize;
  bool isAhead = ahead > 1 && readsElements();
  int64_t together = isAhead ? std::min(steps, ahead) : 1;
  lanes.loop(lanes.constant(steps / together), {}, [&](const Lanes &step, ValueRange) {
    SmallVector<Part> parts;
    for (int64_t i = 0; i != together; ++i) {
      Lanes before = lanes.add(lanes.mul(step, lanes.constant(together)), lanes.constant(i));
      Lanes number = lanes.add(lanes.mul(before, lanes.constant(kWarpSize)), lane);
      Lanes inRows = lanes.floorDiv(number, ofRow), row = lanes.add(firstRow, inRows);
      Lanes inRow = lanes.mul(lanes.mod(number, ofRow), lanes.constant(width));
      Lanes column = lanes.add(firstColumn, inRow);
      if (rowOf)
        row = rowOf(row);
      Value place = getSharedPlace(lanes, memory, getPlace(inRows, inRow));
      parts.push_back({row, column, place, isAhead ? loadExtras(indices, row, column) : Extras()});
    }
    for (const Part &part : parts)
      finishPart(indices, part, keep);
    return SmallVector<Value>();
  });
}

/// Of the last row and columns, where there are no more.
ResultRows::Extras ResultRows::loadExtras(ArrayRef<Lanes> indices, const Lanes &row,
                                          const Lanes &column) {
  const Product &product = shape.product;
  Lanes lastRow = lanes.sub(getCount(lanes, kernel, op.getIndices(), product.m), lanes.constant(1));
  Lanes lastColumn =
      lanes.sub(getCount(lanes, kernel, op.getIndices(), product.n), lanes.constant(width));
  LaneBuilder together = lanes.withWidth(width);
  return getRegion(together, indices, lanes.min(row, lastRow), lanes.min(column, lastColumn))
      .loadExtras(op);
}

void ResultRows::finishPart(ArrayRef<Lanes> indices, const Part &part, Keep keep) {
  const Product &product = shape.product;
  Lanes sizeM = getCount(lanes, kernel, op.getIndices(), product.m);
  Lanes sizeN = getCount(lanes, kernel, op.getIndices(), product.n);
  Value exists = lanes.andMask(lanes.compare(arith::CmpIPredicate::slt, part.row, sizeM),
                               lanes.compare(arith::CmpIPredicate::slt, part.column, sizeN));
  lanes.ifThen(exists, {}, [&] {
    LaneBuilder together = lanes.withWidth(width);
    Value sum =
        LLVM::LoadOp::create(lanes.b, lanes.loc, together.vectorOf(shape.getSumType(lanes.b)),
                             part.place, unsigned(4 * width));
    if (keep)
      keep(part.row, part.column, sum, part.extras);
    else
      storeResults(indices, part.row, part.column, sum, part.extras);
    return SmallVector<Value>();
  });
}

RegionEmitter ResultRows::getRegion(LaneBuilder &together, ArrayRef<Lanes> indices,
                                    const Lanes &row, const Lanes &column) {
  const Product &product = shape.product;
  SmallVector<Lanes> values(indices);
  Lanes inRange = row, first = together.iota(column);
  inRange.interval = {0, shape.sizeM - 1};
  first.interval = {0, shape.sizeN - 1};
  setIndices(together, kernel, op.getIndices(), product.m, inRange, values);
  setIndices(together, kernel, op.getIndices(), product.n, first, values);
  return RegionEmitter(together, kernel, values, /*mask=*/Value());
}

void ResultRows::compute(ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column, Value sum,
                         const Extras &extras, Use use) {
  LaneBuilder together = lanes.withWidth(width);
  RegionEmitter region = getRegion(together, indices, row, column);
  Lanes sums = together.uniform(sum);
  use(together, region,
      extras.empty() ? region.emitEpilogue(op, sums) : region.emitEpilogue(op, sums, extras));
}

void ResultRows::storeResults(ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                              Value sum, const Extras &extras) {
  compute(indices, row, column, sum, extras,
          [&](LaneBuilder &, RegionEmitter &region, Lanes results) {
            region.storeOutput(op, results);
          });
}

Value ResultRows::computeResults(ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                                 Value sum, const Extras &extras) {
  Value numbers;
  compute(indices, row, column, sum, extras,
          [&](LaneBuilder &together, RegionEmitter &, Lanes results) {
            numbers = together.materialize(results);
          });
  return numbers;
}
