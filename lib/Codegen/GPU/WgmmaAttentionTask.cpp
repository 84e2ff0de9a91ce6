//===- WgmmaAttentionTask.cpp - the code of attentions by groups of four warps --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WgmmaAttentionTask.h"

#include <numeric>

using namespace mlir;
using namespace weft;

/// Of a thread that copies, and looks at the bounds of rows.
static constexpr uint32_t kCopyRegisters = 56;
/// Elements of values up to which sums are multiplied whether that changes them or not.
static constexpr int64_t kSelectedSums = 128;
/// Numbers of barriers of a block: those that a group meets at, those at which its turn begins.
static constexpr uint32_t kMeetings = 1, kTurns = 3;

void WgmmaAttentionTask::emit(ValueRange given) {
  SmallVector<TileRing> rings = {keys, values};
  if (plan.tile.queries)
    rings.push_back(queries);
  if (plan.isUneven)
    rings.push_back(queue.getRing());
  block = beginBlock(lanes, rings);
  maps = given;
  memory = block.memory;
  thread = block.thread;
  lane = lanes.mod(thread, kWarpSize);
  inGroup = lanes.mod(lane, 4);
  numKeys = getNumKeys();
  splitBlock(lanes, block, kCopyRegisters, [&] { emitCopies(); }, [&] { emitTiles(); });
}

WgmmaAttentionTask::Values WgmmaAttentionTask::forEachTile(bool copies, ValueRange inits,
                                                           TileBody body) {
  if (plan.isUneven)
    return queue.forTiles(lanes, block, copies, getNumTasks(), inits, body);
  return forTiles(lanes, getNumTasks(), inits, body);
}

/// Copies and products go through the same tiles of keys, of which there is one at least: where no
/// row reaches any key, one that lies behind the last key.
WgmmaAttentionTask::Walk WgmmaAttentionTask::beginTile(const RowTile &tile) {
  setTile(tile.number);
  setReachOfAll();
  int64_t size = plan.tile.keys;
  Lanes first = getFirstKey(size), one = lanes.constant(1);
  Lanes count = lanes.ceilDiv(lanes.max(lanes.sub(upper, first), lanes.constant(0)), size);
  if (op.getKeyLower() || op.getKeyUpper()) {
    Lanes behind = lanes.mul(lanes.ceilDiv(numKeys, size), lanes.constant(size));
    Value some = lanes.compare(arith::CmpIPredicate::sgt, count, lanes.constant(0));
    first = lanes.uniform(lanes.select(some, first.value, behind.value),
                          {0, std::max(first.interval.max, behind.interval.max)},
                          std::gcd(first.divisor, behind.divisor));
  }
  count = lanes.max(count, one);
  return {first, count, tile};
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
  Lanes none = lanes.constant(0);
  Value noWeights = makeWord(lanes, 0);
  Pending nothing{none, none, getNoState(), {}};
  nothing.weights.assign(size_t(plan.tile.keys / 4), noWeights);
  auto forTile = [&](const Lanes &tile, const Lanes &before, ValueRange carried) {
    Pending pending = getPending(carried);
    return emitRows({tile, before, pending.keys}, pending).flatten();
  };
  Pending last = getPending(forEachTile(/*copies=*/false, nothing.flatten(), forTile));
  Value some = lanes.compare(arith::CmpIPredicate::sgt, last.keys, none);
  lanes.ifThen(some, {}, [&] {
    emitLast(last);
    return Values();
  });
}

WgmmaAttentionTask::Values WgmmaAttentionTask::Pending::flatten() const {
  Values all = {keys.value, tile.value};
  llvm::append_range(all, weights);
  llvm::append_range(all, state.flatten());
  return all;
}

WgmmaAttentionTask::Pending WgmmaAttentionTask::getPending(ValueRange carried) {
  auto numWeights = size_t(plan.tile.keys / 4);
  Interval tiles{0, std::max<int64_t>(getNumTasks().interval.max - 1, 0)};
  return {asCount(lanes, carried[0]), lanes.uniform(carried[1], tiles),
          State::from(carried.drop_front(2 + numWeights), getNoState().sums.size()),
          Values(carried.slice(2, numWeights))};
}

/// Scores of the first tile of keys, beside the last products of the rows before, then those of
/// each later one beside the products of the one before.
WgmmaAttentionTask::Pending WgmmaAttentionTask::emitRows(const RowTile &tile,
                                                         const Pending &pending) {
  Again inTile(*this);
  Walk walk = beginTile(tile);
  setRows();
  fetchQueries(walk);
  keys.waitFull(lanes, memory, walk.tile.keys);
  Value isNext = lanes.compare(arith::CmpIPredicate::sgt, walk.tile.rows, lanes.constant(0));
  Values begun = lanes.either(
      isNext, [&] { return emitNext(walk, pending); }, [&] { return emitFirst(walk); });
  size_t numWeights = pending.weights.size(), numSums = pending.state.sums.size();
  Values weights(ArrayRef(begun).take_back(numWeights));
  State state = State::from(ValueRange(begun).drop_back(numWeights), numSums);
  state = emitLater(walk, state, weights);
  return {walk.getEnd(lanes), tile.number, state, weights};
}

