//===- AttentionWeights.cpp - from scores to weights ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "MicroKernel.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Dialect/Weft/IR/DiscardableAttrs.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace weft;

/// Up to so many operations of a predicate take less than storing the scores that it hides.
static constexpr size_t kFewOperations = 8;

SmallVector<Value> AttentionTask::forKeys(const Lanes &padded, int64_t step, ValueRange inits,
                                          KeysBody body) {
  return lanes.loop(lanes.indexConstant(0), padded.value, step, inits,
                    [&](Value key, ValueRange carried) {
                      return body(lanes.uniform(key, {0, plan.blockKeys - step}, step), carried);
                    });
}

bool AttentionTask::readsTwice() {
  size_t operations = 0;
  op.getPredicate().walk([&](Operation *) { ++operations; });
  bool hides = plan.plainScore && plan.normalized && operations <= kFewOperations;
  return hides || plan.guesses;
}

void AttentionTask::emitGroupWeights(const RowGroup &group, const Lanes &block, const Lanes &padded,
                                     bool masked) {
  if (!plan.normalized)
    return storeScores(group, block, padded, masked);
  SmallVector<Value> before = loadLargest(group);
  SmallVector<Value> largest = emitBlockLargest(group, block, padded, masked);
  for (auto [now, old] : llvm::zip_equal(largest, before))
    now = emitLargest(old, now);
  SmallVector<Value> sums = emitExponentials(group, block, padded, masked, largest);
  emitTotals(group, emitScales(before, largest), largest, sums);
}

void AttentionTask::storeScores(const RowGroup &group, const Lanes &block, const Lanes &padded,
                                bool masked) {
  bool untouched = plan.plainScore && op.getPredicate().empty() && !masked;
  bool addsUp = formula.getNumOutputs() > 1;
  if (untouched && !plan.roundsWeights && !addsUp)
    return;
  SmallVector<Value> zeros(addsUp ? group.count : 0, lanes.floatVector(0));
  auto storeKeys = [&](const Lanes &position, ValueRange carried) {
    SmallVector<Value> sums(carried);
    for (int64_t i = 0; i != group.count; ++i) {
      Value weight = readScore(group, i, block, position, masked);
      storeWeight(getHeldRow(group.tile, getRow(group, i)), position, weight);
      if (addsUp)
        sums[i] = arith::AddFOp::create(lanes.b, lanes.loc, sums[i], weight);
    }
    return sums;
  };
  for (auto [i, sum] : llvm::enumerate(forKeys(padded, lanes.width, zeros, storeKeys))) {
    Value address = getTotals(lanes.add(group.tile, getRow(group, i)));
    storeVector(lanes, address,
                arith::AddFOp::create(lanes.b, lanes.loc, loadVector(lanes, address), sum));
  }
}

SmallVector<Value> AttentionTask::emitBlockLargest(const RowGroup &group, const Lanes &block,
                                                   const Lanes &padded, bool masked) {
  Value none = lanes.floatVector(-std::numeric_limits<float>::infinity());
  SmallVector<Value> inits(group.count, none);
  auto compare = [&](const Lanes &position, ValueRange carried) {
    SmallVector<Value> next;
    for (int64_t i = 0; i != group.count; ++i) {
      Value score = readScore(group, i, block, position, masked);
      if (!readsTwice())
        storeVector(lanes, getScores(0, getHeldRow(group.tile, getRow(group, i)), position), score);
      next.push_back(emitLarger(lanes, carried[i], score));
    }
    return next;
  };
  SmallVector<Value> largest = forKeys(padded, lanes.width, inits, compare);
  for (Value &most : largest)
    most = reduceLanes(lanes, ReduceKind::Max, most);
  return largest;
}

SmallVector<Value> AttentionTask::loadLargest(const RowGroup &group) {
  SmallVector<Value> largest;
  for (int64_t i = 0; i != group.count; ++i)
    largest.push_back(loadScalar(lanes, state.largest, lanes.add(group.tile, getRow(group, i)),
                                 lanes.b.getF32Type()));
  return largest;
}

