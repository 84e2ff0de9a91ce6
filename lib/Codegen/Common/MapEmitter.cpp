//===- MapEmitter.cpp - element-wise formulas and gathers -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The output is written in the order in which it is stored, in vectors along its last dimension.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Emitters.h"
#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

namespace {

class MapEmitter : public KernelEmitter {
public:
  MapEmitter(MapOp op, const RowSchedule &schedule)
      : op(op), schedule(schedule), order(getStoredOrder(op)),
        rows(op.getIndices(), rowPositions(), schedule.tasks) {}

  bool isParallel() const override { return schedule.tasks.parallel; }

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return rows.getNumTasks(lanes, kernel);
  }

  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) override {
    LaneBuilder lanes = outer.withWidth(schedule.width);
    SmallVector<Lanes> values(op.getIndices().size());
    rows.emit(lanes, kernel, task, values, [&](ArrayRef<Lanes> row) {
      if (order.empty())
        return emitElements(lanes, kernel, row, Value());
      SmallVector<Lanes> indices(row);
      Lanes extent = kernel.getExtent(lanes, laneIndex());
      lanes.laneLoop(lanes.constant(0), extent, {},
                     [&](const Lanes &index, Value mask, ValueRange) {
                       indices[order.back()] = index;
                       emitElements(lanes, kernel, indices, mask);
                       return SmallVector<Value>();
                     });
    });
  }

private:
  ArrayRef<unsigned> rowPositions() {
    return order.empty() ? ArrayRef<unsigned>() : ArrayRef(order).drop_back();
  }
  IndexAttr laneIndex() { return cast<IndexAttr>(op.getIndices()[order.back()]); }

  void emitElements(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices, Value mask) {
    RegionEmitter region(lanes, kernel, indices, mask);
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    Lanes value = region.emit(op.getBody(), inputs)[0];
    region.storeOutput(op, value);
  }

  MapOp op;
  RowSchedule schedule;
  SmallVector<unsigned> order;
  IndexLoops rows;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createMapEmitter(MapOp op, LoweringAttr lowering) {
  return createFor<MapEmitter, RowSchedule>(op, lowering);
}
