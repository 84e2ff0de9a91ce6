//===- AttentionTask.cpp - the order of a streaming attention -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"

#include "MicroKernel.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

Lanes AttentionTask::getNumTasks() {
  Lanes total = getNumBlocks();
  for (const Lanes &extent : sharing.getOuterExtents())
    total = lanes.mul(total, extent);
  return total;
}

void AttentionTask::emit(const Lanes &task) {
  state = makeState(task);
  findPanels();
  if (plan.tiles)
    cpu::BeginTilesOp::create(lanes.b, lanes.loc);
  for (unsigned dot = 0; dot != op.getDots() && !plan.cut; ++dot)
    plan.tiles ? packQueryPairs(dot) : packQueries(dot, getWhole(plan.sizeC[dot]));
  for (unsigned dot = 0; dot != op.getDots() && plan.halves && canReadPairsInPlace(); ++dot)
    splitQueries(dot);
  emitBounds();
  emitRowExtremes();
  clearSums();
  emitKeyBlocks();
  if (plan.tiles)
    cpu::EndTilesOp::create(lanes.b, lanes.loc);
  plan.cut ? normalizeOutput() : storeResults();
  storeRowSums();
}

void AttentionTask::emitKeyBlocks() {
  int64_t step = 2 * lanes.width;
  Interval keys{0, keyIndex().getSize() - 1};
  auto roundDown = [&](const Lanes &key, int64_t multiple) {
    Lanes result = lanes.mul(lanes.floorDiv(key, multiple), lanes.constant(multiple));
    result.interval = keys;
    return result;
  };
  Lanes lower = roundDown(state.lower, step), first = roundDown(state.lower, plan.blockKeys);
  lanes.loop(first.value, state.upper.value, plan.blockKeys, {}, [&](Value iv, ValueRange) {
    Lanes grid = lanes.uniform(iv, keys, plan.blockKeys);
    Lanes block = state.lower.getConstant() ? grid : lanes.max(grid, lower);
    block.divisor = step;
    Lanes end = lanes.min(state.upper, lanes.add(grid, lanes.constant(plan.blockKeys)));
    leaves ? emitSeenKeys(block, end) : emitKeyBlock(block, end);
    return SmallVector<Value>();
  });
}

IndexAttr AttentionTask::keyIndex() { return formula.getIndexAttr(op.getKeyIndex()); }

Lanes AttentionTask::getNumBlocks() { return lanes.ceilDiv(sharing.getCount(), plan.blockRows); }

SmallVector<Lanes> AttentionTask::getOuterIndices(const Lanes &task, Lanes &block) {
  SmallVector<Lanes> extents = sharing.getOuterExtents();
  extents.push_back(getNumBlocks());
  SmallVector<Lanes> place = lanes.delinearize(task, extents);
  block = place.pop_back_val();
  return sharing.getOuterIndices(place);
}

AttentionTask::State AttentionTask::makeState(const Lanes &task) {
  State state;
  Lanes block, ignored, last = lanes.sub(getNumTasks(), lanes.constant(1));
  state.indices = getOuterIndices(task, block);
  state.next = getOuterIndices(lanes.min(lanes.add(task, lanes.constant(1)), last), ignored);
  state.firstRow = lanes.mul(block, lanes.constant(plan.blockRows));
  state.numRows =
      lanes.min(lanes.sub(sharing.getCount(), state.firstRow), lanes.constant(plan.blockRows));
  state.numRows.interval = {1, plan.blockRows};
  state.numKeys = kernel.getExtent(lanes, keyIndex());
  allocateBlocks(state);
  return state;
}

void AttentionTask::allocateBlocks(State &state) {
  auto allocateBytes = [&](int64_t bytes) { return kernel.allocateStack(lanes, bytes); };
  auto allocate = [&](int64_t words) { return allocateBytes(words * 4); };
  if (plan.cut) {
    // What of rows and what of keys is packed takes turns.
    int64_t widest = plan.sliceV;
    for (int64_t size : plan.sliceC)
      widest = std::max(widest, size);
    state.sums = allocate(plan.blockRows * widest);
    state.values = allocate(plan.blockKeys * widest);
    state.queries.assign(op.getDots(), state.sums);
    state.keys.assign(op.getDots(), state.values);
    state.scores = allocate(plan.getNumScores() * plan.heldRows * plan.blockKeys);
  } else {
    for (unsigned dot = 0; dot != op.getDots(); ++dot) {
      state.queries.push_back(allocateBytes(plan.getQueryBytes(dot)));
      int64_t bytes = plan.getKeyBytes(dot);
      state.keys.push_back(bytes ? allocateBytes(bytes) : Value());
      if (plan.halves)
        state.halves.push_back(allocateBytes(plan.getHalfBytes(dot)));
    }
    state.values = plan.valuesInPanels ? Value() : allocateBytes(plan.getValueBytes());
    state.scores = allocate(plan.getNumScores() * plan.heldRows * plan.blockKeys);
    if (int64_t bytes = plan.getWeightBytes())
      state.weights = allocateBytes(bytes);
    state.sums = allocate(plan.blockRows * plan.sliceV);
  }
  state.largest = allocate(plan.blockRows);
  state.totals = allocate(plan.blockRows * lanes.width);
  state.scale = allocate(plan.heldRows);
  state.lowers = allocate(2 * plan.blockRows);
  state.uppers = allocate(2 * plan.blockRows);
}

