//===- WgmmaAttentionTask.cpp - the code of attentions by groups of four warps --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WgmmaAttentionTask.h"

using namespace mlir;
using namespace weft;

/// Of a thread that copies, and looks at the bounds of rows.
static constexpr uint32_t kCopyRegisters = 56;
/// Elements of values up to which sums are multiplied whether that changes them or not.
static constexpr int64_t kSelectedSums = 128;
/// Numbers of barriers of a block: those that a group meets at, those at which its turn begins.
static constexpr uint32_t kMeetings = 1, kTurns = 3;

void WgmmaAttentionTask::emit(ValueRange maps) {
  block = beginBlock(lanes, {keys, values});
  memory = block.memory;
  thread = block.thread;
  lane = lanes.mod(thread, kWarpSize);
  inGroup = lanes.mod(lane, 4);
  numKeys = kernel.getExtent(lanes, keyIndex());
  splitBlock(lanes, block, kCopyRegisters, [&] { emitCopies(maps); }, [&] { emitTiles(); });
}

/// Rows see as many keys as there are before them, but for a window.
void WgmmaAttentionTask::forEachTile(
    llvm::function_ref<Lanes(const TilePlace &place, const Lanes &number)> body) {
  TileGrid grid = getGrid();
  if (op.getKeyUpper() && !op.getKeyLower())
    return forSmallerTiles(lanes, grid, body);
  forTiles(lanes, getNumTasks(), [&](const Lanes &tile, const Lanes &number) {
    return body(getPlace(lanes, grid, tile), number);
  });
}

/// Copies and products go through the same tiles of keys.
WgmmaAttentionTask::Walk WgmmaAttentionTask::beginTile(const TilePlace &place,
                                                       const Lanes &number) {
  setPlace(place);
  setReachOfAll();
  Lanes first = getFirstKey(plan.tile.keys);
  Lanes count =
      lanes.ceilDiv(lanes.max(lanes.sub(upper, first), lanes.constant(0)), plan.tile.keys);
  return {first, count, number};
}

//===----------------------------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------------------------===//

void WgmmaAttentionTask::forGroup(llvm::function_ref<void(uint32_t group)> body) {
  Value isFirst =
      lanes.compare(arith::CmpIPredicate::slt, block.warp, lanes.constant(kGroupSize / kWarpSize));
  lanes.choose(isFirst, [&] { body(0); }, [&] { body(1); });
}

void WgmmaAttentionTask::meetGroup() {
  forGroup([&](uint32_t group) {
    nvx::NamedBarrierOp::create(lanes.b, lanes.loc, kMeetings + group, uint32_t(kGroupSize), false);
  });
}

/// Waits until the other group has begun its products; the first turn is the first group's.
void WgmmaAttentionTask::takeTurn() {
  if (plan.tile.turns)
    forGroup([&](uint32_t group) {
      nvx::NamedBarrierOp::create(lanes.b, lanes.loc, kTurns + group,
                                  uint32_t(kConsumers * kGroupSize), false);
    });
}

void WgmmaAttentionTask::giveTurn() {
  if (plan.tile.turns)
    forGroup([&](uint32_t group) {
      nvx::NamedBarrierOp::create(lanes.b, lanes.loc, kTurns + 1 - group,
                                  uint32_t(kConsumers * kGroupSize), true);
    });
}

//===----------------------------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------------------------===//

void WgmmaAttentionTask::emitTiles() {
  if (plan.tile.turns)
    forGroup([&](uint32_t group) {
      if (group == 1)
        nvx::NamedBarrierOp::create(lanes.b, lanes.loc, kTurns, uint32_t(kConsumers * kGroupSize),
                                    true);
    });
  forEachTile([&](const TilePlace &place, const Lanes &before) {
    Again inTile(*this);
    Walk walk = beginTile(place, before);
    setRows();
    storeQueries();
    State none = getNoState();
    Value some = lanes.compare(arith::CmpIPredicate::sgt, walk.count, lanes.constant(0));
    Values found = lanes.ifThen(some, none.flatten(), [&] { return emitWalk(walk).flatten(); });
    Again behind(*this);
    setNumbers();
    storeResults(State::from(found, none.sums.size()));
    return lanes.add(walk.number, walk.count);
  });
}

/// Scores of the first tile, then those of each later one together with the results of the one
/// before, at last the results of the last one.
WgmmaAttentionTask::State WgmmaAttentionTask::emitWalk(const Walk &walk) {
  State state = getNoState();
  keys.waitFull(lanes, memory, walk.number);
  fenceRegisters(lanes, {});
  Values scores = waitForProducts(lanes, 0, beginScores(walk.number));
  releaseStage(lanes, block, keys, walk.number);
  Values weights = emitWeights(finishScores(walk.first, scores), state);
  state = emitLater(walk, state, weights);
  Lanes last = lanes.add(walk.number, lanes.sub(walk.count, lanes.constant(1)));
  values.waitFull(lanes, memory, last);
  fenceTile(state.sums, weights);
  addTile(last, weights, state);
  state.sums = waitForProducts(lanes, 0, state.sums);
  releaseStage(lanes, block, values, last);
  return state;
}

