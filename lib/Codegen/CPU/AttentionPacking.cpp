//===- AttentionPacking.cpp - queries, keys and values on the stack -------------------------===//
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

/// Keys that are packed before what is fetched, in one stream.
static constexpr int64_t kKeysAhead = 32;
/// Elements of a row beyond which the processor sees by itself what comes next.
static constexpr int64_t kLongestFetched = 512;

float AttentionTask::getScale(unsigned dot) {
  return float(op.getScales()[dot] * (plan.plainScore && plan.normalized ? kLog2E : 1));
}

/// Element `position` of a slice, counted from the first of the `size` elements that are cut.
static Lanes getElement(LaneBuilder &lanes, const Lanes &position, const Lanes &first,
                        int64_t size) {
  Lanes element = lanes.add(position, first);
  element.interval = {0, size - 1};
  return element;
}

void AttentionTask::packQueries(unsigned dot, const Slice &slice) {
  forRows(getPaddedRows(), [&](const Lanes &row) {
    SmallVector<Lanes> indices = getRowIndices(row);
    Value target =
        addElements(lanes, state.queries[dot], lanes.mul(row, lanes.constant(plan.sliceC[dot])));
    Buffer packed{target, lanes.b.getF32Type(), {}, {lanes.constant(1)}, {}};
    lanes.laneLoop(lanes.constant(0), slice.size, {}, [&](const Lanes &c, Value mask, ValueRange) {
      setIndices(lanes, kernel, op.getIndices(), plan.contracted[dot],
                 getElement(lanes, c, slice.first, plan.sizeC[dot]), indices);
      RegionEmitter region(lanes, kernel, indices, mask);
      Lanes element = region.load(op.getQuery(dot), formula.getInputMap(2 * dot));
      element = region.multiply(element, lanes.uniform(lanes.floatConstant(getScale(dot))));
      storeElements(lanes, packed, c, element, mask);
      return SmallVector<Value>();
    });
  });
}

Lanes AttentionTask::clampKey(const Lanes &key) {
  Lanes clamped = lanes.min(key, lanes.sub(state.numKeys, lanes.constant(1)));
  clamped.interval = {0, keyIndex().getSize() - 1};
  return clamped;
}

Value AttentionTask::getAddress(unsigned input, ArrayRef<Lanes> indices) {
  const Buffer &source = kernel.getBuffer(op.getInputs()[input]);
  Lanes offset = getOffset(lanes, source, lanes.apply(formula.getInputMap(input), indices));
  return getElementPointer(lanes, source.pointer, getMemoryType(source.elementType), offset.value);
}

void AttentionTask::fetchAhead(unsigned input, ArrayRef<unsigned> positions, const Lanes &key,
                               int64_t count) {
  const int64_t few = std::max(kWaitingRows, getQueryRows());
  if (!isContiguous(input, positions, 1) || state.numRows.interval.min > few)
    return;
  int64_t size = formula.getIndexAttr(positions.back()).getSize();
  if (size > kLongestFetched)
    return;
  size *= getMemoryType(getElementTypeOrSelf(op.getInputs()[input])).getIntOrFloatBitWidth();
  int64_t lines = llvm::divideCeil(size / 8, kLine), together = plan.streams ? 1 : count;
  auto fetch = [&] {
    for (int64_t j = 0; j != count; j += together)
      fetchKeys(input, positions, getKeyAhead(lanes.add(key, lanes.constant(j))), together, lines);
    return SmallVector<Value>();
  };
  Value isFew = lanes.compare(arith::CmpIPredicate::sle, state.numRows, lanes.constant(few));
  lanes.ifThen(isFew, {}, fetch);
}

/// The block after this one is fetched at several places at the same time, as the hardware follows
/// each, and has longer for it than this block's computation takes.
Lanes AttentionTask::getKeyAhead(const Lanes &key) {
  if (!plan.streams)
    return lanes.add(key, lanes.constant(kKeysAhead));
  Lanes number = lanes.sub(key, state.block);
  number.interval = {0, plan.blockKeys - 1};
  Lanes stream = lanes.mod(number, *plan.streams);
  Lanes place = lanes.mul(stream, lanes.floorDiv(state.keysOfBlock, *plan.streams));
  place = lanes.add(place, lanes.floorDiv(number, *plan.streams));
  return lanes.add(lanes.add(state.block, lanes.constant(plan.blockKeys)), place);
}

void AttentionTask::fetchKeys(unsigned input, ArrayRef<unsigned> positions, Lanes first,
                              int64_t count, int64_t lines) {
  Value isPast = lanes.compare(arith::CmpIPredicate::sge, first, state.upper);
  auto choose = [&](const Lanes &past, const Lanes &here) {
    return lanes.uniform(lanes.select(isPast, past.value, here.value), here.interval);
  };
  first = choose(lanes.add(lanes.sub(first, state.upper), state.lower), first);
  SmallVector<Lanes> indices = state.indices;
  for (unsigned position : plan.outer)
    indices[position] = choose(state.next[position], state.indices[position]);
  setIndices(lanes, kernel, op.getIndices(), positions, lanes.constant(0), indices);
  for (int64_t j = 0; j != count; ++j) {
    indices[op.getKeyIndex()] = clampKey(lanes.add(first, lanes.constant(j)));
    emitPrefetches(lanes.b, lanes.loc, getAddress(input, indices), lines);
  }
}