SmallVector<Value> AttentionTask::emitExponentials(const RowGroup &group, const Lanes &block,
                                                   const Lanes &padded, bool masked,
                                                   ValueRange largest) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  SmallVector<Value> everywhere;
  for (Value most : largest)
    everywhere.push_back(lanes.materialize(lanes.uniform(most)));
  auto readExponent = [&](int64_t i, const Lanes &held, const Lanes &position) -> Value {
    if (readsTwice())
      return readScore(group, i, block, position, masked, everywhere[i]);
    Value score = loadVector(lanes, getScores(0, held, position));
    return arith::SubFOp::create(b, loc, score, everywhere[i]);
  };
  SmallVector<Value> zeros(group.count, lanes.floatVector(0));
  Power power = plan.roundsWeights ? Power::Rounded : Power::Weight;
  auto addKeys = [&](const Lanes &first, ValueRange carried) {
    SmallVector<Value> sums(carried);
    for (int64_t i = 0; i != group.count; ++i) {
      Lanes held = getHeldRow(group.tile, getRow(group, i));
      Value weights[2];
      for (int64_t half : {0, 1}) {
        Lanes position = lanes.add(first, lanes.constant(half * lanes.width));
        weights[half] = emitExp2(lanes, readExponent(i, held, position), power);
        sums[i] = arith::AddFOp::create(b, loc, sums[i], weights[half]);
      }
      storeWeights(held, first, weights[0], weights[1]);
    }
    return sums;
  };
  return forKeys(padded, 2 * lanes.width, zeros, addKeys);
}

void AttentionTask::emitTotals(const RowGroup &group, ValueRange scales, ValueRange largest,
                               ValueRange sums) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  for (int64_t i = 0; i != group.count; ++i) {
    Lanes row = lanes.add(group.tile, getRow(group, i));
    Value address = getTotals(row);
    Value total = arith::MulFOp::create(b, loc, loadVector(lanes, address),
                                        lanes.materialize(lanes.uniform(scales[i])));
    storeVector(lanes, address, arith::AddFOp::create(b, loc, total, sums[i]));
    storeScalar(lanes, state.largest, row, largest[i]);
    storeScalar(lanes, state.scale, getHeldRow(group.tile, getRow(group, i)), scales[i]);
  }
}

Value AttentionTask::getWeights(const Lanes &held, const Lanes &position) {
  if (!state.weights)
    return getScores(0, held, position);
  Type element = plan.tiles ? Type(lanes.b.getBF16Type()) : lanes.b.getF32Type();
  Lanes offset = lanes.add(lanes.mul(held, lanes.constant(plan.blockKeys)), position);
  return getElementPointer(lanes, state.weights, getMemoryType(element), offset.value);
}

void AttentionTask::storeWeight(const Lanes &held, const Lanes &position, Value weight) {
  OpBuilder &b = lanes.b;
  Type bf16 = b.getBF16Type();
  if (plan.tiles) {
    Value rounded = roundElement(lanes, weight, bf16);
    LLVM::StoreOp::create(b, lanes.loc, rounded, getWeights(held, position), /*alignment=*/2);
    return;
  }
  if (plan.roundsWeights)
    weight = extendElement(lanes, roundElement(lanes, weight, bf16), bf16);
  storeVector(lanes, getWeights(held, position), weight);
}

void AttentionTask::storeWeights(const Lanes &held, const Lanes &position, Value first,
                                 Value second) {
  if (!plan.tiles) {
    storeWeight(held, position, first);
    return storeWeight(held, lanes.add(position, lanes.constant(lanes.width)), second);
  }
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(2 * lanes.width));
  Value both = vector::ShuffleOp::create(lanes.b, lanes.loc, first, second, all);
  LaneBuilder wide = lanes.withWidth(2 * lanes.width);
  Value rounded = roundElement(wide, both, lanes.b.getBF16Type());
  LLVM::StoreOp::create(lanes.b, lanes.loc, rounded, getWeights(held, position), /*alignment=*/2);
}

Value AttentionTask::emitLargest(Value before, Value inBlock) {
  if (plan.wholeLargest)
    inBlock = math::CeilOp::create(lanes.b, lanes.loc, inBlock);
  return emitLarger(lanes, before, inBlock);
}

