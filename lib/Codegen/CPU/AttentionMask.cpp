//===- AttentionMask.cpp - keys that a predicate hides from a whole task --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What bounds of the keys do not say, as a part of a mask that data decide or one that is no
// interval, is asked for each two vectors of keys: the predicate of intervals, those of the task's
// rows and those of these keys. What rows or keys alone decide is computed for each of them, what
// both decide is interval arithmetic (ExtremesEmitter). Of a block no key before the first one or
// behind the last one that some row may see is visited.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "weft/Codegen/Common/Combine.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

/// The larger or the smaller of two numbers, of conditions whether one holds, or both do.
static Value combineEnds(LaneBuilder &lanes, bool isMax, Value a, Value c) {
  OpBuilder &b = lanes.b;
  Type element = getElementTypeOrSelf(a.getType());
  if (element.isInteger(1))
    return isMax ? arith::OrIOp::create(b, lanes.loc, a, c).getResult()
                 : arith::AndIOp::create(b, lanes.loc, a, c).getResult();
  return combine(lanes, isMax ? ReduceKind::Max : ReduceKind::Min, a, c);
}

static Value getEmptyEnd(LaneBuilder &lanes, bool isMax, Type type) {
  TypedAttr end = getNeutral(lanes, isMax ? ReduceKind::Max : ReduceKind::Min, type);
  if (getElementTypeOrSelf(type).isInteger(1)) {
    auto scalar = lanes.b.getBoolAttr(!isMax);
    end = isa<VectorType>(type)
              ? TypedAttr(DenseElementsAttr::get(cast<ShapedType>(type), Attribute(scalar)))
              : TypedAttr(scalar);
  }
  return arith::ConstantOp::create(lanes.b, lanes.loc, end);
}

static Value reduceEnds(LaneBuilder &lanes, bool isMax, Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  if (getElementTypeOrSelf(value.getType()).isInteger(1))
    return vector::ReductionOp::create(
        lanes.b, lanes.loc, isMax ? vector::CombiningKind::OR : vector::CombiningKind::AND, value);
  return reduceLanes(lanes, isMax ? ReduceKind::Max : ReduceKind::Min, value);
}

/// What lies outside of the mask, and what is no number, is neither the least nor the largest.
static Value dropOthers(LaneBuilder &lanes, bool isMax, Value mask, Value value) {
  if (isa<FloatType>(getElementTypeOrSelf(value.getType()))) {
    Value isNumber =
        arith::CmpFOp::create(lanes.b, lanes.loc, arith::CmpFPredicate::ORD, value, value);
    mask = lanes.andMask(mask, isNumber);
  }
  return lanes.select(mask, value, getEmptyEnd(lanes, isMax, value.getType()));
}

AttentionTask::Deciders AttentionTask::getDeciders(Value value) {
  llvm::SmallBitVector used = getDependence(formula, value, int(op.getFirstElementInput()));
  auto has = [&](std::optional<unsigned> position) { return position && used.test(*position); };
  return {used.test(op.getKeyIndex()), has(plan.query) || has(plan.group)};
}

Value AttentionTask::getPredicate() {
  return op.getPredicate().front().getTerminator()->getOperand(0);
}

/// The largest values that rows alone or keys alone decide.
AttentionTask::Leaves AttentionTask::collectLeaves() {
  Leaves found;
  llvm::DenseSet<Value> visited;
  SmallVector<Value> open{getPredicate()};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    Deciders deciders = getDeciders(value);
    Operation *defining = value.getDefiningOp();
    if (!deciders.keys || !deciders.rows)
      (deciders.keys ? found.ofKeys : found.ofRows).insert(value);
    else if (defining && defining->getNumRegions() == 0)
      llvm::append_range(open, llvm::reverse(defining->getOperands()));
  }
  return found;
}

std::optional<AttentionTask::Leaves> AttentionTask::findLeaves() {
  if (op.getPredicate().empty() || lanes.width == 1)
    return std::nullopt;
  Leaves found = collectLeaves();
  // Whether anything can be known is seen by asking for it.
  Block scratch;
  OpBuilder::InsertionGuard guard(lanes.b);
  lanes.b.setInsertionPointToStart(&scratch);
  auto known = [&](Value value) -> std::optional<Extremes> {
    if (!found.ofKeys.contains(value) && !found.ofRows.contains(value))
      return std::nullopt;
    Value end = getEmptyEnd(lanes, true, value.getType());
    return Extremes{end, end};
  };
  if (!ExtremesEmitter(lanes.b, lanes.loc, known).emit(getPredicate()).max)
    return std::nullopt;
  return found;
}

