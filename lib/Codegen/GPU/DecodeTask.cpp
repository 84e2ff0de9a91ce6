//===- DecodeTask.cpp - the code of one part of the keys of few queries -------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodeTask.h"

#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/AttentionTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;

void DecodeTask::emit(const Lanes &task) {
  setTask(task);
  inKey = lanes.mod(lane, plan.getThreads());
  slot = lanes.floorDiv(lane, plan.getThreads());
  for (int64_t head = 0; head != plan.schedule.heads; ++head)
    queries.push_back(load(plan.query, getRowIndices(head), /*cleared=*/true));
  setReach();
  ifKeys([&] {
    State state = emitLoop();
    combineSlots(state);
    combineWarps(state);
  });
}

DecodeTask::Values DecodeTask::load(const DecodeFactor &factor, ArrayRef<Lanes> indices,
                                    bool cleared) {
  LaneBuilder together = of(factor);
  Values vectors;
  int64_t last = factor.getVectors() - 1;
  for (int64_t i = 0; i != plan.getPart(factor); ++i) {
    Lanes number = lanes.add(inKey, lanes.constant(i * plan.getThreads()));
    bool isWhole = (i + 1) * plan.getThreads() <= factor.getVectors();
    Lanes known = isWhole ? number : lanes.min(number, lanes.constant(last));
    Lanes element = together.iota(lanes.mul(known, lanes.constant(factor.width)));
    element.interval = {0, factor.size - 1};
    SmallVector<Lanes> values(indices);
    setIndices(together, kernel, op.getIndices(), factor.along, element, values);
    RegionEmitter region(together, kernel, values, /*mask=*/Value());
    Lanes loaded = region.load(op.getInputs()[factor.input], formula.getInputMap(factor.input));
    Value vector = together.materialize(loaded);
    if (cleared && !isWhole) {
      Value exists = lanes.compare(arith::CmpIPredicate::sle, number, lanes.constant(last));
      vector = lanes.select(exists, vector, together.floatVector(0));
    }
    vectors.push_back(vector);
  }
  return vectors;
}

//===----------------------------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------------------------===//

DecodeTask::Values DecodeTask::State::flatten() const {
  Values all;
  for (const Values &ofRow : sums)
    llvm::append_range(all, ofRow);
  llvm::append_range(all, largest);
  llvm::append_range(all, totals);
  return all;
}

/// The values in the form of this state.
DecodeTask::State DecodeTask::State::like(ValueRange carried) const {
  State state;
  for (const Values &ofRow : sums) {
    state.sums.emplace_back(carried.take_front(ofRow.size()));
    carried = carried.drop_front(ofRow.size());
  }
  state.largest = Values(carried.take_front(largest.size()));
  state.totals = Values(carried.drop_front(largest.size()));
  return state;
}

DecodeTask::State DecodeTask::emitLoop() {
  auto heads = size_t(plan.schedule.heads), part = size_t(plan.getPart(plan.value));
  State none;
  none.sums.assign(heads, Values(part, of(plan.value).floatVector(0)));
  none.largest.assign(heads, lanes.floatConstant(kLowest));
  none.totals.assign(heads, lanes.floatConstant(0));
  Interval interval{0, keyIndex().getSize() - 1};
  Values carried = lanes.loop(first.value, end.value, plan.getKeysOfStep(), none.flatten(),
                              [&](Value iv, ValueRange before) {
                                Lanes step = lanes.uniform(iv, interval);
                                return emitStep(step, none.like(before)).flatten();
                              });
  return none.like(carried);
}

DecodeTask::State DecodeTask::emitStep(const Lanes &step, State state) {
  SmallVector<Values> keys, values;
  SmallVector<Lanes> numbers;
  Values exist;
  for (int64_t i = 0; i != plan.schedule.keys; ++i) {
    Lanes ofWarp = lanes.add(warp, lanes.constant(i * plan.getWarps()));
    Lanes inStep = lanes.add(lanes.mul(ofWarp, lanes.constant(plan.getKeysOfWarp())), slot);
    auto [key, exists] = getKey(lanes.add(step, inStep));
    exist.push_back(exists);
    SmallVector<Lanes> indices = getKeyIndices(key);
    keys.push_back(load(plan.key, indices, /*cleared=*/false));
    values.push_back(load(plan.value, indices, /*cleared=*/false));
    numbers.push_back(key);
  }
  for (int64_t head = 0; head != plan.schedule.heads; ++head) {
    Values scores;
    for (auto [key, number, exists] : llvm::zip_equal(keys, numbers, exist))
      scores.push_back(emitScore(head, key, number, exists));
    addKeys(head, scores, values, state);
  }
  return state;
}

Value DecodeTask::emitScore(int64_t head, ValueRange keys, const Lanes &key, Value exists) {
  OpBuilder &b = lanes.b;
  Value dot;
  auto add = [&](Value query, Value other) {
    dot = dot ? multiplyAdd(b, lanes.loc, dot, query, other)
              : arith::MulFOp::create(b, lanes.loc, query, other, kContract).getResult();
  };
  for (auto [query, other] : llvm::zip_equal(queries[size_t(head)], keys))
    if (plan.key.width == 1)
      add(query, other);
    else
      for (int64_t i = 0; i != plan.key.width; ++i)
        add(vector::ExtractOp::create(b, lanes.loc, query, i),
            vector::ExtractOp::create(b, lanes.loc, other, i));
  for (int64_t distance = 1; distance < plan.getThreads(); distance *= 2)
    dot = combine(lanes, ReduceKind::Sum, dot, shuffle(lanes, dot, distance));
  return finishScore(rows[size_t(head)], key, exists, dot);
}

void DecodeTask::addKeys(int64_t head, ValueRange scores, ArrayRef<Values> values, State &state) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  LaneBuilder together = of(plan.value);
  auto row = size_t(head);
  bool rounds = getWeightType(op).isBF16();
  Value before = state.largest[row], largest = scores[0];
  for (Value score : scores.drop_front())
    largest = combine(lanes, ReduceKind::Max, largest, score);
  // Relative to a power of two all weights are rounded alike, whatever the largest was so far.
  if (areRelativeToPower(op))
    largest = math::CeilOp::create(b, loc, largest);
  largest = combine(lanes, ReduceKind::Max, before, largest);
  Value scale = emitExp2(lanes, arith::SubFOp::create(b, loc, before, largest));
  Value scales = together.materialize(lanes.uniform(scale));
  Value total = arith::MulFOp::create(b, loc, state.totals[row], scale);
  for (Value &sum : state.sums[row])
    sum = arith::MulFOp::create(b, loc, sum, scales);
  for (auto [score, ofKey] : llvm::zip_equal(scores, values)) {
    Value weight = emitExp2(lanes, arith::SubFOp::create(b, loc, score, largest));
    total = arith::AddFOp::create(b, loc, total, weight);
    if (rounds)
      weight = extendElement(lanes, roundElement(lanes, weight, b.getBF16Type()), b.getBF16Type());
    weight = together.materialize(lanes.uniform(weight));
    for (auto [sum, value] : llvm::zip_equal(state.sums[row], ofKey))
      sum = multiplyAdd(b, loc, sum, weight, value);
  }
  state.largest[row] = largest;
  state.totals[row] = total;
}
