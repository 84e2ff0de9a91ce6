//===- MmaAttentionTask.cpp - the code of one block of rows of an attention ----------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaAttentionTask.h"

#include "SharedMemory.h"

#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include <numeric>

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------------------------===//

Lanes MmaAttentionTask::getNumRows() { return sharing.getCount(); }

Lanes MmaAttentionTask::getNumBlocks() {
  return lanes.ceilDiv(getNumRows(), MmaAttentionSchedule::kRows);
}

Lanes MmaAttentionTask::getNumTasks() {
  Lanes total = getNumBlocks();
  for (const Lanes &extent : sharing.getOuterExtents())
    total = lanes.mul(total, extent);
  return total;
}

/// Of the second cache, for the keys and values that blocks read at the same time: of an H200,
/// whose cache has 50 MB in two halves, measured. Tiles that have less and less to do need more
/// heads to keep all processors busy to the end of a group.
static constexpr int64_t kSharedBytes = 4 << 20, kSharedUneven = 16 << 20;

/// Some heads are done before those whose keys the second cache would have to hold beside theirs.
TileGrid MmaAttentionTask::getGrid() {
  Lanes heads = lanes.constant(1);
  for (const Lanes &extent : sharing.getOuterExtents())
    heads = lanes.mul(heads, extent);
  int64_t ofHead = keyIndex().getSize() * (plan.key.size + plan.value.size) * plan.getBytes();
  int64_t bytes = plan.isUneven ? kSharedUneven : kSharedBytes;
  return {getNumBlocks(), heads, std::max<int64_t>(bytes / std::max<int64_t>(ofHead, 1), 1)};
}

/// Blocks of later rows are begun first: where keys are bounded, they have the most.
void MmaAttentionTask::setPlace(const TilePlace &place) {
  Lanes last = lanes.sub(getNumBlocks(), lanes.constant(1));
  firstRow = lanes.mul(lanes.sub(last, place.outer), lanes.constant(MmaAttentionSchedule::kRows));
  outer = sharing.getOuterIndices(lanes.delinearize(place.inner, sharing.getOuterExtents()));
}

SmallVector<Lanes> MmaAttentionTask::getRowIndices(const Lanes &row) {
  return sharing.getIndices(outer, row);
}

void MmaAttentionTask::emit(const Lanes &task) {
  thread = getThread(lanes);
  lane = lanes.mod(thread, kWarpSize);
  inGroup = lanes.mod(lane, 4);
  auto type = LLVM::LLVMArrayType::get(lanes.b.getI8Type(), unsigned(plan.getSharedBytes()));
  memory = makeShared(lanes, type, "tiles", /*alignment=*/128);
  numKeys = kernel.getExtent(lanes, keyIndex());
  setPlace(getPlace(lanes, getGrid(), task));
  Lanes warpRow = lanes.mul(lanes.floorDiv(thread, kWarpSize), lanes.constant(kMmaRows));
  Lanes first = lanes.add(lanes.add(firstRow, warpRow), lanes.floorDiv(lane, 4));
  for (auto [half, row] : llvm::enumerate(rows)) {
    row.number = lanes.add(first, lanes.constant(int64_t(half) * 8));
    row.indices = getRowIndices(row.number);
    setBounds(row);
  }
  setReach();
  storeResults(emitLoop(loadQueries()));
}

//===----------------------------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------------------------===//

MmaAttentionTask::Values MmaAttentionTask::State::flatten() const {
  Values all(sums);
  llvm::append_range(all, largest);
  llvm::append_range(all, totals);
  return all;
}

MmaAttentionTask::State MmaAttentionTask::State::from(ValueRange carried, size_t numSums) {
  size_t numRows = (carried.size() - numSums) / 2;
  return {Values(carried.take_front(numSums)),
          Values(carried.slice(numSums, numRows)),
          Values(carried.take_back(numRows)),
          {},
          false};
}

MmaAttentionTask::State MmaAttentionTask::getNoState() {
  auto numSums = size_t(plan.getNumSums() * kRegistersC);
  State none{Values(numSums, lanes.floatConstant(0)), {}, {}, {}, true};
  if (hasTotals()) {
    none.largest.assign(2, lanes.floatConstant(kLowest));
    none.totals.assign(2, lanes.floatConstant(0));
  }
  return none;
}

MmaAttentionTask::State MmaAttentionTask::emitLoop(ValueRange queries) {
  State none = getNoState();
  size_t numSums = none.sums.size();
  int64_t keys = plan.schedule.keys;
  Lanes first = getFirstKey(keys);
  beginCopies(plan.key, first);
  Interval interval{0, keyIndex().getSize() - 1};
  Values carried =
      lanes.loop(first.value, upper.value, keys, none.flatten(), [&](Value iv, ValueRange before) {
        Lanes tile = lanes.uniform(iv, interval, std::gcd(first.divisor, keys));
        State state = State::from(before, numSums);
        return emitTile(tile, queries, std::move(state)).flatten();
      });
  // The keys behind the last tile, none of which exists.
  nvx::CpAsyncWaitOp::create(lanes.b, lanes.loc, 0u);
  return State::from(carried, numSums);
}

MmaAttentionTask::State MmaAttentionTask::emitTile(const Lanes &tile, ValueRange queries,
                                                   State state) {
  auto meet = [&] {
    nvx::CpAsyncWaitOp::create(lanes.b, lanes.loc, 0u);
    nvx::BarrierOp::create(lanes.b, lanes.loc);
  };
  meet(); // all keys are here, and nobody reads the values of the tile before
  beginCopies(plan.value, tile);
  Values scores = emitScores(queries);
  meet(); // all values are here, and nobody reads the keys
  beginCopies(plan.key, lanes.add(tile, lanes.constant(plan.schedule.keys)));
  Values weights = emitWeights(finishScores(tile, scores), state);
  rescale(state);
  addValues(weights, state);
  return state;
}

