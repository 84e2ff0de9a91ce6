//===- TileOrder.cpp - which tiles are computed side by side --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileOrder.h"

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
