//===- AttentionTile.cpp - scores, weights and sums of one tile -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionEmitter.h"
#include "MicroKernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

using namespace mlir;
using namespace weft;

AttentionEmitter::Reach AttentionEmitter::getReach(LaneBuilder &lanes, const State &state,
                                                   const Lanes &row) {
  Reach reach{state.lower, state.upper, state.lower, state.upper};
  if (!hasBounds())
    return reach;
  for (int64_t i = 0; i != plan.tileRows; ++i) {
    auto [lowerValue, upperValue] = loadBounds(lanes, state, lanes.add(row, lanes.constant(i)));
    Lanes lower = lanes.uniform(lowerValue), upper = lanes.uniform(upperValue);
    reach.someLower = i ? lanes.min(reach.someLower, lower) : lower;
    reach.someUpper = i ? lanes.max(reach.someUpper, upper) : upper;
    reach.allLower = i ? lanes.max(reach.allLower, lower) : lower;
    reach.allUpper = i ? lanes.min(reach.allUpper, upper) : upper;
  }
  return reach;
}

void AttentionEmitter::emitTile(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                                const Lanes &row, const Lanes &block, const Lanes &padded) {
  Reach reach = getReach(lanes, state, row);
  if (!hasBounds())
    return emitReachedTile(lanes, kernel, state, row, block, padded, reach);
  Lanes end = lanes.add(block, padded);
  Value begins = lanes.compare(arith::CmpIPredicate::slt, reach.someLower, end);
  Value ends = lanes.compare(arith::CmpIPredicate::slt, block, reach.someUpper);
  lanes.ifThen(lanes.andMask(begins, ends), {}, [&] {
    // No more keys than some row reaches.
    int64_t step = 2 * lanes.width;
    Lanes count = lanes.sub(reach.someUpper, block);
    count.interval = {1, keyIndex().getSize()};
    count = lanes.floorDiv(lanes.add(count, lanes.constant(step - 1)), step);
    count = lanes.min(lanes.mul(count, lanes.constant(step)), padded);
    count.divisor = step;
    emitReachedTile(lanes, kernel, state, row, block, count, reach);
    return SmallVector<Value>();
  });
}

void AttentionEmitter::emitReachedTile(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                                       const Lanes &row, const Lanes &block, const Lanes &padded,
                                       const Reach &reach) {
  emitScores(lanes, state, row, padded);
  auto softmax = [&](bool masked) {
    lanes.loop(lanes.constant(plan.tileRows), {}, [&](const Lanes &r, ValueRange) {
      emitRowWeights(lanes, kernel, state, row, r, block, padded, masked);
      return SmallVector<Value>();
    });
  };
  Value above = lanes.compare(arith::CmpIPredicate::sle, reach.allLower, block);
  Value below = lanes.compare(arith::CmpIPredicate::sle, lanes.add(block, padded), reach.allUpper);
  emitChoice(lanes, lanes.andMask(above, below), [&] { softmax(false); }, [&] { softmax(true); });
  emitSums(lanes, state, row, padded);
}

void AttentionEmitter::emitChoice(LaneBuilder &lanes, Value condition,
                                  llvm::function_ref<void()> yes, llvm::function_ref<void()> no) {
  OpBuilder::InsertionGuard guard(lanes.b);
  auto ifOp = scf::IfOp::create(lanes.b, lanes.loc, TypeRange(), condition, /*withElse=*/true);
  lanes.b.setInsertionPoint(ifOp.thenYield());
  yes();
  lanes.b.setInsertionPoint(ifOp.elseYield());
  no();
}

std::pair<Value, Value> AttentionEmitter::loadBounds(LaneBuilder &lanes, const State &state,
                                                     const Lanes &row) {
  auto load = [&](Value array) {
    Value value = loadScalar(lanes, array, row, lanes.b.getI64Type());
    return arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), value);
  };
  return {load(state.lowers), load(state.uppers)};
}

