//===- MmaAttentionBounds.cpp - which keys rows reach --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaAttentionTask.h"

#include "KeyBounds.h"
#include "SharedMemory.h"
#include "weft/Codegen/Common/Combine.h"
#include "weft/Dialect/Weft/IR/AttentionTypes.h"

#include <numeric>

using namespace mlir;
using namespace weft;

void MmaAttentionTask::setBounds(Row &row) {
  std::tie(row.lower, row.upper) = getKeyBounds(lanes, kernel, op, row.indices);
}

/// Of a thread's two rows and of all 16 of a warp: the threads of a row have the same.
static Value overWarp(LaneBuilder &lanes, const Lanes &first, const Lanes &second,
                      ReduceKind kind) {
  Type i32 = lanes.b.getI32Type();
  auto asWord = [&](const Lanes &bound) {
    return lanes.b.createOrFold<arith::IndexCastOp>(lanes.loc, i32, bound.value);
  };
  Value value = combine(lanes, kind, asWord(first), asWord(second));
  for (int64_t distance : {16, 8, 4})
    value = combine(lanes, kind, value, shuffle(lanes, value, distance));
  return value;
}

void MmaAttentionTask::setReach() {
  setReachOfWarp();
  lower = lanes.constant(0);
  upper = numKeys;
  if (!op.getKeyLower() && !op.getKeyUpper())
    return;
  setBlockReach(overWarp(lanes, rows[0].lower, rows[1].lower, ReduceKind::Min),
                overWarp(lanes, rows[0].upper, rows[1].upper, ReduceKind::Max));
}

/// A window of a cache has nothing further before the first key that is reached.
Lanes MmaAttentionTask::getFirstKey(int64_t keys) {
  int64_t step = std::gcd(keys, kKeyStep);
  return lanes.mul(lanes.floorDiv(lower, step), lanes.constant(step));
}

/// Without bounds that is all keys.
void MmaAttentionTask::setReachOfWarp() {
  allLower = lanes.constant(0);
  allUpper = numKeys;
  auto reduce = [&](Lanes Row::*bound, ReduceKind kind) {
    Value word = overWarp(lanes, rows[0].*bound, rows[1].*bound, kind);
    return lanes.uniform(
        arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), word),
        {0, keyIndex().getSize()});
  };
  if (op.getKeyLower())
    allLower = reduce(&Row::lower, ReduceKind::Max);
  if (op.getKeyUpper())
    allUpper = reduce(&Row::upper, ReduceKind::Min);
}

void MmaAttentionTask::addReach(const Row &row, Reach &reach) {
  auto add = [&](Value &bound, const Lanes &value, ReduceKind kind) {
    Type i32 = lanes.b.getI32Type();
    Value word = lanes.b.createOrFold<arith::IndexCastOp>(lanes.loc, i32, value.value);
    bound = bound ? combine(lanes, kind, bound, word) : word;
  };
  add(reach.lower, row.lower, ReduceKind::Min);
  add(reach.upper, row.upper, ReduceKind::Max);
}

/// Of all threads of the warp.
Lanes MmaAttentionTask::overLanes(Value bound, ReduceKind kind) {
  for (int64_t distance = kWarpSize / 2; distance; distance /= 2)
    bound = combine(lanes, kind, bound, shuffle(lanes, bound, distance));
  return lanes.uniform(
      arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), bound),
      {0, keyIndex().getSize()});
}

/// All warps do the same steps, for the barriers in them.
void MmaAttentionTask::setBlockReach(Value warpLower, Value warpUpper) {
  constexpr int64_t warps = kBlockSize / kWarpSize;
  Type i32 = lanes.b.getI32Type();
  Value memory = makeShared(lanes, LLVM::LLVMArrayType::get(i32, 2 * warps), "bounds", 4);
  Lanes warp = lanes.floorDiv(thread, kWarpSize);
  lanes.ifThen(lanes.compare(arith::CmpIPredicate::eq, lane, lanes.constant(0)), {}, [&] {
    storeScalar(lanes, memory, warp, warpLower);
    storeScalar(lanes, memory, lanes.add(warp, lanes.constant(warps)), warpUpper);
    return SmallVector<Value>();
  });
  nvx::BarrierOp::create(lanes.b, lanes.loc);
  auto overWarps = [&](int64_t first, ReduceKind kind) {
    Value all;
    for (int64_t i = 0; i != warps; ++i) {
      Value value = loadScalar(lanes, memory, lanes.constant(first + i), i32);
      all = all ? combine(lanes, kind, all, value) : value;
    }
    Type index = lanes.b.getIndexType();
    Value result = arith::IndexCastOp::create(lanes.b, lanes.loc, index, all);
    return lanes.uniform(result, {0, keyIndex().getSize()});
  };
  lower = overWarps(0, ReduceKind::Min);
  upper = overWarps(warps, ReduceKind::Max);
}
