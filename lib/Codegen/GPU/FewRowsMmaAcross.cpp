//===- FewRowsMmaAcross.cpp - weights whose columns lie side by side ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Eight threads of four have neighbouring columns each, 4 to 16 bytes of eight k. Two k of a column
// become one register, so the thread then has of each of its columns what it would have read of a
// row (FewRowsMmaTask.cpp). Its column number j is row g of a matrix of A, the next one row g + 8.
//
//===----------------------------------------------------------------------------------------===//

#include "FewRowsMma.h"

#include "SharedTile.h"

using namespace mlir;
using namespace weft;

/// Columns behind the last one are read as the last ones, and not stored: N is a multiple of eight.
void FewRowsMmaTask::setPointersAcross() {
  const RowFactor &factor = plan.shape.columns;
  int64_t width = plan.getOwnColumns();
  Lanes own = lanes.mul(lanes.floorDiv(lane, 4), lanes.constant(width));
  Lanes existing =
      lanes.min(lanes.add(getWarpColumn(), own), lanes.sub(sizeN, lanes.constant(width)));
  Value start =
      factor.getPointers(lanes, kernel, indices, existing, 1, {0, plan.shape.sizeN - 1})[0];
  Lanes ownK = lanes.mul(lanes.mod(lane, 4), lanes.constant(kChunk));
  Lanes before = lanes.mul(ownK, factor.getRunStride(lanes, kernel));
  columns.push_back(getElementPointer(lanes, start, plan.shape.element, before.value));
}

/// The thread's columns of each of its k.
SmallVector<FewRowsMmaTask::Values> FewRowsMmaTask::loadAcross(const Turn &turn, int64_t step) {
  auto [k, exists] = getOwnK(turn, step);
  Lanes stride = plan.shape.columns.getRunStride(lanes, kernel);
  Type element = plan.shape.element;
  Value first = getElementPointer(lanes, columns[0], element, lanes.mul(k, stride).value);
  SmallVector<Values> ofValues;
  for (int64_t i = 0; i != kChunk; ++i) {
    Lanes behind = lanes.mul(stride, lanes.constant(i));
    Value place = getElementPointer(lanes, first, element, behind.value);
    ofValues.push_back(loadWords(lanes, place, plan.getOwnColumns() / 2, exists));
  }
  return ofValues;
}

/// Of each column its eight k, in pairs.
SmallVector<FewRowsMmaTask::Values> FewRowsMmaTask::turnAcross(ArrayRef<Values> ofValues) {
  SmallVector<Values> ofColumns;
  for (size_t i = 0, count = size_t(plan.getOwnColumns()); i != count; ++i) {
    Values &pairs = ofColumns.emplace_back();
    for (size_t k = 0; k != ofValues.size(); k += 2)
      pairs.push_back(takeHalves(lanes, ofValues[k][i / 2], ofValues[k + 1][i / 2],
                                 /*upper=*/i % 2 != 0));
  }
  return ofColumns;
}

/// Which row of the matrices of a warp one of its columns is.
Lanes FewRowsMmaTask::getMatrixRow(const Lanes &column) {
  if (!plan.shape.transposed)
    return column;
  int64_t width = plan.getOwnColumns();
  Lanes number = lanes.mul(lanes.mod(column, width), lanes.constant(kMmaRows / 2));
  return lanes.add(number, lanes.floorDiv(column, width));
}
