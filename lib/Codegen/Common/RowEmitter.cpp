//===- RowEmitter.cpp - kernels that are written row by row ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowEmitter.h"

using namespace mlir;
using namespace weft;

/// The loops over rows, and over vectors if the tasks are of these.
static IndexLoops makeLoops(ArrayAttr indices, ArrayRef<unsigned> rows, int64_t width,
                            std::optional<unsigned> lane, const RowTasks &tasks,
                            llvm::DenseMap<unsigned, int64_t> steps) {
  SmallVector<unsigned> positions(rows);
  if (tasks.vectors) {
    positions.push_back(*lane);
    steps[*lane] = width;
  }
  return IndexLoops(indices, positions, tasks, steps);
}

RowEmitter::RowEmitter(IndexedOpInterface op, int64_t width, ArrayRef<unsigned> rows,
                       std::optional<unsigned> lane, const RowTasks &tasks,
                       const llvm::DenseMap<unsigned, int64_t> &steps)
    : indices(op.getIndices()), width(width), lane(lane), parallel(tasks.parallel),
      cut(tasks.vectors.has_value()), loops(makeLoops(indices, rows, width, lane, tasks, steps)) {}

Lanes RowEmitter::getNumTasks(LaneBuilder &lanes, const Kernel &kernel) {
  return loops.getNumTasks(lanes, kernel);
}

Lanes RowEmitter::getExtent(LaneBuilder &lanes, const Kernel &kernel, unsigned position) const {
  return kernel.getExtent(lanes, cast<IndexAttr>(indices[position]));
}

void RowEmitter::emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) {
  LaneBuilder lanes = outer.withWidth(width);
  SmallVector<Lanes> values(indices.size());
  loops.emit(lanes, kernel, task, values, [&](ArrayRef<Lanes> row) {
    if (!lane)
      return emitRow(lanes, kernel, row, Value());
    if (cut)
      return emitVector(lanes, kernel, llvm::to_vector(row));
    SmallVector<Lanes> inRow(row);
    lanes.laneLoop(lanes.constant(0), getExtent(lanes, kernel, *lane), {},
                   [&](const Lanes &value, Value mask, ValueRange) {
                     inRow[*lane] = value;
                     emitRow(lanes, kernel, inRow, mask);
                     return SmallVector<Value>();
                   });
  });
}

void RowEmitter::emitVector(LaneBuilder &lanes, const Kernel &kernel, SmallVector<Lanes> values) {
  Lanes &index = values[*lane];
  Lanes extent = getExtent(lanes, kernel, *lane);
  std::optional<int64_t> size = extent.getConstant();
  bool isWhole = width == 1 || (size && *size % width == 0);
  Value mask = isWhole ? Value() : lanes.maskBelow(index.value, extent.value);
  index = lanes.iota(index);
  index.interval = {0, cast<IndexAttr>(indices[*lane]).getSize() - 1};
  emitRow(lanes, kernel, values, mask);
}
