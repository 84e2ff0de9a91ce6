//===- WgmmaAttentionRows.cpp - what attentions by groups of four warps compute with ---------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GroupWalk.h"
#include "QueryPlaces.h"
#include "WgmmaAttentionTask.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------------------------===//

/// By one warp, whose first thread begins them.
void WgmmaAttentionTask::emitCopies(ValueRange maps) {
  Value isWarp = lanes.compare(arith::CmpIPredicate::eq, block.warp, lanes.constant(0));
  lanes.ifThen(isWarp, {}, [&] {
    forEachTile([&](const TilePlace &place, const Lanes &before) {
      Walk walk = beginTile(place, before);
      Value isFirst = lanes.compare(arith::CmpIPredicate::eq, lane, lanes.constant(0));
      lanes.ifThen(isFirst, {}, [&] {
        lanes.loop(walk.count, {}, [&](const Lanes &step, ValueRange) {
          Lanes number = lanes.add(walk.number, step);
          Lanes key = lanes.add(walk.first, lanes.mul(step, lanes.constant(plan.tile.keys)));
          copyTile(keys, plan.keyMap, plan.getPanels(plan.key), maps[0], key, number);
          copyTile(values, plan.valueMap, plan.getPanels(plan.value), maps[1], key, number);
          return Values();
        });
        return Values();
      });
      return lanes.add(walk.number, walk.count);
    });
    return Values();
  });
}

/// Keys past the end, and columns that heads lack, arrive as zeros.
void WgmmaAttentionTask::copyTile(const TileRing &ring, const MappedTensor &input, int64_t panels,
                                  Value map, const Lanes &key, const Lanes &number) {
  Value full = ring.beginFill(lanes, memory, number);
  Lanes stage = ring.getStage(lanes, number);
  for (int64_t panel = 0; panel != panels; ++panel) {
    Lanes place = lanes.add(stage, lanes.constant(panel * plan.getTilePanel()));
    input.load(lanes, getSharedPlace(lanes, memory, place), map,
               lanes.constant(panel * WgmmaAttentionPlan::kPanelElements), key, outer, full);
  }
}

//===----------------------------------------------------------------------------------------===//
// Rows and queries
//===----------------------------------------------------------------------------------------===//

/// Each warp looks at all rows of the tile, a few by each thread.
void WgmmaAttentionTask::setReachOfAll() {
  lower = lanes.constant(0);
  upper = numKeys;
  if (!op.getKeyLower() && !op.getKeyUpper())
    return;
  Reach reach;
  for (int64_t i = 0; i != MmaAttentionSchedule::kRows; i += kWarpSize) {
    Row row;
    row.indices = getRowIndices(lanes.add(lanes.add(firstRow, lane), lanes.constant(i)));
    setBounds(row);
    addReach(row, reach);
  }
  lower = overLanes(reach.lower, ReduceKind::Min);
  upper = overLanes(reach.upper, ReduceKind::Max);
}

WgmmaAttentionTask::Again::Again(WgmmaAttentionTask &task)
    : lane(task.lane), inGroup(task.inGroup), warp(task.block.warp) {
  LaneBuilder &lanes = task.lanes;
  for (Lanes *number : {&task.lane, &task.block.warp})
    *number = makeOpaque(lanes, *number);
  task.inGroup = lanes.mod(task.lane, 4);
}

void WgmmaAttentionTask::setNumbers() {
  Lanes first = lanes.add(firstRow, lanes.mul(block.warp, lanes.constant(kMmaRows)));
  first = lanes.add(first, lanes.floorDiv(lane, 4));
  for (auto [half, row] : llvm::enumerate(rows)) {
    row.number = lanes.add(first, lanes.constant(int64_t(half) * 8));
    row.indices = getRowIndices(row.number);
  }
}

void WgmmaAttentionTask::setRows() {
  setNumbers();
  for (Row &row : rows)
    setBounds(row);
  setReachOfWarp();
}

/// The thread's part, pairs of elements, to where copies of boxes would have put them. Nobody reads
/// the queries of the tile before: a thread has waited for the products of its whole group.
void WgmmaAttentionTask::storeQueries() {
  int64_t depth = getMmaDepth(16);
  QueryPlaces places(lanes, block.warp, lane, plan.getQueryBytes());
  for (int64_t first = 0; first != plan.query.getPadded(); first += depth)
    for (int64_t i = 0; i != kRegistersA; ++i) {
      FragmentElement place = getFragmentElement(Fragment::A, 16, 2 * i);
      Lanes inStep = lanes.mul(inGroup, lanes.constant(place.column.ofThread));
      Lanes element = lanes.add(inStep, lanes.constant(first + place.column.offset));
      Value pair =
          loadQueryWord(rows[place.row.offset / 8], element, first + depth <= plan.query.size);
      Value target = getSharedPlace(lanes, memory, places.get(first, i));
      LLVM::StoreOp::create(lanes.b, lanes.loc, pair, target, /*alignment=*/4);
    }
  nvx::AsyncFenceOp::create(lanes.b, lanes.loc);
  meetGroup();
}
