//===- RowEmitter.cpp - kernels that are written row by row ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowEmitter.h"

using namespace mlir;
using namespace weft;

RowEmitter::RowEmitter(IndexedOpInterface op, int64_t width, ArrayRef<unsigned> rows,
                       std::optional<unsigned> lane, const RowTasks &tasks,
                       const llvm::DenseMap<unsigned, int64_t> &steps)
    : indices(op.getIndices()), width(width), lane(lane), parallel(tasks.parallel),
      loops(indices, rows, tasks, steps) {}

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
    SmallVector<Lanes> inRow(row);
    lanes.laneLoop(lanes.constant(0), getExtent(lanes, kernel, *lane), {},
                   [&](const Lanes &value, Value mask, ValueRange) {
                     inRow[*lane] = value;
                     emitRow(lanes, kernel, inRow, mask);
                     return SmallVector<Value>();
                   });
  });
}