Value AttentionEmitter::getScores(LaneBuilder &lanes, const State &state, int64_t dot,
                                  const Lanes &r) {
  Lanes position = lanes.add(r, lanes.constant(dot * plan.tileRows));
  return addElements(lanes, state.scores, lanes.mul(position, lanes.constant(plan.blockKeys)));
}

void AttentionEmitter::emitScores(LaneBuilder &lanes, const State &state, const Lanes &row,
                                  const Lanes &padded) {
  for (auto [dot, size] : llvm::enumerate(plan.sizeC)) {
    lanes.loop(lanes.indexConstant(0), padded.value, 2 * lanes.width, {},
               [&, dot = dot, size = size](Value key, ValueRange) {
                 TileFactors factors;
                 for (int64_t i = 0; i != plan.tileRows; ++i)
                   factors.rows.push_back(addElements(
                       lanes, state.queries[dot],
                       lanes.mul(lanes.add(row, lanes.constant(i)), lanes.constant(size))));
                 factors.stride = lanes.constant(1);
                 factors.panel = addElements(lanes, state.keys[dot], lanes.uniform(key));
                 factors.panelStride = plan.blockKeys;
                 factors.numVectors = 2;
                 SmallVector<Value> sums(plan.tileRows * 2, lanes.floatVector(0));
                 sums = emitTileProduct(lanes, factors, lanes.constant(size), sums);
                 for (int64_t i = 0; i != plan.tileRows; ++i) {
                   Value target = getScores(lanes, state, dot, lanes.constant(i));
                   target = addElements(lanes, target, lanes.uniform(key));
                   storeVector(lanes, target, sums[2 * i]);
                   storeVector(lanes, addElements(lanes, target, lanes.width), sums[2 * i + 1]);
                 }
                 return SmallVector<Value>();
               });
  }
}

