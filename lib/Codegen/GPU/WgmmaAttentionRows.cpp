//===- WgmmaAttentionRows.cpp - what attentions by groups of four warps compute with ---------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GroupWalk.h"
#include "QueryPlaces.h"
#include "ResultRows.h"
#include "WgmmaAttentionTask.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------------------------===//

/// By one warp, whose first thread begins them.
void WgmmaAttentionTask::emitCopies() {
  Value isWarp = lanes.compare(arith::CmpIPredicate::eq, block.warp, lanes.constant(0));
  Value isFirst = lanes.compare(arith::CmpIPredicate::eq, lane, lanes.constant(0));
  lanes.ifThen(isWarp, {}, [&] {
    auto forTile = [&](const Lanes &tile, const Lanes &before, ValueRange carried) {
      Walk walk = beginTile({tile, before, asCount(lanes, carried[0])});
      lanes.ifThen(isFirst, {}, [&] {
        emitCopies(walk);
        return Values();
      });
      return Values{walk.getEnd(lanes).value};
    };
    forEachTile(/*copies=*/true, lanes.indexConstant(0), forTile);
    return Values();
  });
}

/// Queries take their place behind the first keys, for which there was room before.
void WgmmaAttentionTask::emitCopies(const Walk &walk) {
  lanes.loop(walk.count, {}, [&](const Lanes &step, ValueRange) {
    Lanes number = lanes.add(walk.tile.keys, step);
    Lanes key = lanes.add(walk.first, lanes.mul(step, lanes.constant(plan.tile.keys)));
    copyTile(keys, plan.keyMap, plan.getPanels(plan.key), maps[0], key, number);
    if (plan.tile.queries)
      lanes.ifThen(lanes.compare(arith::CmpIPredicate::eq, step, lanes.constant(0)), {}, [&] {
        copyQueries(walk.tile.rows);
        return Values();
      });
    copyTile(values, plan.valueMap, plan.getPanels(plan.value), maps[1], key, number);
    return Values();
  });
}

/// The first row of a box, and all other indices; of heads that share keys it has whole queries.
static Lanes setBoxRow(LaneBuilder &lanes, const AttentionRoles &roles, const Lanes &row,
                       SmallVector<Lanes> &indices) {
  if (!roles.group)
    return row;
  indices[*roles.query] = lanes.floorDiv(row, roles.groupSize);
  return indices[*roles.group];
}

/// Rows past the end arrive as zeros.
void WgmmaAttentionTask::copyQueries(const Lanes &number) {
  Value full = queries.beginFill(lanes, memory, number);
  Lanes stage = queries.getStage(lanes, number);
  for (int64_t group = 0; group != kConsumers; ++group) {
    SmallVector<Lanes> indices = outer;
    Lanes row = setBoxRow(lanes, plan.roles,
                          lanes.add(firstRow, lanes.constant(group * kWgmmaRows)), indices);
    for (int64_t panel = 0; panel != plan.getPanels(plan.query); ++panel) {
      int64_t skip = group * plan.getQueryBytes() + panel * kWgmmaRows * kPanelBytes;
      Value place = getSharedPlace(lanes, memory, lanes.add(stage, lanes.constant(skip)));
      plan.queryMap->load(lanes, place, maps[2],
                          lanes.constant(panel * WgmmaAttentionPlan::kPanelElements), row, indices,
                          full);
    }
  }
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

void WgmmaAttentionTask::fetchQueries(const Walk &walk) {
  if (plan.tile.queries)
    queries.waitFull(lanes, memory, walk.tile.rows);
  else
    storeQueries();
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

//===----------------------------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------------------------===//

/// Those of the rows before, while the rows at hand are others.
void WgmmaAttentionTask::storePending(const Pending &pending) {
  Again inResults(*this);
  llvm::SaveAndRestore<Lanes> row(firstRow);
  SmallVector<Lanes> indices = outer;
  Row kept[2] = {rows[0], rows[1]};
  setTile(pending.tile);
  setNumbers();
  if (plan.tile.boxes)
    storeBoxes(pending.state);
  else
    storeResults(pending.state);
  outer = indices;
  std::copy(kept, kept + 2, rows);
}

WarpBoxes WgmmaAttentionTask::getBoxes() {
  Lanes start = lanes.add(lanes.mul(block.warp, lanes.constant(WarpBoxes::kBytes)),
                          lanes.constant(plan.getResultsStart()));
  return WarpBoxes(lanes, kernel, formula, plan.roles.columns, *plan.resultMap, lane,
                   getSharedPlace(lanes, memory, start));
}

/// A box after the other, in pairs of neighbours.
void WgmmaAttentionTask::storeBoxes(const State &state) {
  Total totals[] = {getTotal(0, state), getTotal(1, state)};
  Lanes warpRow = lanes.add(firstRow, lanes.mul(block.warp, lanes.constant(kMmaRows)));
  WarpBoxes boxes = getBoxes();
  SmallVector<Lanes> indices = outer;
  Lanes row = setBoxRow(lanes, plan.roles, warpRow, indices);
  LaneBuilder together = lanes.withWidth(2);
  int64_t columns = plan.resultMap->getPanelElements();
  auto ofBox = size_t(columns / kMmaColumns * kRegistersC);
  size_t numBoxes = llvm::divideCeil(state.sums.size(), ofBox);
  for (size_t box = 0; box != numBoxes; ++box) {
    int64_t tile = boxes.begin(box, numBoxes);
    for (size_t i = box * ofBox; i != std::min((box + 1) * ofBox, state.sums.size()); i += 2) {
      Value pair = vector::FromElementsOp::create(lanes.b, lanes.loc,
                                                  together.vectorOf(lanes.b.getF32Type()),
                                                  ValueRange(state.sums).slice(i, 2));
      if (Value factor = totals[i % kRegistersC / 2].factor)
        pair = arith::MulFOp::create(lanes.b, lanes.loc, pair,
                                     together.materialize(lanes.uniform(factor)));
      auto [inBox, column] = ResultRows::getPosition(lanes, lane, int64_t(i - box * ofBox));
      boxes.storeAt(tile, inBox, column, pair);
    }
    boxes.copy(tile, indices, row, lanes.constant(int64_t(box) * columns),
               maps[plan.tile.queries ? 3 : 2]);
  }
  for (int64_t half : {0, 1})
    if (hasRowSum())
      forExisting(rows[half],
                  [&] { storeRowSum(rows[half], state.largest[size_t(half)], totals[half].sum); });
}