/// Where the small matrix number `i` of a row of them is.
static MutableArrayRef<Value> getPart(SmallVectorImpl<Value> &values, int64_t i) {
  return MutableArrayRef(values).slice(size_t(i * kRegistersC), kRegistersC);
}

/// Queries that are read again are read by a loop, or all of them would be on their way at once.
/// Its steps are as many as change the places of chunks.
MmaAttentionTask::Values MmaAttentionTask::emitScores(ValueRange queries) {
  Values scores(size_t(plan.getNumScores() * kRegistersC), lanes.floatConstant(0));
  int64_t together = SharedTile::kBankChunks * plan.getOfChunk() / plan.getDepth();
  int64_t groups = plan.getFirstHeld() / together;
  if (groups * together * plan.getDepth() > plan.query.size)
    --groups; // elements behind the end are zeros
  if (groups > 0)
    scores = lanes.loop(lanes.constant(groups), scores, [&](const Lanes &group, ValueRange before) {
      Values next(before);
      Lanes skip = lanes.mul(group, lanes.constant(together * plan.getDepth()));
      for (int64_t step = 0; step != together; ++step)
        addScores(step, skip, loadStep(step, skip), next);
      return next;
    });
  Lanes none = lanes.constant(0);
  for (int64_t step = std::max<int64_t>(groups, 0) * together; step != plan.getSteps(); ++step)
    addScores(step, none, getQueries(queries, step), scores);
  return scores;
}

/// Of the step that is `skip` elements behind the one of that number, whose queries are `a`.
void MmaAttentionTask::addScores(int64_t step, const Lanes &skip, ValueRange a, Values &scores) {
  SharedTile tile = plan.getKeyTile();
  Lanes place = tile.getPlaceB(lanes, lane, step * plan.getDepth() / plan.getOfChunk());
  place = lanes.add(place, lanes.mul(skip, lanes.constant(plan.getBytes())));
  for (int64_t i = 0; i != plan.getNumScores(); i += 2) {
    Lanes row = lanes.add(place, lanes.constant(tile.getRowsBytes(i * kMmaColumns)));
    Values b = loadMatrices(lanes, memory, row, /*transposed=*/false);
    if (plan.isWide()) {
      addWide(a, ArrayRef(b).take_front(2), getPart(scores, i));
      addWide(a, ArrayRef(b).take_back(2), getPart(scores, i + 1));
      continue;
    }
    addProduct(lanes, plan.element, a, ArrayRef(b).take_front(2), getPart(scores, i));
    addProduct(lanes, plan.element, a, ArrayRef(b).take_back(2), getPart(scores, i + 1));
  }
}

/// Two neighbouring matrices of scores, their weights in pairs, are one of A.
void MmaAttentionTask::addValues(ValueRange weights, State &state) {
  SharedTile tile = plan.getValueTile();
  int64_t depth = plan.getDepth();
  Lanes start = lanes.constant(plan.getValuesStart());
  for (int64_t step = 0; step != plan.schedule.keys / depth; ++step) {
    ValueRange a = weights.slice(size_t(step * kRegistersA), kRegistersA);
    for (int64_t i = 0; plan.isWide() && i != plan.getNumSums(); ++i)
      addWide(a, loadWideValues(step, i), getPart(state.sums, i));
    if (plan.isWide())
      continue;
    Lanes skip = lanes.add(start, lanes.constant(tile.getRowsBytes(step * depth)));
    for (int64_t i = 0; i != plan.getNumSums(); i += 2) {
      Lanes place = lanes.add(tile.getPlaceA(lanes, lane, i), skip);
      Values b = loadMatrices(lanes, memory, place, /*transposed=*/true);
      addProduct(lanes, plan.element, a, ArrayRef(b).take_front(2), getPart(state.sums, i));
      addProduct(lanes, plan.element, a, ArrayRef(b).take_back(2), getPart(state.sums, i + 1));
    }
  }
}

/// Words of the keys 2 t and 2 t + 1 of eight, t being the thread's number in its group.
MmaAttentionTask::Values MmaAttentionTask::loadWideValues(int64_t step, int64_t column) {
  SharedTile tile = plan.getValueTile();
  Lanes group = lanes.floorDiv(lane, 4);
  int64_t start = plan.getValuesStart() + tile.getRowsBytes(step * plan.getDepth());
  Values words;
  for (int64_t i : {0, 1}) {
    Lanes row = lanes.add(lanes.mul(inGroup, lanes.constant(2)), lanes.constant(i));
    Lanes place = tile.getPlace(lanes, row, lanes.floorDiv(group, plan.getOfChunk()),
                                column * kMmaColumns / plan.getOfChunk());
    Lanes inChunk = lanes.mul(lanes.mod(group, plan.getOfChunk()), lanes.constant(plan.getBytes()));
    place = lanes.add(lanes.add(place, inChunk), lanes.constant(start));
    words.push_back(LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(),
                                         getSharedPlace(lanes, memory, place), /*alignment=*/4));
  }
  return words;
}

void MmaAttentionTask::addWide(ValueRange a, ValueRange b, MutableArrayRef<Value> sums) {
  Type tf32 = lanes.b.getTF32Type();
  auto [a1, a2] = splitWide(lanes, a);
  auto [b1, b2] = splitWide(lanes, b);
  if (plan.schedule.products == 3) {
    addProduct(lanes, tf32, a2, b1, sums);
    addProduct(lanes, tf32, a1, b2, sums);
  }
  addProduct(lanes, tf32, a1, b1, sums);
}