/// Most blocks of keys raise no maximum: what was summed up before is then as it should be.
SmallVector<Value> AttentionTask::emitScales(ValueRange before, ValueRange largest) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value risen;
  for (auto [old, now] : llvm::zip_equal(before, largest)) {
    Value rises = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, old, now);
    risen = risen ? arith::OrIOp::create(b, loc, risen, rises).getResult() : rises;
  }
  LaneBuilder scalar = lanes.withWidth(1);
  SmallVector<Value> ones(before.size(), lanes.floatConstant(1));
  return lanes.ifThen(risen, ones, [&] {
    SmallVector<Value> scales;
    for (auto [old, now] : llvm::zip_equal(before, largest))
      scales.push_back(emitExp2(scalar, arith::SubFOp::create(b, loc, old, now),
                                plan.wholeLargest ? Power::Rounded : Power::Exact));
    return scales;
  });
}

Value AttentionTask::getTotals(const Lanes &row) {
  return addElements(lanes, state.totals, lanes.mul(row, lanes.constant(lanes.width)));
}

Value AttentionTask::loadTotal(const Lanes &row) {
  return reduceLanes(lanes, ReduceKind::Sum, loadVector(lanes, getTotals(row)));
}

Value AttentionTask::readScore(const RowGroup &group, int64_t i, const Lanes &block,
                               const Lanes &position, bool masked, Value largest) {
  Lanes row = lanes.add(group.tile, getRow(group, i));
  Lanes held = getHeldRow(group.tile, getRow(group, i));
  SmallVector<Lanes> indices = getRowIndices(row);
  Lanes key = lanes.add(block, position);
  Lanes keys = lanes.iota(key);
  keys.interval = {0, keyIndex().getSize() - 1};
  Value mask = masked ? emitKeyMask(row, key) : Value();
  // A scalar key past the end reads the last one instead.
  indices[op.getKeyIndex()] = lanes.width == 1 && masked ? clampKey(key) : keys;
  RegionEmitter region(lanes, kernel, indices, lanes.width == 1 ? Value() : mask);
  SmallVector<Lanes> extras = region.loadInputs(op.getInputs(), op.getMaps(), 2 * op.getDots() + 1);
  SmallVector<Lanes> arguments;
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    arguments.push_back(lanes.uniform(loadScore(dot, held, position)));
  llvm::append_range(arguments, extras);
  Value score = lanes.materialize(region.emit(op.getScore(), arguments)[0]);
  if (plan.normalized && !plan.plainScore)
    score = emitExponent(lanes, limitScore(lanes, op, score));
  if (largest)
    score = arith::SubFOp::create(lanes.b, lanes.loc, score, largest);
  Value holds = mask;
  if (!op.getPredicate().empty())
    holds = lanes.andMask(holds, lanes.materialize(region.emit(op.getPredicate(), extras)[0]));
  // Its sum adds it rounded, as it does where a mask is between both.
  if (auto product = score.getDefiningOp<arith::MulFOp>())
    attrs::Rounded::set(product);
  float otherwise = plan.normalized ? -std::numeric_limits<float>::infinity() : 0;
  return lanes.select(holds, score, lanes.floatVector(otherwise));
}

Value AttentionTask::loadScore(int64_t dot, const Lanes &held, const Lanes &position) {
  Value score = loadVector(lanes, getScores(dot, held, position));
  if (!plan.tiles)
    return score;
  return emitExponent(lanes, score, getScale(dot));
}

Value AttentionTask::emitKeyMask(const Lanes &row, const Lanes &key) {
  Lanes keys = lanes.iota(key);
  keys.interval = {0, int64_t(keyIndex().getSize()) + 2 * lanes.width};
  if (!hasBounds())
    return lanes.compare(arith::CmpIPredicate::slt, keys, state.numKeys);
  auto [lower, upper] = loadBounds(row);
  Value mask = lanes.compare(arith::CmpIPredicate::slt, keys, lanes.uniform(upper, state.bounds));
  if (!op.getKeyLower())
    return mask;
  Value above = lanes.compare(arith::CmpIPredicate::sge, keys, lanes.uniform(lower, state.bounds));
  return lanes.andMask(mask, above);
}
