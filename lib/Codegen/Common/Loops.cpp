//===- Loops.cpp - loops over lanes ---------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Lanes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

#include <numeric>

using namespace mlir;
using namespace weft;

SmallVector<Value> LaneBuilder::loop(Value lower, Value upper, int64_t step, ValueRange inits,
                                     LoopBody body) {
  auto emitBody = [&](OpBuilder &, Location, Value iv, ValueRange carried) {
    SmallVector<Value> results = body(iv, carried);
    scf::YieldOp::create(b, loc, results);
  };
  // The builder moves into the body and back; `b` is the builder every helper writes with.
  OpBuilder::InsertionGuard guard(b);
  auto forOp = scf::ForOp::create(b, loc, lower, upper, indexConstant(step), inits);
  if (inits.empty() && !forOp.getBody()->empty())
    forOp.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(forOp.getBody());
  emitBody(b, loc, forOp.getInductionVar(), forOp.getRegionIterArgs());
  return forOp.getResults();
}

SmallVector<Value>
LaneBuilder::loop(const Lanes &extent, ValueRange inits,
                  llvm::function_ref<SmallVector<Value>(const Lanes &, ValueRange)> body) {
  Interval interval{0, extent.interval.max == INT64_MAX
                           ? INT64_MAX
                           : std::max<int64_t>(extent.interval.max - 1, 0)};
  if (extent.getConstant() == 1)
    return body(constant(0), inits);
  return loop(indexConstant(0), extent.value, 1, inits,
              [&](Value iv, ValueRange carried) { return body(uniform(iv, interval), carried); });
}

SmallVector<Value> LaneBuilder::repeat(ValueRange inits,
                                       llvm::function_ref<Value(ValueRange)> condition,
                                       llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  OpBuilder::InsertionGuard guard(b);
  auto whileOp = scf::WhileOp::create(b, loc, inits.getTypes(), inits);
  auto fill = [&](Region &region, llvm::function_ref<void(ValueRange)> write) {
    SmallVector<Location> locations(inits.size(), loc);
    Block *block = b.createBlock(&region, region.end(), inits.getTypes(), locations);
    write(block->getArguments());
  };
  fill(whileOp.getBefore(),
       [&](ValueRange carried) { scf::ConditionOp::create(b, loc, condition(carried), carried); });
  fill(whileOp.getAfter(),
       [&](ValueRange carried) { scf::YieldOp::create(b, loc, body(carried)); });
  return whileOp.getResults();
}

Value LaneBuilder::maskBelow(Value index, Value upper) {
  // Saturated at the width, because the lanes are compared as i32.
  Value count = b.createOrFold<arith::SubIOp>(loc, upper, index);
  count = b.createOrFold<arith::MinSIOp>(loc, count, indexConstant(width));
  count = b.createOrFold<arith::MaxSIOp>(loc, count, indexConstant(0));
  Lanes lanes = iota(constant(0)), limit = uniform(count, {0, width});
  return compare(arith::CmpIPredicate::slt, lanes, limit);
}

SmallVector<Value> LaneBuilder::laneLoop(const Lanes &lower, const Lanes &upper, ValueRange inits,
                                         LaneBody body) {
  int64_t top = upper.interval.max;
  auto at = [&](Value iv) {
    Interval interval{lower.interval.min, top == INT64_MAX ? top : std::max<int64_t>(top - 1, 0)};
    Lanes index = uniform(iv, interval, std::gcd(lower.divisor, width));
    if (width > 1)
      index.stride = 1;
    return index;
  };
  if (width == 1)
    return loop(lower.value, upper.value, 1, inits,
                [&](Value iv, ValueRange carried) { return body(at(iv), Value(), carried); });

  Lanes extent = sub(upper, lower);
  std::optional<int64_t> count = extent.getConstant();
  Lanes rest = mod(uniform(extent.value, {0, std::max<int64_t>(extent.interval.max, 0)}), width);
  Value fullEnd = b.createOrFold<arith::SubIOp>(loc, upper.value, rest.value);
  SmallVector<Value> carried(inits);
  if (!count || *count >= width)
    carried = loop(lower.value, fullEnd, width, carried,
                   [&](Value iv, ValueRange values) { return body(at(iv), Value(), values); });
  if (count && *count % width == 0)
    return carried;
  auto tail = [&] { return body(at(fullEnd), maskBelow(fullEnd, upper.value), carried); };
  if (count)
    return tail();
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, fullEnd, upper.value);
  return ifThen(some, carried, tail);
}

