//===- AttentionTask.cpp - the order of a streaming attention -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"

#include "MicroKernel.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

/// Stands for the maximum of no scores: finite, so that differences are never NaN.
static constexpr float kLowest = -3.0e38f;

Lanes AttentionTask::getNumTasks() {
  Lanes total = getNumBlocks();
  for (unsigned position : plan.outer)
    total = lanes.mul(total, kernel.getExtent(lanes, formula.getIndexAttr(position)));
  return total;
}

void AttentionTask::emit(const Lanes &task) {
  state = makeState(task);
  findPanels();
  for (unsigned dot = 0; dot != op.getDots() && !plan.cut; ++dot)
    packQueries(dot, getWhole(plan.sizeC[dot]));
  emitBounds();
  clearSums();
  // Vectors of keys begin at multiples of the width; panels of them are two vectors wide.
  int64_t step = llvm::is_contained(plan.keysInPanels, true) ? 2 * lanes.width : lanes.width;
  Value start = lanes.floorDiv(state.lower, step).value;
  Lanes first = lanes.mul(lanes.uniform(start, {0, INT32_MAX}), lanes.constant(step));
  lanes.loop(first.value, state.upper.value, plan.blockKeys, {}, [&](Value iv, ValueRange) {
    Lanes block = lanes.uniform(iv, {0, keyIndex().getSize() - 1}, lanes.width);
    emitKeyBlock(block);
    return SmallVector<Value>();
  });
  plan.cut ? normalizeOutput() : storeResults();
  storeRowSums();
}

IndexAttr AttentionTask::keyIndex() { return formula.getIndexAttr(op.getKeyIndex()); }

bool AttentionTask::hasBounds() { return op.getKeyLower() || op.getKeyUpper(); }

Lanes AttentionTask::getNumQueries() {
  return plan.query ? kernel.getExtent(lanes, formula.getIndexAttr(*plan.query))
                    : lanes.constant(1);
}

Lanes AttentionTask::getNumBlocks() { return lanes.ceilDiv(getNumQueries(), plan.blockRows); }

AttentionTask::State AttentionTask::makeState(const Lanes &task) {
  State state;
  SmallVector<Lanes> extents;
  for (unsigned position : plan.outer)
    extents.push_back(kernel.getExtent(lanes, formula.getIndexAttr(position)));
  extents.push_back(getNumBlocks());
  SmallVector<Lanes> coordinates = lanes.delinearize(task, extents);
  state.indices.resize(formula.getNumIndices());
  for (auto [position, coordinate] : llvm::zip(plan.outer, coordinates))
    state.indices[position] = coordinate;
  Lanes numQueries = getNumQueries();
  state.firstQuery = lanes.mul(coordinates.back(), lanes.constant(plan.blockRows));
  state.numRows =
      lanes.min(lanes.sub(numQueries, state.firstQuery), lanes.constant(plan.blockRows));
  state.numRows.interval = {1, plan.blockRows};
  state.numKeys = kernel.getExtent(lanes, keyIndex());
  allocateBlocks(state);
  return state;
}

void AttentionTask::allocateBlocks(State &state) {
  auto allocate = [&](int64_t elements) { return kernel.allocateStack(lanes, elements * 4); };
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
    for (auto [size, inPanels] : llvm::zip_equal(plan.sizeC, plan.keysInPanels)) {
      state.queries.push_back(allocate(plan.blockRows * size));
      state.keys.push_back(inPanels ? Value() : allocate(plan.blockKeys * size));
    }
    state.values = plan.valuesInPanels ? Value() : allocate(plan.blockKeys * plan.sliceV);
    state.scores = allocate(plan.getNumScores() * plan.heldRows * plan.blockKeys);
    state.sums = allocate(plan.blockRows * plan.sliceV);
  }
  state.largest = allocate(plan.blockRows);
  state.totals = allocate(plan.blockRows * lanes.width);
  state.scale = allocate(plan.heldRows);
  state.lowers = allocate(2 * plan.blockRows);
  state.uppers = allocate(2 * plan.blockRows);
}

SmallVector<Lanes> AttentionTask::getRowIndices(const Lanes &row) {
  SmallVector<Lanes> indices = state.indices;
  if (!plan.query)
    return indices;
  Lanes last = lanes.sub(getNumQueries(), lanes.constant(1));
  Lanes query = lanes.min(lanes.add(state.firstQuery, row), last);
  query.interval = {0, formula.getIndexAttr(*plan.query).getSize() - 1};
  indices[*plan.query] = query;
  return indices;
}

Lanes AttentionTask::getPaddedRows() {
  Lanes tiles = lanes.ceilDiv(state.numRows, plan.tileRows);
  return lanes.mul(tiles, lanes.constant(plan.tileRows));
}

void AttentionTask::forRows(const Lanes &count, llvm::function_ref<void(const Lanes &)> body) {
  lanes.loop(count, {}, [&](const Lanes &row, ValueRange) {
    body(row);
    return SmallVector<Value>();
  });
}

