//===- DecodeResults.cpp - from parts of the keys to the results of few queries -----===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodeTask.h"

#include "SharedMemory.h"

#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/Exponential.h"

using namespace mlir;
using namespace weft;

/// Parts of a row that are read at once.
static constexpr int64_t kTogether = 8;

//===----------------------------------------------------------------------------------------===//
// Threads and warps
//===----------------------------------------------------------------------------------------===//

namespace {

/// A part of a row: sums of values, relative to the largest score, and what they are divided by.
struct Part {
  SmallVector<Value> sums;
  Value largest, total;
};

} // namespace

/// Both parts, relative to the larger score.
static Part merge(LaneBuilder &lanes, const Part &one, const Part &other) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Part both;
  both.largest = combine(lanes, ReduceKind::Max, one.largest, other.largest);
  auto scaleOf = [&](const Part &part) {
    return emitExp2(lanes, arith::SubFOp::create(b, loc, part.largest, both.largest));
  };
  Value first = scaleOf(one), second = scaleOf(other);
  auto add = [&](Value a, Value c) -> Value {
    Value scaled = arith::MulFOp::create(b, loc, a, first);
    Value product = arith::MulFOp::create(b, loc, c, second, kContract);
    return arith::AddFOp::create(b, loc, scaled, product, kContract);
  };
  for (auto [a, c] : llvm::zip_equal(one.sums, other.sums))
    both.sums.push_back(add(a, c));
  both.total = add(one.total, other.total);
  return both;
}

static SmallVector<Value> getElements(LaneBuilder &lanes, ValueRange vectors) {
  SmallVector<Value> elements;
  for (Value vector : vectors)
    if (auto type = dyn_cast<VectorType>(vector.getType()))
      for (int64_t i = 0; i != type.getNumElements(); ++i)
        elements.push_back(vector::ExtractOp::create(lanes.b, lanes.loc, vector, i));
    else
      elements.push_back(vector);
  return elements;
}

/// From now on sums are single numbers.
void DecodeTask::combineSlots(State &state) {
  for (auto [sums, largest, total] : llvm::zip_equal(state.sums, state.largest, state.totals)) {
    Part part{getElements(lanes, sums), largest, total};
    for (int64_t distance = plan.getThreads(); distance < kWarpSize; distance *= 2) {
      auto take = [&](Value value) { return shuffle(lanes, value, distance); };
      Part other{llvm::map_to_vector(part.sums, take), take(part.largest), take(part.total)};
      part = merge(lanes, part, other);
    }
    sums = Values(part.sums);
    largest = part.largest;
    total = part.total;
  }
}

/// What a warp found for a row, by the threads of its first key.
void DecodeTask::storeWarp(int64_t head, const State &state, Value memory) {
  auto row = size_t(head);
  const DecodeFactor &value = plan.value;
  Lanes start = lanes.mul(warp, lanes.constant(plan.getPartial()));
  auto store = [&](const Lanes &element, Value number) {
    storeScalar(lanes, memory, lanes.add(start, element), number);
  };
  Value isFirst = lanes.compare(arith::CmpIPredicate::eq, slot, lanes.constant(0));
  for (int64_t i = 0; i != plan.getPart(value); ++i) {
    Lanes number = lanes.add(inKey, lanes.constant(i * plan.getThreads()));
    Value exists =
        lanes.compare(arith::CmpIPredicate::slt, number, lanes.constant(value.getVectors()));
    lanes.ifThen(lanes.andMask(isFirst, exists), {}, [&] {
      Lanes element = lanes.mul(number, lanes.constant(value.width));
      for (int64_t j = 0; j != value.width; ++j)
        store(lanes.add(element, lanes.constant(j)), state.sums[row][size_t(i * value.width + j)]);
      return Values();
    });
  }
  Value isOne = lanes.compare(arith::CmpIPredicate::eq, inKey, lanes.constant(0));
  lanes.ifThen(lanes.andMask(isFirst, isOne), {}, [&] {
    store(lanes.constant(value.size), state.largest[row]);
    store(lanes.constant(value.size + 1), state.totals[row]);
    return Values();
  });
}

/// A column of a part that lies in memory.
static Part loadPart(LaneBuilder &lanes, Value memory, const Lanes &start, const Lanes &column,
                     int64_t size) {
  auto load = [&](const Lanes &element) {
    return loadScalar(lanes, memory, lanes.add(start, element), lanes.b.getF32Type());
  };
  return {{load(column)}, load(lanes.constant(size)), load(lanes.constant(size + 1))};
}