SmallVector<Value> LaneBuilder::ifThen(Value condition, ValueRange otherwise,
                                       llvm::function_ref<SmallVector<Value>()> body) {
  OpBuilder::InsertionGuard guard(b);
  auto ifOp =
      scf::IfOp::create(b, loc, TypeRange(otherwise), condition, /*withElse=*/!otherwise.empty());
  auto fill = [&](Block *block, llvm::function_ref<SmallVector<Value>()> write) {
    if (!block->empty())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    SmallVector<Value> results = write();
    scf::YieldOp::create(b, loc, results);
  };
  fill(ifOp.thenBlock(), body);
  if (!otherwise.empty())
    fill(ifOp.elseBlock(), [&] { return SmallVector<Value>(otherwise); });
  return ifOp.getResults();
}

SmallVector<Value> LaneBuilder::either(Value condition,
                                       llvm::function_ref<SmallVector<Value>()> yes,
                                       llvm::function_ref<SmallVector<Value>()> no) {
  auto write = [&](llvm::function_ref<SmallVector<Value>()> body) {
    return [this, body](OpBuilder &inside, Location) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(inside.getInsertionBlock(), inside.getInsertionPoint());
      SmallVector<Value> results = body();
      scf::YieldOp::create(b, loc, results);
    };
  };
  return scf::IfOp::create(b, loc, condition, write(yes), write(no)).getResults();
}

void LaneBuilder::choose(Value condition, llvm::function_ref<void()> yes,
                         llvm::function_ref<void()> no) {
  OpBuilder::InsertionGuard guard(b);
  auto ifOp = scf::IfOp::create(b, loc, TypeRange(), condition, /*withElse=*/true);
  b.setInsertionPoint(ifOp.thenYield());
  yes();
  b.setInsertionPoint(ifOp.elseYield());
  no();
}

void LaneBuilder::chooseWhole(const Lanes &first, int64_t step, const Lanes &extent,
                              llvm::function_ref<void()> whole, llvm::function_ref<void()> rest) {
  Lanes end = add(first, constant(step));
  if (std::optional<int64_t> size = extent.getConstant(); size && *size % step == 0)
    return whole();
  choose(compare(arith::CmpIPredicate::sle, end, extent), whole, rest);
}

/// Where the tiles of `size` end: before the last one, if it and what is left are two of `part`.
static Lanes endTiles(LaneBuilder &lanes, const Lanes &count, int64_t size, int64_t part) {
  Lanes rest = lanes.mod(count, size), end = lanes.sub(count, rest);
  int64_t even = 2 * part - size;
  if (even <= 0 || count.interval.max < 2 * part)
    return end;
  if (std::optional<int64_t> constant = count.getConstant())
    return lanes.constant(*constant % size == even ? *constant - 2 * part
                                                   : *constant / size * size);
  Value isEven = lanes.compare(arith::CmpIPredicate::eq, rest, lanes.constant(even));
  Value hasTile = lanes.compare(arith::CmpIPredicate::sge, count, lanes.constant(size));
  Value both = arith::AndIOp::create(lanes.b, lanes.loc, isEven, hasTile);
  Value earlier = lanes.sub(end, lanes.constant(size)).value;
  return lanes.uniform(arith::SelectOp::create(lanes.b, lanes.loc, both, earlier, end.value),
                       {0, count.interval.max});
}

void LaneBuilder::tileLoop(const Lanes &count, int64_t size,
                           llvm::function_ref<void(const Lanes &, int64_t)> body) {
  int64_t half = llvm::bit_floor(uint64_t(std::max<int64_t>(size - 1, 1)));
  Lanes first = constant(0), end = endTiles(*this, count, size, half);
  for (int64_t part = size; part >= 1; part = part == size ? std::min(half, size - 1) : part / 2) {
    Lanes left = sub(count, first);
    Lanes next = part == size ? end : add(first, sub(left, mod(left, part)));
    std::optional<int64_t> constantFirst = first.getConstant(), constantNext = next.getConstant();
    bool isKnown = constantFirst && constantNext, isMany = part == size || part * 2 > size;
    if (isKnown ? *constantFirst == *constantNext : count.interval.max < part)
      continue; // none
    auto emit = [&](Value iv) { body(uniform(iv, {0, count.interval.max}), part); };
    if (isMany && !(isKnown && *constantNext - *constantFirst == part))
      loop(first.value, next.value, part, {}, [&](Value iv, ValueRange) {
        emit(iv);
        return SmallVector<Value>();
      });
    else if (isKnown)
      body(first, part);
    else
      ifThen(compare(arith::CmpIPredicate::slt, first, next), {}, [&] {
        emit(first.value);
        return SmallVector<Value>();
      });
    first = next;
  }
}