void AttentionTask::emitBounds() {
  state.lower = lanes.constant(0);
  state.upper = state.numKeys;
  if (!hasBounds())
    return;
  SmallVector<Lanes> symbols;
  if (op.getBoundSymbols())
    for (StringRef name : op.getBoundSymbols()->getAsValueRange<StringAttr>())
      symbols.push_back(kernel.getSymbol(name));
  Type i64 = lanes.b.getI64Type();
  SmallVector<Value> inits{state.numKeys.value, lanes.indexConstant(0)};
  SmallVector<Value> ends =
      lanes.loop(getPaddedRows(), inits, [&](const Lanes &row, ValueRange carried) {
        SmallVector<Lanes> indices = getRowIndices(row);
        Lanes lower = lanes.constant(0), upper = state.numKeys;
        if (op.getKeyLower())
          for (AffineExpr expr : op.getKeyLower()->getResults())
            lower = lanes.max(lower, lanes.apply(expr, indices, symbols));
        if (op.getKeyUpper())
          for (AffineExpr expr : op.getKeyUpper()->getResults())
            upper = lanes.min(upper, lanes.apply(expr, indices, symbols));
        auto store = [&](Value array, Value value) {
          storeScalar(lanes, array, row,
                      lanes.b.createOrFold<arith::IndexCastOp>(lanes.loc, i64, value));
        };
        state.bounds = state.bounds.unionWith(lower.interval).unionWith(upper.interval);
        store(state.lowers, lower.value);
        store(state.uppers, upper.value);
        Value first = arith::MinSIOp::create(lanes.b, lanes.loc, carried[0], lower.value);
        Value last = arith::MaxSIOp::create(lanes.b, lanes.loc, carried[1], upper.value);
        return SmallVector<Value>{first, last};
      });
  state.lower = lanes.uniform(ends[0], {0, keyIndex().getSize()});
  state.upper = lanes.uniform(ends[1], {0, keyIndex().getSize()});
}

void AttentionTask::clearSums() {
  Lanes rows = getPaddedRows();
  Lanes size = lanes.mul(rows, lanes.constant(plan.sliceV));
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

void AttentionTask::emitKeyBlock(const Lanes &block) {
  int64_t step = 2 * lanes.width;
  Lanes count = lanes.min(lanes.sub(state.upper, block), lanes.constant(plan.blockKeys));
  Lanes chunks = lanes.ceilDiv(count, step);
  chunks = lanes.uniform(chunks.value, {0, plan.blockKeys / step});
  Lanes padded = lanes.mul(chunks, lanes.constant(step));
  if (plan.cut)
    return emitCutKeyBlock(block, padded);
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    if (!plan.keysInPanels[dot])
      packKeys(dot, getWhole(plan.sizeC[dot]), block, padded);
  if (!plan.valuesInPanels)
    packValues(getWhole(plan.sizeV), block, padded);
  forTiles(block, padded, [&](const Lanes &row, const Lanes &reached, const Reach &reach) {
    for (unsigned dot = 0; dot != op.getDots(); ++dot)
      emitScores(dot, getWhole(plan.sizeC[dot]), row, block, reached);
    emitWeights(row, block, reached, reach);
    emitSums(getWhole(plan.sizeV), row, block, reached);
  });
}

Value AttentionTask::emitNormalization(const Lanes &row) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value total = loadTotal(row);
  Value zero = lanes.floatConstant(0), one = lanes.floatConstant(1);
  Value some = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, total, zero);
  Value safe = arith::SelectOp::create(b, loc, some, total, one);
  Value inverse = arith::DivFOp::create(b, loc, one, safe);
  return arith::SelectOp::create(b, loc, some, inverse, zero);
}

LaneBuilder AttentionTask::getResultLanes() {
  // Without columns a row's result is one element.
  return lanes.withWidth(plan.columns.empty() ? 1 : lanes.width);
}

void AttentionTask::forResults(SmallVector<Lanes> row, const Slice &slice, ResultBody body) {
  LaneBuilder results = getResultLanes();
  results.laneLoop(results.constant(0), slice.size, {},
                   [&](const Lanes &column, Value mask, ValueRange) {
                     Lanes result = results.add(column, slice.first);
                     result.interval = {0, plan.sizeV - 1};
                     setIndices(results, kernel, op.getIndices(), plan.columns, result, row);
                     RegionEmitter region(results, kernel, row, mask);
                     body(region, column);
                     return SmallVector<Value>();
                   });
}

void AttentionTask::storeResults() {
  LaneBuilder results = getResultLanes();
  forRows(state.numRows, [&](const Lanes &row) {
    SmallVector<Lanes> indices = getRowIndices(row);
    Value factor;
    if (plan.normalized)
      factor = results.materialize(results.uniform(emitNormalization(row)));
    Value source = addElements(lanes, state.sums, lanes.mul(row, lanes.constant(plan.sliceV)));
    forResults(indices, getWhole(plan.sizeV), [&](RegionEmitter &region, const Lanes &column) {
      Value sum = loadVector(results, addElements(results, source, lanes.uniform(column.value)));
      if (factor)
        sum = arith::MulFOp::create(lanes.b, lanes.loc, sum, factor);
      region.storeOutput(formula, lanes.uniform(sum));
    });
  });
}

/// Totals are relative to the largest score, which is in units of log2(e).
void AttentionTask::storeRowSums() {
  if (formula.getNumOutputs() == 1)
    return;
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  LaneBuilder single = lanes.withWidth(1);
  forRows(state.numRows, [&](const Lanes &row) {
    Value total = loadTotal(row);
    Value largest = loadScalar(lanes, state.largest, row, b.getF32Type());
    Value some =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, total, lanes.floatConstant(0));
    largest = arith::MulFOp::create(b, loc, largest, lanes.floatConstant(1 / kLog2E));
    Value sum = arith::AddFOp::create(b, loc, largest, math::LogOp::create(b, loc, total));
    Value none = lanes.floatConstant(std::numeric_limits<float>::infinity());
    sum = arith::SelectOp::create(b, loc, some, sum, none);
    RegionEmitter(single, kernel, getRowIndices(row), Value())
        .storeOutput(formula, single.uniform(sum), /*number=*/1);
  });
}
