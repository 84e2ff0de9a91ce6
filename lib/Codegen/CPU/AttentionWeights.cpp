//===- AttentionWeights.cpp - from scores to weights ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "MicroKernel.h"
#include "weft/Codegen/Common/Combine.h"

#include <limits>

using namespace mlir;
using namespace weft;

Value AttentionTask::forKeys(const Lanes &padded, Value init,
                             llvm::function_ref<Value(Value, Value)> body) {
  return lanes.loop(
      lanes.indexConstant(0), padded.value, lanes.width, init,
      [&](Value key, ValueRange carried) { return SmallVector<Value>{body(key, carried[0])}; })[0];
}

void AttentionTask::emitRowWeights(const Lanes &tile, const Lanes &r, const Lanes &block,
                                   const Lanes &padded, bool masked) {
  Lanes row = lanes.add(tile, r), held = getHeldRow(tile, r);
  Value scores = getScores(0, held);
  Value initial =
      lanes.floatVector(plan.normalized ? -std::numeric_limits<float>::infinity() : 0.0f);
  bool untouched = plan.plainScore && op.getPredicate().empty() && !masked;
  Value largest = forKeys(padded, initial, [&](Value key, Value carried) -> Value {
    Lanes position = lanes.uniform(key, {0, plan.blockKeys - 1}, lanes.width);
    Value score;
    if (untouched) {
      score = loadVector(lanes, addElements(lanes, scores, position));
    } else {
      score = emitScore(row, held, block, position, masked);
      storeVector(lanes, addElements(lanes, scores, position), score);
    }
    if (!plan.normalized)
      return carried;
    return arith::MaxNumFOp::create(lanes.b, lanes.loc, carried, score, arith::FastMathFlags::nnan);
  });
  if (plan.normalized)
    emitExponentials(row, held, padded, reduceLanes(lanes, ReduceKind::Max, largest));
}

void AttentionTask::emitExponentials(const Lanes &row, const Lanes &held, const Lanes &padded,
                                     Value largest) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value scores = getScores(0, held);
  Value before = loadScalar(lanes, state.largest, row, b.getF32Type());
  largest = arith::MaxNumFOp::create(b, loc, before, largest, arith::FastMathFlags::nnan);
  Value everywhere = lanes.materialize(lanes.uniform(largest));
  Value sum = forKeys(padded, lanes.floatVector(0), [&](Value key, Value carried) -> Value {
    Value address = addElements(lanes, scores, lanes.uniform(key));
    Value difference = arith::SubFOp::create(b, loc, loadVector(lanes, address), everywhere);
    Value weight = emitExp2(lanes, difference);
    storeVector(lanes, address, weight);
    return arith::AddFOp::create(b, loc, carried, weight);
  });
  LaneBuilder scalar = lanes.withWidth(1);
  Value scale = emitExp2(scalar, arith::SubFOp::create(b, loc, before, largest));
  Value total = loadScalar(lanes, state.total, row, b.getF32Type());
  total = arith::MulFOp::create(b, loc, total, scale);
  total = arith::AddFOp::create(b, loc, total, reduceLanes(lanes, ReduceKind::Sum, sum));
  storeScalar(lanes, state.largest, row, largest);
  storeScalar(lanes, state.total, row, total);
  storeScalar(lanes, state.scale, held, scale);
}

Value AttentionTask::emitScore(const Lanes &row, const Lanes &held, const Lanes &block,
                               const Lanes &position, bool masked) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
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
    arguments.push_back(
        lanes.uniform(loadVector(lanes, addElements(lanes, getScores(dot, held), position))));
  llvm::append_range(arguments, extras);
  Value score = lanes.materialize(region.emit(op.getScore(), arguments)[0]);
  if (plan.normalized && !plan.plainScore)
    score = arith::MulFOp::create(b, loc, score, lanes.floatVector(kLog2E));
  Value holds = mask;
  if (!op.getPredicate().empty())
    holds = lanes.andMask(holds, lanes.materialize(region.emit(op.getPredicate(), extras)[0]));
  float otherwise = plan.normalized ? -std::numeric_limits<float>::infinity() : 0;
  return lanes.select(holds, score, lanes.floatVector(otherwise));
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
