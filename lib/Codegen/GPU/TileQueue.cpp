//===- TileQueue.cpp - tiles that blocks draw ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileQueue.h"

#include "GroupWalk.h"
#include "SharedMemory.h"
#include "SharedTile.h"

using namespace mlir;
using namespace weft;

static constexpr auto kOrdering = LLVM::AtomicOrdering::monotonic;

Value TileQueue::getPlace(LaneBuilder &lanes, const TileBlock &block, const Lanes &step) const {
  return getSharedPlace(lanes, block.memory, ring.getStage(lanes, step));
}

/// By the first thread of the warp that copies: the number of the next tile, or one that is none.
void TileQueue::draw(LaneBuilder &lanes, const TileBlock &block, const Lanes &numTiles,
                     const Lanes &blocks, const Lanes &step) const {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Type i32 = b.getI32Type();
  auto asWord = [&](const Lanes &number) {
    return b.createOrFold<arith::IndexCastOp>(loc, i32, number.value);
  };
  Value drawn = getDrawn(lanes);
  Value number = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, drawn,
                                           makeWord(lanes, 1), kOrdering);
  Value last = asWord(lanes.sub(numTiles, lanes.constant(1)));
  lanes.ifThen(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, last), {}, [&] {
    LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg, drawn, makeWord(lanes, 0),
                              kOrdering);
    return SmallVector<Value>();
  });
  ring.waitEmpty(lanes, block.memory, step);
  Value tile = arith::AddIOp::create(b, loc, number, asWord(blocks));
  LLVM::StoreOp::create(b, loc, tile, getPlace(lanes, block, step), /*alignment=*/4);
  ring.fill(lanes, block.memory, step);
}

SmallVector<Value> TileQueue::forTiles(LaneBuilder &lanes, const TileBlock &block, bool draws,
                                       const Lanes &numTiles, ValueRange inits,
                                       TileBody body) const {
  OpBuilder &b = lanes.b;
  int64_t most = std::max<int64_t>(numTiles.interval.max, 1);
  GridPart part = getGridPart(lanes, most);
  Value first = lanes.compare(arith::CmpIPredicate::eq, lanes.mod(block.thread, kWarpSize),
                              lanes.constant(0));
  auto next = [&](const Lanes &step) {
    if (draws)
      lanes.ifThen(first, {}, [&] {
        draw(lanes, block, numTiles, part.blocks, step);
        return SmallVector<Value>();
      });
    ring.waitFull(lanes, block.memory, step);
    Value tile = LLVM::LoadOp::create(b, lanes.loc, b.getI32Type(), getPlace(lanes, block, step),
                                      /*alignment=*/4);
    nvx::WarpBarrierOp::create(b, lanes.loc);
    if (!draws)
      releaseStage(lanes, block, ring, step);
    return readNumber(lanes, tile, 2 * most);
  };
  SmallVector<Value> start = {part.block.value, lanes.indexConstant(0)};
  llvm::append_range(start, inits);
  auto isTile = [&](ValueRange carried) {
    return lanes.compare(arith::CmpIPredicate::slt, lanes.uniform(carried[0], {0, 2 * most}),
                         numTiles);
  };
  SmallVector<Value> last = lanes.repeat(start, isTile, [&](ValueRange carried) {
    Lanes tile = lanes.uniform(carried[0], {0, most - 1}), step = asCount(lanes, carried[1]);
    SmallVector<Value> values = body(tile, step, carried.drop_front(2));
    SmallVector<Value> all = {next(step).value, lanes.add(step, lanes.constant(1)).value};
    llvm::append_range(all, values);
    return all;
  });
  last.erase(last.begin(), last.begin() + 2);
  return last;
}
