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

#include "weft/Codegen/Common/RowEmitter.h"

using namespace mlir;
using namespace weft;

/// The last of the stored indices, if there is one.
static std::optional<unsigned> getLane(ArrayRef<unsigned> order) {
  return order.empty() ? std::nullopt : std::optional(order.back());
}

namespace {

class MapEmitter : public RowEmitter {
public:
  MapEmitter(MapOp op, const RowSchedule &schedule)
      : MapEmitter(op, schedule, getStoredOrder(op)) {}

private:
  MapEmitter(MapOp op, const RowSchedule &schedule, ArrayRef<unsigned> order)
      : RowEmitter(op, schedule.width, order.drop_back(!order.empty()), getLane(order),
                   schedule.tasks),
        op(op) {}

  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
               Value mask) override {
    RegionEmitter region(lanes, kernel, indices, mask);
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    region.storeOutput(op, region.emit(op.getBody(), inputs)[0]);
  }

  MapOp op;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createMapEmitter(MapOp op, LoweringAttr lowering) {
  return createFor<MapEmitter, RowSchedule>(op, lowering);
}