void AttentionTask::giveArguments(RegionEmitter &region, bool ofKeys) {
  Block &body = op.getPredicate().front();
  for (BlockArgument argument : body.getArguments()) {
    Deciders deciders = getDeciders(argument);
    if (ofKeys ? deciders.rows : deciders.keys)
      continue;
    unsigned input = op.getFirstElementInput() + argument.getArgNumber();
    region.give(argument, region.load(op.getInputs()[input], formula.getInputMap(input)));
  }
}

void AttentionTask::emitRowExtremes() {
  leaves = findLeaves();
  if (!leaves)
    return;
  LaneBuilder scalar = lanes.withWidth(1);
  SmallVector<Value> ends;
  for (Value leaf : leaves->ofRows)
    for (bool isMax : {false, true})
      ends.push_back(getEmptyEnd(scalar, isMax, leaf.getType()));
  ends = lanes.loop(state.numRows, ends, [&](const Lanes &row, ValueRange carried) {
    RegionEmitter region(scalar, kernel, getRowIndices(row), /*mask=*/Value());
    giveArguments(region, /*ofKeys=*/false);
    SmallVector<Value> next(carried);
    for (auto [i, leaf] : llvm::enumerate(leaves->ofRows)) {
      Value value = scalar.materialize(region.emitValue(leaf));
      for (bool isMax : {false, true}) {
        Value &end = next[2 * i + isMax];
        end = combineEnds(scalar, isMax, end, dropOthers(scalar, isMax, /*mask=*/{}, value));
      }
    }
    return next;
  });
  for (auto [i, leaf] : llvm::enumerate(leaves->ofRows))
    state.rowExtremes[leaf] = {ends[2 * i], ends[2 * i + 1]};
}

llvm::MapVector<Value, Extremes> AttentionTask::getKeyExtremes(const Lanes &key, const Lanes &end) {
  llvm::MapVector<Value, Extremes> extremes;
  for (int64_t half : {0, 1}) {
    Lanes keys = lanes.iota(lanes.add(key, lanes.constant(half * lanes.width)));
    keys.interval = {0, keyIndex().getSize() - 1};
    Value mask = lanes.compare(arith::CmpIPredicate::slt, keys, end);
    SmallVector<Lanes> indices = state.indices;
    indices[op.getKeyIndex()] = keys;
    RegionEmitter region(lanes, kernel, indices, mask);
    giveArguments(region, /*ofKeys=*/true);
    for (Value leaf : leaves->ofKeys) {
      Value value = lanes.materialize(region.emitValue(leaf));
      Extremes own{dropOthers(lanes, false, mask, value), dropOthers(lanes, true, mask, value)};
      Extremes &all = extremes[leaf];
      all.min = half ? combineEnds(lanes, false, all.min, own.min) : own.min;
      all.max = half ? combineEnds(lanes, true, all.max, own.max) : own.max;
    }
  }
  for (auto &[leaf, all] : extremes) {
    all = {reduceEnds(lanes, false, all.min), reduceEnds(lanes, true, all.max)};
    for (Value *bound : {&all.min, &all.max})
      if (leaf.getType().isIndex())
        *bound = arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), *bound);
  }
  return extremes;
}

Value AttentionTask::emitMaySee(const Lanes &key, const Lanes &end) {
  llvm::MapVector<Value, Extremes> ofKeys = getKeyExtremes(key, end);
  auto known = [&](Value leaf) -> std::optional<Extremes> {
    if (auto it = ofKeys.find(leaf); it != ofKeys.end())
      return it->second;
    if (auto it = state.rowExtremes.find(leaf); it != state.rowExtremes.end())
      return it->second;
    return std::nullopt;
  };
  return ExtremesEmitter(lanes.b, lanes.loc, known).emit(getPredicate()).max;
}

void AttentionTask::emitSeenKeys(const Lanes &block, const Lanes &end) {
  int64_t step = 2 * lanes.width;
  OpBuilder &b = lanes.b;
  SmallVector<Value> none{end.value, block.value};
  SmallVector<Value> seen =
      lanes.loop(block.value, end.value, step, none, [&](Value iv, ValueRange carried) {
        Lanes key = lanes.uniform(iv, block.interval, step);
        Lanes next = lanes.min(lanes.add(key, lanes.constant(step)), end);
        Value sees = emitMaySee(key, next);
        Value first = arith::MinSIOp::create(b, lanes.loc, carried[0], iv);
        return SmallVector<Value>{
            arith::SelectOp::create(b, lanes.loc, sees, first, carried[0]),
            arith::SelectOp::create(b, lanes.loc, sees, next.value, carried[1])};
      });
  Lanes first = lanes.uniform(seen[0], block.interval, step),
        last = lanes.uniform(seen[1], end.interval);
  lanes.ifThen(lanes.compare(arith::CmpIPredicate::slt, first, last), {}, [&] {
    emitKeyBlock(first, last);
    return SmallVector<Value>();
  });
}
