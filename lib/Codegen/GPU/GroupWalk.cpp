//===- GroupWalk.cpp - rows that neighbouring threads share ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GroupWalk.h"

#include "SharedMemory.h"

using namespace mlir;
using namespace weft;

Lanes weft::readNumber(LaneBuilder &lanes, Value number, int64_t most) {
  OpBuilder &b = lanes.b;
  return lanes.uniform(arith::IndexCastUIOp::create(b, lanes.loc, b.getIndexType(), number),
                       {0, most});
}

Value weft::makeWord(LaneBuilder &lanes, int64_t value) {
  return arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getI32IntegerAttr(int32_t(value)));
}

Lanes weft::makeOpaque(LaneBuilder &lanes, const Lanes &number) {
  Type i32 = lanes.b.getI32Type();
  Value word = arith::IndexCastOp::create(lanes.b, lanes.loc, i32, number.value);
  auto same = nvx::OpaqueOp::create(lanes.b, lanes.loc, TypeRange(i32), ValueRange(word));
  return readNumber(lanes, same->getResult(0), number.interval.max);
}

Lanes weft::getThread(LaneBuilder &lanes, int64_t threads) {
  Value id = nvx::ThreadIdOp::create(lanes.b, lanes.loc, lanes.b.getI32Type());
  return readNumber(lanes, id, threads - 1);
}

Lanes GroupWalk::getLane(LaneBuilder &lanes) const { return lanes.mod(getThread(lanes), threads); }

//===----------------------------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------------------------===//

/// The elements of vector number `number` of a row of up to `bound`.
static Lanes getElements(LaneBuilder &lanes, const Lanes &number, int64_t bound) {
  Lanes index = lanes.iota(lanes.mul(number, lanes.constant(lanes.width)));
  index.interval = {0, std::max<int64_t>(bound - 1, 0)};
  return index;
}

SmallVector<Value> GroupWalk::visitHeld(LaneBuilder &lanes, const Lanes &extent, ValueRange inits,
                                        Body body) const {
  int64_t step = threads * lanes.width, bound = extent.interval.max;
  std::optional<int64_t> size = extent.getConstant();
  Lanes vectors = lanes.floorDiv(extent, lanes.width), lane = getLane(lanes);
  Lanes last = lanes.sub(vectors, lanes.constant(1));
  SmallVector<Value> carried(inits);
  for (int64_t first = 0; first < bound; first += step) {
    Lanes number = lanes.add(lane, lanes.constant(first / lanes.width));
    RowPart part;
    if (!size || first + step > *size) {
      part.writes = lanes.compare(arith::CmpIPredicate::slt, number, vectors);
      part.counts = lanes.materialize(lanes.uniform(part.writes));
      number = lanes.min(number, last);
    }
    part.index = getElements(lanes, number, bound);
    carried = body(part, carried);
  }
  return carried;
}

SmallVector<Value> GroupWalk::visit(LaneBuilder &lanes, const Lanes &, const Lanes &upper,
                                    ValueRange inits, Body body) const {
  if (held)
    return visitHeld(lanes, upper, inits, body);
  Lanes vectors = lanes.floorDiv(upper, lanes.width);
  Interval range{0, std::max<int64_t>(vectors.interval.max - 1, 0)};
  return lanes.loop(getLane(lanes).value, vectors.value, threads, inits,
                    [&](Value iv, ValueRange carried) {
                      RowPart part;
                      part.index = getElements(lanes, lanes.uniform(iv, range), upper.interval.max);
                      return body(part, carried);
                    });
}

//===----------------------------------------------------------------------------------------===//
// From threads to the row
//===----------------------------------------------------------------------------------------===//

Value weft::shuffle(LaneBuilder &lanes, Value value, int64_t distance) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Type type = value.getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  if (type.isIndex()) {
    value = shuffle(lanes, arith::IndexCastOp::create(b, loc, i64, value), distance);
    return arith::IndexCastOp::create(b, loc, type, value);
  }
  if (type != i64)
    return nvx::ShuffleOp::create(b, loc, value, b.getI32IntegerAttr(int32_t(distance)));
  Value half = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value upper = arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, value, half));
  Value lower = arith::TruncIOp::create(b, loc, i32, value);
  upper = arith::ExtUIOp::create(b, loc, i64, shuffle(lanes, upper, distance));
  lower = arith::ExtUIOp::create(b, loc, i64, shuffle(lanes, lower, distance));
  return arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, upper, half), lower);
}

void GroupWalk::combine(LaneBuilder &lanes, const Accumulator &accumulator,
                        MutableArrayRef<Value> carried) const {
  if (lanes.width > 1)
    accumulator.combineLanes(lanes, carried);
  LaneBuilder single = lanes.withWidth(1);
  for (int64_t distance = kWarpSize / 2; distance > 0; distance /= 2) {
    SmallVector<Value> others;
    for (Value value : carried)
      others.push_back(shuffle(single, value, distance));
    llvm::copy(accumulator.merge(single, carried, others), carried.begin());
  }
  if (threads > kWarpSize)
    combineWarps(single, accumulator, carried);
}

void GroupWalk::combineWarps(LaneBuilder &lanes, const Accumulator &accumulator,
                             MutableArrayRef<Value> carried) const {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Type index = b.getIndexType(), i64 = b.getI64Type();
  auto cast = [&](Value value, Type from, Type to) -> Value {
    bool isOther = value.getType() == from;
    return isOther ? arith::IndexCastOp::create(b, loc, to, value).getResult() : value;
  };
  int64_t warps = threads / kWarpSize;
  Lanes lane = getLane(lanes);
  SmallVector<Value> own, places;
  for (Value value : carried) {
    own.push_back(cast(value, index, i64));
    // Every combination has its own, so that none is written while another one is still read.
    auto type = LLVM::LLVMArrayType::get(own.back().getType(), unsigned(warps));
    places.push_back(makeShared(lanes, type, "warps", /*alignment=*/8));
  }
  Lanes inWarp = lanes.mod(lane, kWarpSize), warp = lanes.floorDiv(lane, kWarpSize);
  lanes.ifThen(lanes.compare(arith::CmpIPredicate::eq, inWarp, lanes.constant(0)), {}, [&] {
    for (auto [place, value] : llvm::zip_equal(places, own))
      storeScalar(lanes, place, warp, value);
    return SmallVector<Value>();
  });
  nvx::BarrierOp::create(b, loc);
  for (int64_t i = 0; i != warps; ++i) {
    SmallVector<Value> others;
    for (auto [place, value, mine] : llvm::zip_equal(places, carried, own)) {
      Value loaded = loadScalar(lanes, place, lanes.constant(i), mine.getType());
      others.push_back(value.getType() == index ? cast(loaded, i64, index) : loaded);
    }
    llvm::copy(i == 0 ? others : accumulator.merge(lanes, carried, others), carried.begin());
  }
}

void GroupWalk::writeOnce(LaneBuilder &lanes, llvm::function_ref<void()> write) const {
  Value isFirst = lanes.compare(arith::CmpIPredicate::eq, getLane(lanes), lanes.constant(0));
  lanes.ifThen(isFirst, {}, [&] {
    write();
    return SmallVector<Value>();
  });
}