void DecodeTask::combineWarps(const State &state) {
  int64_t partial = plan.getPartial();
  auto type = LLVM::LLVMArrayType::get(lanes.b.getF32Type(), unsigned(plan.getWarps() * partial));
  Value memory = makeShared(lanes, type, "warps", /*alignment=*/16);
  for (int64_t head = 0; head != plan.schedule.heads; ++head) {
    if (head)
      nvx::BarrierOp::create(lanes.b, lanes.loc);
    storeWarp(head, state, memory);
    nvx::BarrierOp::create(lanes.b, lanes.loc);
    combineRow(head, memory, /*start=*/0, partial);
  }
}

/// Threads have a column each, or several that are a block apart.
void DecodePart::combineRow(int64_t head, Value memory, int64_t start, int64_t stride) {
  int64_t size = plan.value.size;
  for (int64_t skip = 0; skip < size; skip += plan.getBlock()) {
    Lanes column = lanes.add(thread, lanes.constant(skip));
    Lanes known = lanes.min(column, lanes.constant(size - 1));
    Part all = loadPart(lanes, memory, lanes.constant(start), known, size);
    for (int64_t i = 1; i != plan.getWarps(); ++i)
      all = merge(lanes, all,
                  loadPart(lanes, memory, lanes.constant(start + i * stride), known, size));
    if (plan.schedule.splits == 1)
      storeResults(head, column, all.sums[0], all.largest, all.total);
    else
      storePart(head, column, all.sums[0], all.largest, all.total);
  }
}

/// What the second kernel reads.
void DecodePart::storePart(int64_t head, const Lanes &column, Value sum, Value largest,
                           Value total) {
  int64_t size = plan.value.size;
  Lanes firstRow = lanes.mul(groupNumber, lanes.constant(plan.schedule.heads));
  Value partials = getPartials(lanes.add(firstRow, lanes.constant(head)));
  Lanes start = lanes.mul(split, lanes.constant(plan.getPartial()));
  auto storeIf = [&](arith::CmpIPredicate predicate, int64_t bound, ArrayRef<Value> numbers,
                     const Lanes &element) {
    lanes.ifThen(lanes.compare(predicate, column, lanes.constant(bound)), {}, [&] {
      for (auto [i, number] : llvm::enumerate(numbers))
        storeScalar(lanes, partials,
                    lanes.add(start, lanes.add(element, lanes.constant(int64_t(i)))), number);
      return Values();
    });
  };
  storeIf(arith::CmpIPredicate::slt, size, {sum}, column);
  if (column.interval.min == 0)
    storeIf(arith::CmpIPredicate::eq, 0, {largest, total}, lanes.constant(size));
}

//===----------------------------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------------------------===//

/// How many splits have keys: they are the first ones.
Lanes DecodeCombine::getNumParts() {
  Reach reach = getReach();
  int64_t splits = plan.schedule.splits;
  Lanes one = lanes.constant(1), ofSplit = lanes.max(reach.ofSplit, one);
  Lanes count = lanes.max(lanes.sub(reach.most, reach.least), lanes.constant(0));
  Lanes rest = lanes.sub(lanes.add(count, ofSplit), one);
  return lanes.binary(arith::DivUIOp::getOperationName(), rest, ofSplit, {0, splits});
}

void DecodeCombine::emit(const Lanes &task) {
  int64_t size = plan.value.size, heads = plan.schedule.heads;
  Lanes thread = getThread(lanes), column = lanes.min(thread, lanes.constant(size - 1));
  Lanes head = lanes.mod(task, heads);
  setGroup(lanes.floorDiv(task, heads));
  Lanes numParts = getNumParts();
  if (plan.roles.group)
    group[*plan.roles.group] = lanes.add(group[*plan.roles.group], head);
  Value partials = getPartials(task);
  Value zero = lanes.floatConstant(0), lowest = lanes.floatConstant(kLowest);
  Lanes last = lanes.sub(numParts, lanes.constant(1));
  last.interval.min = 0; // there is one, or nothing is read
  auto addParts = [&](const Lanes &round, ValueRange before) -> Values {
    SmallVector<Part> parts;
    for (int64_t i = 0; i != kTogether; ++i) {
      Lanes number = lanes.add(lanes.mul(round, lanes.constant(kTogether)), lanes.constant(i));
      Value exists = lanes.compare(arith::CmpIPredicate::sle, number, last);
      Lanes start = lanes.mul(lanes.min(number, last), lanes.constant(plan.getPartial()));
      Part part = loadPart(lanes, partials, start, column, size);
      parts.push_back({{lanes.select(exists, part.sums[0], zero)},
                       lanes.select(exists, part.largest, lowest),
                       lanes.select(exists, part.total, zero)});
    }
    Part all{{before[0]}, before[1], before[2]};
    for (const Part &part : parts)
      all = merge(lanes, all, part);
    return {all.sums[0], all.largest, all.total};
  };
  Values all = lanes.loop(lanes.ceilDiv(numParts, kTogether), {zero, lowest, zero}, addParts);
  storeResults(/*head=*/0, thread, all[0], all[1], all[2]);
}