WgmmaAttentionTask::Values WgmmaAttentionTask::emitFirst(const Walk &walk) {
  fenceRegisters(lanes, {});
  Values scores = waitForProducts(lanes, 0, beginScores(walk, walk.tile.keys));
  endScores(walk, walk.tile.keys, isOnly(walk));
  State state = getNoState();
  Values weights = emitWeights(finishScores(walk.first, scores), state), all = state.flatten();
  llvm::append_range(all, weights);
  return all;
}

/// Scores that read more than queries and keys take registers: before them results are stored.
WgmmaAttentionTask::Values WgmmaAttentionTask::emitNext(const Walk &walk, Pending pending) {
  const Lanes &number = walk.tile.keys;
  Lanes previous = lanes.sub(number, lanes.constant(1));
  previous.interval.min = 0;
  values.waitFull(lanes, memory, previous);
  takeTurn();
  fenceTile(pending.state.sums, pending.weights);
  Values scores = beginScores(walk, number);
  addTile(previous, pending.weights, pending.state);
  giveTurn();
  scores = waitForProducts(lanes, 1, scores);
  endScores(walk, number, isOnly(walk));
  State state = getNoState();
  llvm::SaveAndRestore<size_t> reads(readsAtOnce,
                                     plan.tile.keys > kFewKeys ? kFewReads : readsAtOnce);
  auto emitNextWeights = [&] { return emitRealWeights(finishScores(walk.first, scores), state); };
  Values next = readsMore() ? scores : emitNextWeights();
  waitForTile(pending.state.sums, pending.weights, next);
  releaseStage(lanes, block, values, previous);
  if (readsMore()) {
    storePending(pending);
    scores = next;
    next = asFactor(lanes, emitNextWeights(), plan.element);
  } else {
    next = asFactor(lanes, next, plan.element);
    storePending(pending);
  }
  Values all = state.flatten();
  llvm::append_range(all, next);
  return all;
}

void WgmmaAttentionTask::emitLast(Pending pending) {
  Again behind(*this);
  Lanes last = lanes.sub(pending.keys, lanes.constant(1));
  last.interval.min = 0;
  values.waitFull(lanes, memory, last);
  fenceTile(pending.state.sums, pending.weights);
  addTile(last, pending.weights, pending.state);
  pending.state.sums = waitForProducts(lanes, 0, pending.state.sums);
  storePending(pending);
  if (plan.tile.boxes)
    getBoxes().finish();
}

/// Whether the rows have one tile of keys.
Value WgmmaAttentionTask::isOnly(const Walk &walk) {
  return lanes.compare(arith::CmpIPredicate::eq, walk.count, lanes.constant(1));
}

/// The keys may make way, and the queries if these were the last ones.
void WgmmaAttentionTask::endScores(const Walk &walk, const Lanes &number, Value isLast) {
  releaseStage(lanes, block, keys, number);
  if (plan.tile.queries)
    releaseStage(lanes, block, queries, walk.tile.rows, isLast);
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
    Lanes previous = lanes.add(walk.tile.keys, step), number = lanes.add(previous, one);
    Lanes key = lanes.mul(lanes.add(step, one), lanes.constant(plan.tile.keys));
    keys.waitFull(lanes, memory, number);
    values.waitFull(lanes, memory, previous);
    takeTurn();
    Values held(earlier);
    fenceTile(now.sums, held);
    Values scores = beginScores(walk, number);
    addTile(previous, held, now);
    giveTurn();
    scores = waitForProducts(lanes, 1, scores);
    Value isLast = lanes.compare(arith::CmpIPredicate::eq, lanes.add(step, one), later);
    endScores(walk, number, isLast);
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

WgmmaAttentionTask::Values WgmmaAttentionTask::beginScores(const Walk &walk, const Lanes &number) {
  OpBuilder &b = lanes.b;
  Lanes group = lanes.floorDiv(block.warp, kGroupSize / kWarpSize);
  Lanes place = lanes.mul(group, lanes.constant(plan.getQueryBytes()));
  if (plan.tile.queries)
    place = lanes.add(place, queries.getStage(lanes, walk.tile.rows));
  Value rows = getDescriptor(lanes, memory, place, 0);
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