bool AttentionTask::isContiguous(unsigned input, ArrayRef<unsigned> positions, int64_t multiple) {
  if (positions.empty() || getLayout(op.getInputs()[input].getType()) ||
      formula.getIndexAttr(positions.back()).getSize() % multiple != 0)
    return false;
  AffineMap map = formula.getInputMap(input);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    bool isLast = i + 1 == map.getNumResults();
    AffineExpr dim = getAffineDimExpr(positions.back(), expr.getContext());
    if (!isLast ? expr.isFunctionOfDim(positions.back()) : expr != dim)
      return false;
  }
  return true;
}

void AttentionTask::packKeys(unsigned dot, const Slice &slice, const Lanes &block,
                             const Lanes &padded) {
  bool square = lanes.width > 1 && isContiguous(2 * dot + 1, plan.contracted[dot], plan.width);
  int64_t step = square ? lanes.width : 1;
  lanes.loop(lanes.indexConstant(0), padded.value, lanes.width, {}, [&](Value iv, ValueRange) {
    Lanes group = lanes.uniform(iv, {0, plan.blockKeys - 1}, lanes.width);
    Value target = addElements(lanes, state.keys[dot], group);
    fetchAhead(2 * dot + 1, plan.contracted[dot], lanes.add(block, group), lanes.width);
    lanes.loop(lanes.indexConstant(0), slice.size.value, step, {}, [&](Value c, ValueRange) {
      Lanes position = lanes.uniform(c, {0, plan.sliceC[dot] - 1}, step);
      Lanes element = getElement(lanes, position, slice.first, plan.sizeC[dot]);
      Lanes key = lanes.add(block, group);
      SmallVector<Lanes> indices = state.indices;
      setIndices(lanes, kernel, op.getIndices(), plan.contracted[dot],
                 square ? lanes.iota(element) : element, indices);
      SmallVector<Value> columns =
          square ? loadSquare(dot, key, indices) : SmallVector<Value>{loadKeys(dot, key, indices)};
      Value row = addElements(lanes, target, lanes.mul(position, lanes.constant(plan.blockKeys)));
      for (auto [j, column] : llvm::enumerate(columns))
        storeVector(lanes, addElements(lanes, row, j * plan.blockKeys), column);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

SmallVector<Value> AttentionTask::loadSquare(unsigned dot, const Lanes &key,
                                             SmallVector<Lanes> indices) {
  SmallVector<Value> rows;
  for (int64_t j = 0; j != lanes.width; ++j) {
    indices[op.getKeyIndex()] = clampKey(lanes.add(key, lanes.constant(j)));
    RegionEmitter region(lanes, kernel, indices, Value());
    rows.push_back(
        lanes.materialize(region.load(op.getKey(dot), formula.getInputMap(2 * dot + 1))));
  }
  return transpose(lanes, rows);
}

Value AttentionTask::loadKeys(unsigned dot, const Lanes &key, SmallVector<Lanes> indices) {
  Lanes lane = lanes.iota(key);
  lane.interval = {0, keyIndex().getSize() - 1};
  indices[op.getKeyIndex()] = lanes.width == 1 ? clampKey(key) : lane;
  Value mask;
  if (lanes.width > 1)
    mask = lanes.maskBelow(key.value, state.numKeys.value);
  RegionEmitter region(lanes, kernel, indices, mask);
  return lanes.materialize(region.load(op.getKey(dot), formula.getInputMap(2 * dot + 1)));
}

Value AttentionTask::loadValues(const Lanes &key, const Lanes &column, Value mask) {
  SmallVector<Lanes> indices = state.indices;
  indices[op.getKeyIndex()] = clampKey(key);
  setIndices(lanes, kernel, op.getIndices(), plan.columns, column, indices);
  RegionEmitter region(lanes, kernel, indices, mask);
  return lanes.materialize(region.load(op.getValue(), formula.getInputMap(2 * op.getDots())));
}

void AttentionTask::packValues(const Slice &slice, const Lanes &block, const Lanes &padded) {
  lanes.loop(padded, {}, [&](const Lanes &j, ValueRange) {
    Value target = addElements(lanes, state.values, lanes.mul(j, lanes.constant(plan.sliceV)));
    fetchAhead(2 * op.getDots(), plan.columns, lanes.add(block, j), /*count=*/1);
    lanes.laneLoop(lanes.constant(0), slice.size, {},
                   [&](const Lanes &column, Value mask, ValueRange) {
                     Lanes element = getElement(lanes, column, slice.first, plan.sizeV);
                     storeVector(lanes, addElements(lanes, target, lanes.uniform(column.value)),
                                 loadValues(lanes.add(block, j), element, mask));
                     return SmallVector<Value>();
                   });
    return SmallVector<Value>();
  });
}
