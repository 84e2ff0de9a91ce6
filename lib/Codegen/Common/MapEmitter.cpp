//===- MapEmitter.cpp - element-wise formulas and gathers -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The output is written in the order in which it is stored, in vectors along its last dimension; of
// a tile of rows a vector of each row in turn.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/MapSchedule.h"
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
  MapEmitter(MapOp op, const MapSchedule &schedule)
      : MapEmitter(op, schedule, getStoredOrder(op)) {}

private:
  MapEmitter(MapOp op, const MapSchedule &schedule, ArrayRef<unsigned> order)
      : RowEmitter(op, schedule.width, order.drop_back(!order.empty()), getLane(order),
                   schedule.tasks, getSteps(order, schedule.tile)),
        op(op), tile(schedule.tile.value_or(1)) {
    if (tile > 1)
      stepped = order[order.size() - 2];
  }

  static llvm::DenseMap<unsigned, int64_t> getSteps(ArrayRef<unsigned> order,
                                                    std::optional<int64_t> tile) {
    llvm::DenseMap<unsigned, int64_t> steps;
    if (tile)
      steps[order[order.size() - 2]] = *tile;
    return steps;
  }

  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
               Value mask) override {
    if (tile == 1)
      return emitVector(lanes, kernel, indices, mask);
    Lanes first = indices[stepped], extent = getExtent(lanes, kernel, stepped);
    Interval range{0, cast<IndexAttr>(op.getIndices()[stepped]).getSize() - 1};
    SmallVector<Lanes> row(indices);
    auto emitWhole = [&] {
      for (int64_t i = 0; i != tile; ++i) {
        row[stepped] = lanes.add(first, lanes.constant(i));
        row[stepped].interval = range;
        emitVector(lanes, kernel, row, mask);
      }
    };
    auto emitRest = [&] {
      lanes.loop(first.value, extent.value, 1, {}, [&](Value iv, ValueRange) {
        row[stepped] = lanes.uniform(iv, range);
        emitVector(lanes, kernel, row, mask);
        return SmallVector<Value>();
      });
    };
    lanes.chooseWhole(first, tile, extent, emitWhole, emitRest);
  }

  void emitVector(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices, Value mask) {
    RegionEmitter region(lanes, kernel, indices, mask);
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    region.storeOutput(op, region.emit(op.getBody(), inputs)[0]);
  }

  MapOp op;
  int64_t tile;
  unsigned stepped = 0; ///< the index of the rows of a tile
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createMapEmitter(MapOp op, LoweringAttr lowering) {
  return createFor<MapEmitter, MapSchedule>(op, lowering);
}
