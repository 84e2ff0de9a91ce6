//===- DecodeMmaResults.cpp - weights and sums of few queries, on tensor cores --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodeMmaTask.h"

#include "SharedTile.h"

#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/GPU/Fragment.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;

/// The result of `combine` over the eight threads that have the same heads.
static Value overKeys(LaneBuilder &lanes, Value value, ReduceKind kind) {
  for (int64_t distance : {4, 8, 16})
    value = combine(lanes, kind, value, shuffle(lanes, value, distance));
  return value;
}

/// The largest score is that of all keys of the warp, as products add up the weights of all.
void DecodeMmaTask::emitWeights(int64_t number, MutableArrayRef<Value> scores, State &state) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value &before = state.largest[size_t(number)], largest = scores[0];
  for (Value score : scores.drop_front())
    largest = combine(lanes, ReduceKind::Max, largest, score);
  largest = overKeys(lanes, largest, ReduceKind::Max);
  // Relative to a power of two all weights are rounded alike, whatever the largest was so far.
  if (plan.element.isBF16() && !op.hasLargest())
    largest = math::CeilOp::create(b, loc, largest);
  largest = combine(lanes, ReduceKind::Max, before, largest);
  Value scale = emitExp2(lanes, arith::SubFOp::create(b, loc, before, largest));
  Value &total = state.totals[size_t(number)];
  total = arith::MulFOp::create(b, loc, total, scale);
  for (Value &score : scores) {
    score = emitExp2(lanes, arith::SubFOp::create(b, loc, score, largest));
    total = arith::AddFOp::create(b, loc, total, score);
  }
  for (size_t i = size_t(number); i < state.sums.size(); i += kOwn)
    state.sums[i] = arith::MulFOp::create(b, loc, state.sums[i], scale);
  before = largest;
}

/// A thread has words of keys g and g + 8, of heads 2 t and 2 t + 1, and gets those of the keys
/// 2 t and 2 t + 8, and of 2 t + 1 and 2 t + 9, of head g. Of a head that is even and one that is
/// odd the first word comes from different threads, so one shuffle brings both: threads with odd
/// keys give their words in the other order.
DecodeMmaTask::Values DecodeMmaTask::exchange(ValueRange words) {
  Lanes isOdd = lanes.mod(group8, 2);
  Value odd = lanes.compare(arith::CmpIPredicate::eq, isOdd, lanes.constant(1));
  auto choose = [&](Value one, Value other) { return lanes.select(odd, one, other); };
  Lanes lane = lanes.add(lanes.mul(inGroup, lanes.constant(8)), lanes.floorDiv(group8, 2));
  auto read = [&](Value word, const Lanes &isSecond) -> Value {
    Lanes from = lanes.add(lane, lanes.mul(isSecond, lanes.constant(4)));
    Type i32 = lanes.b.getI32Type();
    Value number = arith::IndexCastOp::create(lanes.b, lanes.loc, i32, from.value);
    return nvx::ReadLaneOp::create(lanes.b, lanes.loc, i32, word, number);
  };
  Value first = read(choose(words[1], words[0]), isOdd);
  Value second = read(choose(words[0], words[1]), lanes.sub(lanes.constant(1), isOdd));
  return {choose(second, first), choose(first, second)};
}

void DecodeMmaTask::addValues(ArrayRef<Values> values, ValueRange weights, State &state) {
  auto take = [&](size_t key, int64_t element) {
    auto word = size_t(element / 2);
    return takeHalves(lanes, values[key][word], values[key + 1][word],
                      /*upper=*/element % 2 != 0);
  };
  MutableArrayRef<Value> sums = state.sums;
  for (int64_t i = 0, half = getProducts(); i != half; ++i) {
    Value a[] = {take(0, i), take(0, i + half), take(2, i), take(2, i + half)};
    addProduct(lanes, plan.element, a, weights, sums.slice(size_t(i * kRegistersC), kRegistersC));
  }
}

//===----------------------------------------------------------------------------------------===//
// From the warp to the block
//===----------------------------------------------------------------------------------------===//

void DecodeMmaTask::storeWarp(const State &state, Value memory) {
  State found = state;
  for (Value &total : found.totals)
    total = overKeys(lanes, total, ReduceKind::Sum);
  for (int64_t i = 0; i != kOwn; ++i) {
    Value exists = lanes.compare(arith::CmpIPredicate::slt, getOwnHead(i),
                                 lanes.constant(plan.schedule.heads));
    lanes.ifThen(exists, {}, [&] {
      storeOwn(i, found, memory);
      return Values();
    });
  }
}

/// The thread's part of a row, in front of what all threads of the head know.
void DecodeMmaTask::storeOwn(int64_t number, const State &state, Value memory) {
  OpBuilder &b = lanes.b;
  int64_t half = getProducts(), columns = plan.value.size;
  Lanes row = lanes.mul(warp, lanes.constant(plan.schedule.heads));
  row = lanes.mul(lanes.add(row, getOwnHead(number)), lanes.constant(plan.getSharedRow()));
  auto getSum = [&](int64_t element) {
    int64_t place = element % half * kRegistersC + element / half * 2 + number;
    return state.sums[size_t(place)];
  };
  auto store = [&](const Lanes &column, ValueRange numbers) {
    Value address = addElements(lanes, memory, lanes.add(row, column));
    Type type = VectorType::get({int64_t(numbers.size())}, b.getF32Type());
    Value vector = vector::FromElementsOp::create(b, lanes.loc, type, numbers);
    LLVM::StoreOp::create(b, lanes.loc, vector, address, unsigned(4 * numbers.size()));
  };
  for (int64_t first = 0; first != 2 * half; first += kChunk) {
    Lanes column = lanes.mul(group8, lanes.constant(kChunk));
    column = lanes.add(column, lanes.constant(first * 8));
    lanes.ifThen(lanes.compare(arith::CmpIPredicate::slt, column, lanes.constant(columns)), {},
                 [&] {
                   for (int64_t skip : {0, 4})
                     store(lanes.add(column, lanes.constant(skip)),
                           llvm::map_to_vector(llvm::seq(first + skip, first + skip + 4), getSum));
                   return Values();
                 });
  }
  Value isFirst = lanes.compare(arith::CmpIPredicate::eq, group8, lanes.constant(0));
  lanes.ifThen(isFirst, {}, [&] {
    store(lanes.constant(columns), {state.largest[size_t(number)], state.totals[size_t(number)]});
    return Values();
  });
}