void AttentionEmitter::emitRowWeights(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                                      const Lanes &tile, const Lanes &r, const Lanes &block,
                                      const Lanes &padded, bool masked) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Lanes row = lanes.add(tile, r);
  Value scores = getScores(lanes, state, 0, r);
  Value lowest = lanes.floatVector(-std::numeric_limits<float>::infinity());
  Value initial = plan.normalized ? lowest : lanes.floatVector(0);
  auto forKeys = [&](Value init, llvm::function_ref<Value(Value key, Value carried)> body) {
    return lanes.loop(lanes.indexConstant(0), padded.value, lanes.width, init,
                      [&](Value key, ValueRange carried) {
                        return SmallVector<Value>{body(key, carried[0])};
                      })[0];
  };
  bool untouched = plan.plainScore && op.getPredicate().empty() && !masked;
  Value largest = forKeys(initial, [&](Value key, Value carried) {
    Lanes position = lanes.uniform(key, {0, plan.blockKeys - 1}, lanes.width);
    Value score;
    if (untouched)
      score = loadVector(lanes, addElements(lanes, scores, position));
    else
      score = emitScore(lanes, kernel, state, row, r, block, position, masked);
    if (!untouched)
      storeVector(lanes, addElements(lanes, scores, position), score);
    return plan.normalized
               ? arith::MaxNumFOp::create(b, loc, carried, score, arith::FastMathFlags::nnan)
                     .getResult()
               : carried;
  });
  if (!plan.normalized)
    return;
  largest = reduceLanes(lanes, ReduceKind::Max, largest);
  Value before = loadScalar(lanes, state.largest, row, b.getF32Type());
  largest = arith::MaxNumFOp::create(b, loc, before, largest, arith::FastMathFlags::nnan);
  Value everywhere = lanes.materialize(lanes.uniform(largest));
  Value sum = forKeys(lanes.floatVector(0), [&](Value key, Value carried) -> Value {
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
  storeScalar(lanes, state.scale, r, scale);
}

Value AttentionEmitter::emitScore(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                                  const Lanes &row, const Lanes &r, const Lanes &block,
                                  const Lanes &position, bool masked) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  SmallVector<Lanes> indices = getRowIndices(lanes, kernel, state, row);
  Lanes key = lanes.add(block, position);
  Lanes keys = lanes.iota(key);
  keys.interval = {0, keyIndex().getSize() - 1};
  Value mask = masked ? emitKeyMask(lanes, state, row, key) : Value();
  // A scalar key past the end reads the last one instead.
  indices[op.getKeyIndex()] = lanes.width == 1 && masked ? clampKey(lanes, state, key) : keys;
  RegionEmitter region(lanes, kernel, indices, lanes.width == 1 ? Value() : mask);
  SmallVector<Lanes> extras = region.loadInputs(op.getInputs(), op.getMaps(), 2 * op.getDots() + 1);
  SmallVector<Lanes> arguments;
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    arguments.push_back(lanes.uniform(
        loadVector(lanes, addElements(lanes, getScores(lanes, state, dot, r), position))));
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

Value AttentionEmitter::emitKeyMask(LaneBuilder &lanes, const State &state, const Lanes &row,
                                    const Lanes &key) {
  Lanes keys = lanes.iota(key);
  keys.interval = {0, int64_t(keyIndex().getSize()) + 2 * lanes.width};
  Interval interval{INT32_MIN, INT32_MAX};
  if (!hasBounds())
    return lanes.compare(arith::CmpIPredicate::slt, keys, state.numKeys);
  auto [lower, upper] = loadBounds(lanes, state, row);
  Value mask = lanes.compare(arith::CmpIPredicate::slt, keys, lanes.uniform(upper, interval));
  if (!op.getKeyLower())
    return mask;
  Value above = lanes.compare(arith::CmpIPredicate::sge, keys, lanes.uniform(lower, interval));
  return lanes.andMask(mask, above);
}

void AttentionEmitter::emitSums(LaneBuilder &lanes, const State &state, const Lanes &row,
                                const Lanes &padded) {
  int64_t vectors = plan.paddedV / lanes.width;
  if (vectors >= 2)
    lanes.loop(lanes.indexConstant(0), lanes.indexConstant(vectors / 2 * 2 * lanes.width),
               2 * lanes.width, {}, [&](Value column, ValueRange) {
                 emitSumTile(lanes, state, row, padded, column, 2);
                 return SmallVector<Value>();
               });
  if (vectors % 2)
    emitSumTile(lanes, state, row, padded, lanes.indexConstant((vectors - 1) * lanes.width), 1);
}

void AttentionEmitter::emitSumTile(LaneBuilder &lanes, const State &state, const Lanes &row,
                                   const Lanes &padded, Value column, int64_t numVectors) {
  TileFactors factors;
  SmallVector<Value> targets, sums;
  for (int64_t i = 0; i != plan.tileRows; ++i) {
    factors.rows.push_back(getScores(lanes, state, 0, lanes.constant(i)));
    Lanes offset =
        lanes.add(lanes.mul(lanes.add(row, lanes.constant(i)), lanes.constant(plan.paddedV)),
                  lanes.uniform(column));
    targets.push_back(addElements(lanes, state.sums, offset));
    Value scale;
    if (plan.normalized)
      scale = lanes.materialize(
          lanes.uniform(loadScalar(lanes, state.scale, lanes.constant(i), lanes.b.getF32Type())));
    for (int64_t v = 0; v != numVectors; ++v) {
      Value sum = loadVector(lanes, addElements(lanes, targets[i], v * lanes.width));
      sums.push_back(scale ? arith::MulFOp::create(lanes.b, lanes.loc, sum, scale).getResult()
                           : sum);
    }
  }
  factors.stride = lanes.constant(1);
  factors.panel = addElements(lanes, state.values, lanes.uniform(column));
  factors.panelStride = plan.paddedV;
  factors.numVectors = numVectors;
  sums = emitTileProduct(lanes, factors, padded, sums);
  for (auto [i, sum] : llvm::enumerate(sums))
    storeVector(lanes, addElements(lanes, targets[i / numVectors], (i % numVectors) * lanes.width),
                sum);
}
