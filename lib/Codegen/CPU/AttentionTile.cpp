//===- AttentionTile.cpp - scores and sums of one tile --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "MicroKernel.h"

using namespace mlir;
using namespace weft;

AttentionTask::Reach AttentionTask::getReach(const Lanes &row) {
  Reach reach{state.lower, state.upper, state.lower, state.upper};
  if (!hasBounds())
    return reach;
  for (int64_t i = 0; i != plan.tileRows; ++i) {
    auto [lowerValue, upperValue] = loadBounds(lanes.add(row, lanes.constant(i)));
    Lanes lower = lanes.uniform(lowerValue), upper = lanes.uniform(upperValue);
    reach.someLower = i ? lanes.min(reach.someLower, lower) : lower;
    reach.someUpper = i ? lanes.max(reach.someUpper, upper) : upper;
    reach.allLower = i ? lanes.max(reach.allLower, lower) : lower;
    reach.allUpper = i ? lanes.min(reach.allUpper, upper) : upper;
  }
  return reach;
}

void AttentionTask::emitTile(const Lanes &row, const Lanes &block, const Lanes &padded) {
  Reach reach = getReach(row);
  if (!hasBounds())
    return emitReachedTile(row, block, padded, reach);
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
    emitReachedTile(row, block, count, reach);
    return SmallVector<Value>();
  });
}

void AttentionTask::emitReachedTile(const Lanes &row, const Lanes &block, const Lanes &padded,
                                    const Reach &reach) {
  emitScores(row, padded);
  auto softmax = [&](bool masked) {
    lanes.loop(lanes.constant(plan.tileRows), {}, [&](const Lanes &r, ValueRange) {
      emitRowWeights(row, r, block, padded, masked);
      return SmallVector<Value>();
    });
  };
  Value above = lanes.compare(arith::CmpIPredicate::sle, reach.allLower, block);
  Value below = lanes.compare(arith::CmpIPredicate::sle, lanes.add(block, padded), reach.allUpper);
  lanes.choose(lanes.andMask(above, below), [&] { softmax(false); }, [&] { softmax(true); });
  emitSums(row, padded);
}

std::pair<Value, Value> AttentionTask::loadBounds(const Lanes &row) {
  auto load = [&](Value array) {
    Value value = loadScalar(lanes, array, row, lanes.b.getI64Type());
    return arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), value);
  };
  return {load(state.lowers), load(state.uppers)};
}

Value AttentionTask::getScores(int64_t dot, const Lanes &r) {
  Lanes position = lanes.add(r, lanes.constant(dot * plan.tileRows));
  return addElements(lanes, state.scores, lanes.mul(position, lanes.constant(plan.blockKeys)));
}

void AttentionTask::emitScores(const Lanes &row, const Lanes &padded) {
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
                   Value target = getScores(dot, lanes.constant(i));
                   target = addElements(lanes, target, lanes.uniform(key));
                   storeVector(lanes, target, sums[2 * i]);
                   storeVector(lanes, addElements(lanes, target, lanes.width), sums[2 * i + 1]);
                 }
                 return SmallVector<Value>();
               });
  }
}

void AttentionTask::emitSums(const Lanes &row, const Lanes &padded) {
  int64_t vectors = plan.paddedV / lanes.width;
  if (vectors >= 2)
    lanes.loop(lanes.indexConstant(0), lanes.indexConstant(vectors / 2 * 2 * lanes.width),
               2 * lanes.width, {}, [&](Value column, ValueRange) {
                 emitSumTile(row, padded, column, 2);
                 return SmallVector<Value>();
               });
  if (vectors % 2)
    emitSumTile(row, padded, lanes.indexConstant((vectors - 1) * lanes.width), 1);
}

void AttentionTask::emitSumTile(const Lanes &row, const Lanes &padded, Value column,
                                int64_t numVectors) {
  TileFactors factors;
  SmallVector<Value> targets, sums;
  for (int64_t i = 0; i != plan.tileRows; ++i) {
    factors.rows.push_back(getScores(0, lanes.constant(i)));
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
