//===- TileOrder.cpp - which tiles are computed side by side --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileOrder.h"

#include "GroupWalk.h"
#include "TileBlock.h"

using namespace mlir;
using namespace weft;

TilePlace weft::getPlace(LaneBuilder &lanes, const TileGrid &grid, const Lanes &number) {
  const Lanes &outer = grid.outer, &inner = grid.inner;
  if (inner.interval.max <= grid.group) {
    SmallVector<Lanes> place = lanes.delinearize(number, {outer, inner});
    return {place[0], place[1]};
  }
  Lanes size = lanes.constant(grid.group);
  SmallVector<Lanes> place =
      lanes.delinearize(number, {lanes.ceilDiv(inner, grid.group), lanes.mul(outer, size)});
  Lanes first = lanes.mul(place[0], size);
  std::optional<int64_t> known = inner.getConstant();
  if (!known || *known % grid.group != 0) { // the last group has fewer
    size = lanes.min(lanes.sub(inner, first), size);
    size.interval = {1, grid.group};
  }
  SmallVector<Lanes> inGroup = lanes.delinearize(place[1], {outer, size});
  Lanes found = lanes.add(first, inGroup[1]);
  found.interval = {0, inner.interval.max - 1};
  return {inGroup[0], found};
}

namespace {

/// Numbers that are not known before a kernel runs, none of them larger than `most`.
struct Whole {
  LaneBuilder &lanes;
  int64_t most;

  Lanes quotient(const Lanes &a, const Lanes &b) {
    return lanes.binary(arith::DivUIOp::getOperationName(), a, b, {0, most});
  }
  Lanes rest(const Lanes &a, const Lanes &b) {
    return lanes.binary(arith::RemUIOp::getOperationName(), a, b, {0, most});
  }
  Lanes roundUp(const Lanes &a, const Lanes &b) {
    return quotient(lanes.sub(lanes.add(a, b), lanes.constant(1)), b);
  }
  Lanes product(const Lanes &a, const Lanes &b) {
    return lanes.binary(arith::MulIOp::getOperationName(), a, b, {0, most});
  }
};

} // namespace

void weft::forSmallerTiles(
    LaneBuilder &lanes, const TileGrid &grid,
    llvm::function_ref<Lanes(const TilePlace &place, const Lanes &number)> body) {
  const Lanes &outer = grid.outer, &inner = grid.inner;
  Lanes tiles = lanes.mul(outer, inner);
  int64_t mostTiles = std::max<int64_t>(tiles.interval.max, 1);
  GridPart part = getGridPart(lanes, mostTiles);
  // Two rounds more than tiles, and what rounding up adds.
  Whole whole{lanes, mostTiles <= kMostCopies ? 4 * mostTiles + (1 << 20) : INT64_MAX};
  Lanes two = lanes.constant(2), one = lanes.constant(1);
  Lanes atLeast = whole.roundUp(whole.product(part.blocks, two), lanes.max(outer, one));
  Lanes group = lanes.min(lanes.max(atLeast, lanes.constant(grid.group)), lanes.max(inner, one));
  Lanes rounds = whole.roundUp(whole.product(outer, group), part.blocks);
  Lanes all = whole.product(whole.roundUp(inner, group), rounds);
  lanes.loop(all, {lanes.indexConstant(0)}, [&](const Lanes &i, ValueRange carried) {
    Lanes number = lanes.uniform(carried[0], {0, kMostCopies});
    Lanes first = whole.product(whole.quotient(i, rounds), group), round = whole.rest(i, rounds);
    Value isBack = lanes.compare(arith::CmpIPredicate::ne, lanes.mod(round, 2), lanes.constant(0));
    Lanes back = lanes.sub(lanes.sub(part.blocks, part.block), one);
    Lanes turn = lanes.uniform(lanes.select(isBack, back.value, part.block.value), {0, mostTiles});
    Lanes inGroup = lanes.add(whole.product(round, part.blocks), turn);
    Lanes size = lanes.min(group, lanes.sub(inner, first));
    size.interval = {1, std::max<int64_t>(inner.interval.max, 1)};
    Value exists = lanes.compare(arith::CmpIPredicate::slt, inGroup, whole.product(outer, size));
    return lanes.ifThen(exists, carried, [&]() -> SmallVector<Value> {
      TilePlace place{whole.quotient(inGroup, size), lanes.add(first, whole.rest(inGroup, size))};
      place.outer.interval = {0, std::max<int64_t>(outer.interval.max - 1, 0)};
      place.inner.interval = {0, std::max<int64_t>(inner.interval.max - 1, 0)};
      return {body(place, number).value};
    });
  });
}
