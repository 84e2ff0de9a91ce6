//===- MmaChoice.cpp - the rows that choose the matrix of a tile ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A block finds its rows itself. Each thread looks at the choices of some rows that follow each
// other and counts those of the block's matrix; what the threads before it found says which number
// the first of them has, and those whose numbers are the tile's go to a list in shared memory, in
// their order. There are tiles for all rows of each matrix, as it is not known who chooses what
// when a kernel is launched: those of the numbers that there are not are done with that.
//
//===----------------------------------------------------------------------------------------===//

#include "MmaTask.h"

using namespace mlir;
using namespace weft;

static constexpr int64_t kWarps = kBlockSize / kWarpSize, kWord = 4;

/// 1 where there is such a row and it does, else 0.
Value MmaTask::choosesMatrix(const Lanes &row) {
  const Product &product = plan.shape.product;
  Lanes known = lanes.min(row, lanes.sub(sizeM, lanes.constant(1)));
  known.interval = {0, plan.shape.sizeM - 1};
  Lanes choice = getChoice(lanes, kernel, op, product, indices, known);
  Value isOwn = lanes.compare(arith::CmpIPredicate::eq, choice, indices[*product.chosen]);
  Value exists = lanes.compare(arith::CmpIPredicate::slt, row, sizeM);
  return arith::ExtUIOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(),
                                lanes.andMask(exists, isOwn));
}

/// Of a row of the tile, in the list.
Value MmaTask::getListPlace(const Lanes &inTile) {
  Lanes before = lanes.mul(inTile, lanes.constant(kWord));
  return getShared(lanes.add(before, lanes.constant(plan.getRingBytes())));
}

/// Which row of the product one of the tile is; the number of all rows if there is none.
Lanes MmaTask::getListed(const Lanes &inTile) {
  Lanes row =
      lanes.min(inTile, lanes.constant(plan.schedule.tile[0] - 1)); // of threads without one
  Value listed =
      LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(), getListPlace(row), kWord);
  return readNumber(lanes, listed, plan.shape.sizeM);
}

/// What the threads before this one have, and all together, of the warp: pairs of threads, of
/// pairs, and so on tell each other what they have.
std::pair<Value, Value> MmaTask::addInWarp(Value own) {
  OpBuilder &b = lanes.b;
  Value before = makeWord(lanes, 0), total = own;
  for (int64_t distance = 1; distance != kWarpSize; distance *= 2) {
    Value others = shuffle(lanes, total, distance);
    Lanes isUpper = lanes.mod(lanes.floorDiv(lane, distance), 2);
    Value counted =
        lanes.select(lanes.compare(arith::CmpIPredicate::eq, isUpper, lanes.constant(1)), others,
                     makeWord(lanes, 0));
    before = arith::AddIOp::create(b, lanes.loc, before, counted);
    total = arith::AddIOp::create(b, lanes.loc, total, others);
  }
  return {before, total};
}

/// The same of the block, where all threads wait for all; the ring has the warps' totals.
std::pair<Value, Value> MmaTask::addInBlock(Value own) {
  OpBuilder &b = lanes.b;
  auto ofWarp = addInWarp(own);
  Value before = ofWarp.first;
  Lanes warp = lanes.floorDiv(thread, kWarpSize);
  auto getPlace = [&](const Lanes &number) {
    return getShared(lanes.mul(number, lanes.constant(kWord)));
  };
  lanes.ifThen(lanes.compare(arith::CmpIPredicate::eq, lane, lanes.constant(0)), {}, [&] {
    LLVM::StoreOp::create(b, lanes.loc, ofWarp.second, getPlace(warp), kWord);
    return SmallVector<Value>();
  });
  nvx::BarrierOp::create(b, lanes.loc);
  Value all = makeWord(lanes, 0);
  for (int64_t i = 0; i != kWarps; ++i) {
    Value found =
        LLVM::LoadOp::create(b, lanes.loc, b.getI32Type(), getPlace(lanes.constant(i)), kWord);
    Value isBefore = lanes.compare(arith::CmpIPredicate::slt, lanes.constant(i), warp);
    Value counted = lanes.select(isBefore, found, makeWord(lanes, 0));
    before = arith::AddIOp::create(b, lanes.loc, before, counted);
    all = arith::AddIOp::create(b, lanes.loc, all, found);
  }
  return {before, all};
}

Value MmaTask::listRows() {
  OpBuilder &b = lanes.b;
  int64_t rows = plan.schedule.tile[0];
  auto store = [&](const Lanes &place, const Lanes &row) {
    Value word = arith::IndexCastOp::create(b, lanes.loc, b.getI32Type(), row.value);
    LLVM::StoreOp::create(b, lanes.loc, word, getListPlace(place), kWord);
    return SmallVector<Value>();
  };
  lanes.ifThen(lanes.compare(arith::CmpIPredicate::slt, thread, lanes.constant(rows)), {},
               [&] { return store(thread, sizeM); });
  Lanes ofThread = lanes.ceilDiv(sizeM, kBlockSize), first = lanes.mul(thread, ofThread);
  Value own = lanes.loop(ofThread, makeWord(lanes, 0), [&](const Lanes &i, ValueRange carried) {
    Value more = choosesMatrix(lanes.add(first, i));
    return SmallVector<Value>{arith::AddIOp::create(b, lanes.loc, carried[0], more)};
  })[0];
  auto [before, all] = addInBlock(own);
  const Lanes &begin = firstRow;
  lanes.loop(ofThread, before, [&](const Lanes &i, ValueRange carried) {
    Lanes row = lanes.add(first, i);
    Value isOwn = choosesMatrix(row);
    Lanes counted = readNumber(lanes, carried[0], plan.shape.sizeM);
    Value isListed = lanes.andMask(
        lanes.compare(arith::CmpIPredicate::sge, counted, begin),
        lanes.compare(arith::CmpIPredicate::slt, counted, lanes.add(begin, lanes.constant(rows))));
    Value isChosen =
        arith::CmpIOp::create(b, lanes.loc, arith::CmpIPredicate::ne, isOwn, makeWord(lanes, 0));
    lanes.ifThen(lanes.andMask(isListed, isChosen), {}, [&] {
      Lanes place = lanes.sub(counted, begin);
      place.interval = {0, rows - 1};
      return store(place, row);
    });
    return SmallVector<Value>{arith::AddIOp::create(b, lanes.loc, carried[0], isOwn)};
  });
  nvx::BarrierOp::create(b, lanes.loc);
  return lanes.compare(arith::CmpIPredicate::slt, begin, readNumber(lanes, all, plan.shape.sizeM));
}