SmallVector<Lanes> AttentionTask::getRowIndices(const Lanes &row) {
  return plan.sharesKeys() ? sharing.getIndices(state.indices, lanes.add(state.firstRow, row))
                           : state.indices;
}

Lanes AttentionTask::getPaddedRows() {
  int64_t multiple = plan.tiles ? plan.groupRows : plan.tileRows;
  Lanes rows = lanes.mul(lanes.ceilDiv(state.numRows, multiple), lanes.constant(multiple));
  if (Value isOne = isOneQuery())
    rows = lanes.uniform(lanes.select(isOne, lanes.indexConstant(getQueryRows()), rows.value),
                         rows.interval);
  return rows;
}

Value AttentionTask::isOneQuery() {
  // Where there are as many keys as queries, one query is no work.
  if ((plan.tiles && !canReadPairsInPlace()) || !plan.query || getQueryRows() >= plan.tileRows ||
      formula.getIndexAttr(*plan.query).getDim() == keyIndex().getDim())
    return {};
  return lanes.compare(arith::CmpIPredicate::sle, state.numRows, lanes.constant(getQueryRows()));
}

void AttentionTask::forRows(const Lanes &count, llvm::function_ref<void(const Lanes &)> body) {
  lanes.loop(count, {}, [&](const Lanes &row, ValueRange) {
    body(row);
    return SmallVector<Value>();
  });
}

void AttentionTask::clearSums() {
  Lanes rows = getPaddedRows(), tiles = lanes.ceilDiv(rows, plan.tileRows);
  Lanes size = lanes.mul(tiles, lanes.constant(plan.tileRows * plan.sliceV));
  if (plan.cut)
    clearOutput();
  else
    lanes.loop(lanes.indexConstant(0), size.value, lanes.width, {}, [&](Value iv, ValueRange) {
      storeVector(lanes, addElements(lanes, state.sums, lanes.uniform(iv)), lanes.floatVector(0));
      return SmallVector<Value>();
    });
  forRows(rows, [&](const Lanes &row) {
    storeScalar(lanes, state.largest, row, lanes.floatConstant(kLowest));
    storeVector(lanes, getTotals(row), lanes.floatVector(0));
  });
}

void AttentionTask::emitKeyBlock(const Lanes &block, const Lanes &end) {
  int64_t step = 2 * lanes.width;
  Lanes chunks = lanes.ceilDiv(lanes.sub(end, block), step);
  chunks = lanes.uniform(chunks.value, {0, plan.blockKeys / step});
  Lanes padded = lanes.mul(chunks, lanes.constant(step));
  state.block = block;
  state.keysOfBlock = padded;
  if (plan.cut)
    return emitCutKeyBlock(block, padded);
  auto emitPacked = [&](auto... height) {
    packKeyBlock(block, padded);
    forTiles(height..., block, padded, [&](const Tile &tile) { emitKeyTile(tile, block); });
  };
  Value isOne = canReadInPlace() ? isOneQuery() : Value();
  if (!isOne)
    return emitPacked();
  auto emitInPlace = [&] {
    forTiles(getQueryRows(), block, padded, [&](Tile tile) {
      tile.inPlace = true;
      emitKeyTile(tile, block);
    });
  };
  lanes.choose(isOne, emitInPlace, [&] { emitPacked(plan.tileRows); });
}

void AttentionTask::emitKeyTile(const Tile &tile, const Lanes &block) {
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    if (tile.inPlace)
      plan.halves  ? emitHalfScores(dot, tile, block)
      : plan.tiles ? emitPairScores(dot, tile, block)
                   : emitScoresInPlace(dot, tile, block);
    else if (plan.tiles)
      emitTileScores(dot, tile);
    else
      emitScores(dot, getWhole(plan.sizeC[dot]), tile, block);
  emitWeights(tile, block);
  if (plan.tiles)
    tile.inPlace ? emitPairSums(tile, block) : emitTileSums(tile);
  else
    emitSums(getWhole(plan.sizeV), tile, block);
}

void AttentionTask::packKeyBlock(const Lanes &block, const Lanes &padded) {
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    if (plan.tiles)
      packKeyPairs(dot, block, padded);
    else if (!plan.keysInPanels[dot])
      packKeys(dot, getWhole(plan.sizeC[dot]), block, padded);
  if (plan.tiles)
    packValuePairs(block, padded);
  else if (!plan.valuesInPanels)
    packValues(getWhole(plan.sizeV), block, padded);
}