/// Until the products are done the weights that they read must stay. Those of the next tile are
/// made before, or ptxas has most of them wait, too.
void WgmmaAttentionTask::waitForTile(Values &sums, ValueRange held, Values &next) {
  Values all = sums;
  llvm::append_range(all, next);
  llvm::append_range(all, held);
  all = waitForProducts(lanes, 0, all);
  sums.assign(all.begin(), all.begin() + long(sums.size()));
  next.assign(all.begin() + long(sums.size()), all.end() - long(held.size()));
}

/// The weights are those of the tile before, and become those of the last one.
WgmmaAttentionTask::State WgmmaAttentionTask::emitLater(const Walk &walk, const State &state,
                                                        Values &weights) {
  size_t numSums = state.sums.size(), numWeights = weights.size();
  Values inits = state.flatten();
  llvm::append_range(inits, weights);
  Lanes one = lanes.constant(1);
  Lanes later = lanes.sub(walk.count, one);
  Values carried = lanes.loop(later, inits, [&](const Lanes &step, ValueRange before) {
    Again inStep(*this);
    State now = State::from(before.drop_back(numWeights), numSums);
    ValueRange earlier = before.take_back(numWeights);
    Lanes previous = lanes.add(walk.number, step), number = lanes.add(previous, one);
    Lanes key = lanes.mul(lanes.add(step, one), lanes.constant(plan.tile.keys));
    keys.waitFull(lanes, memory, number);
    values.waitFull(lanes, memory, previous);
    takeTurn();
    Values held(earlier);
    fenceTile(now.sums, held);
    Values scores = beginScores(number);
    addTile(previous, held, now);
    giveTurn();
    scores = waitForProducts(lanes, 1, scores);
    releaseStage(lanes, block, keys, number);
    Values next = emitRealWeights(finishScores(lanes.add(walk.first, key), scores), now);
    waitForTile(now.sums, held, next);
    next = asFactor(lanes, next, plan.element);
    releaseStage(lanes, block, values, previous);
    // A branch is worth it for many sums.
    if (plan.value.size > kSelectedSums)
      rescaleChanged(now);
    else
      rescale(now);
    Values all = now.flatten();
    llvm::append_range(all, next);
    return all;
  });
  weights.assign(carried.end() - long(numWeights), carried.end());
  return State::from(ValueRange(carried).drop_back(numWeights), numSums);
}

WgmmaAttentionTask::Values WgmmaAttentionTask::beginScores(const Lanes &number) {
  OpBuilder &b = lanes.b;
  Lanes group = lanes.floorDiv(block.warp, kGroupSize / kWarpSize);
  Value rows =
      getDescriptor(lanes, memory, lanes.mul(group, lanes.constant(plan.getQueryBytes())), 0);
  Value columns = getDescriptor(lanes, memory, keys.getStage(lanes, number), 0);
  Value unknown = LLVM::UndefOp::create(b, lanes.loc, b.getF32Type());
  Values scores(size_t(plan.tile.keys / 2), unknown);
  constexpr int64_t ofPanel = kPanelBytes / 32;
  for (int64_t step = 0; step != plan.getSteps(); ++step) {
    int64_t panel = step / ofPanel, skip = step % ofPanel * 32;
    Value a = skipTo(lanes, rows, panel * kWgmmaRows * kPanelBytes + skip);
    Value c = skipTo(lanes, columns, panel * plan.getTilePanel() + skip);
    auto product = nvx::WgmmaOp::create(b, lanes.loc, ValueRange(scores).getTypes(), plan.element,
                                        a, c, scores, /*trans=*/false, /*only=*/step == 0);
    scores.assign(product.getResults().begin(), product.getResults().end());
  }
  nvx::WgmmaCommitOp::create(b, lanes.loc);
  return scores;
}

/// Before the products of a tile are begun.
void WgmmaAttentionTask::fenceTile(Values &sums, Values &weights) {
  Values all = sums;
  llvm::append_range(all, weights);
  all = fenceRegisters(lanes, all);
  sums.assign(all.begin(), all.begin() + long(sums.size()));
  weights.assign(all.begin() + long(sums.size()), all.end());
}

/// Begins to add the weighted values of a tile to the sums.
void WgmmaAttentionTask::addTile(const Lanes &number, ValueRange weights, State &state) {
  OpBuilder &b = lanes.b;
  Value columns = getDescriptor(lanes, memory, values.getStage(lanes, number), plan.getTilePanel());
  int64_t depth = getMmaDepth(16);
  for (int64_t step = 0; step != plan.tile.keys / depth; ++step) {
    Value c = skipTo(lanes, columns, step * depth * kPanelBytes);
    auto product =
        nvx::WgmmaOp::create(b, lanes.loc, ValueRange(state.sums).getTypes(), plan.element,
                             weights.slice(size_t(step * kRegistersA), kRegistersA), c, state.sums,
                             /*trans=*/true, /*only=*/false);
    state.sums.assign(product.getResults().begin(), product.getResults().end());
  }
  nvx::WgmmaCommitOp::create(b, lanes.loc);
}
