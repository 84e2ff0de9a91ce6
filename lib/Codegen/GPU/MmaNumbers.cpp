//===- MmaNumbers.cpp - numbers of 4 bits on their way to registers ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Sums of whole numbers are exact in any order, so k is dealt out as threads like it: of a step,
// the four threads that share a column have a quarter each, side by side. That is at most 32
// numbers, 16 bytes that are read at once, and they are of one group, whose factor is prepared once
// for them. Eight numbers, a word, are a thread's part of one product; those of A are its
// neighbours' bytes.
//
//===----------------------------------------------------------------------------------------===//

#include "FactorOrder.h"
#include "MmaTask.h"

using namespace mlir;
using namespace weft;

/// Numbers of a word.
static constexpr int64_t kOfWord = 8;

/// Where the thread's quarter of a row of `bytes` bytes begins: at a chunk, or within one.
std::pair<Lanes, Lanes> MmaTask::getQuarter(int64_t bytes) {
  Lanes begin = lanes.mul(lanes.mod(lane, 4), lanes.constant(bytes / 4));
  return {lanes.floorDiv(begin, kChunkBytes), lanes.mod(begin, kChunkBytes)};
}

/// (u - z) m of a number u is u m + 128 - z m, a byte without a sign, less 128: so four of them are
/// computed at once.
MmaTask::NumbersOfColumn MmaTask::loadNumbers(const Lanes &step, int64_t block) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  const CodedColumns &codes = *plan.shape.codes;
  int64_t depth = plan.schedule.tile[2];
  auto [chunk, inChunk] = getQuarter(plan.getCodeBytes());
  Lanes place = lanes.add(plan.getTileB().getPlace(lanes, getColumn(block), chunk), inChunk);
  place = lanes.add(place, lanes.constant(plan.getTileA().getBytes()));
  NumbersOfColumn column;
  column.words = loadWords(lanes, getShared(lanes.add(getStage(step), place)), depth / 4 / kOfWord);

  Lanes inTile = lanes.mul(lanes.mod(lane, 4), lanes.constant(depth / 4));
  Lanes group = codes.getGroup(lanes, lanes.add(lanes.mul(step, lanes.constant(depth)), inTile));
  Lanes shared = lanes.add(getWordPlace(step, /*line=*/0, block), lanes.mod(group, kWordGroups));
  Value byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), getShared(shared));
  byte = arith::ExtUIOp::create(b, loc, b.getI32Type(), byte);
  column.factor = arith::AndIOp::create(b, loc, byte, makeWord(lanes, 15));
  Value zero = arith::ShRUIOp::create(b, loc, byte, makeWord(lanes, 4));
  zero = arith::MulIOp::create(b, loc, zero, column.factor);
  column.start =
      arith::MulIOp::create(b, loc, arith::SubIOp::create(b, loc, makeWord(lanes, 128), zero),
                            makeWord(lanes, 0x01010101));
  return column;
}

/// The lower halves of bytes, and the upper ones.
std::pair<Value, Value> weft::expandNumbers(LaneBuilder &lanes, Value numbers, Value factor,
                                            Value start) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  auto expand = [&](Value halves) -> Value {
    halves = arith::AndIOp::create(b, loc, halves, makeWord(lanes, 0x0f0f0f0f));
    halves = arith::MulIOp::create(b, loc, halves, factor);
    halves = arith::AddIOp::create(b, loc, halves, start);
    return arith::XOrIOp::create(b, loc, halves, makeWord(lanes, 0x80808080));
  };
  Value upper = arith::ShRUIOp::create(b, loc, numbers, makeWord(lanes, 4));
  Value first = expand(numbers);
  return {first, expand(upper)};
}

/// A chunk of each row of the warp's part of A, the one `more` behind the first of the thread.
SmallVector<SmallVector<Value>> MmaTask::loadRowsOfNumbers(const Lanes &stage, int64_t more) {
  SharedTile tile = plan.getTileA();
  auto [chunk, inChunk] = getQuarter(plan.schedule.tile[2]);
  Lanes place = tile.getPlace(lanes, lanes.floorDiv(lane, 4), chunk, more);
  place = lanes.add(place, lanes.mul(warpRow, lanes.constant(tile.getRowsBytes(1))));
  place = lanes.add(place, lanes.add(stage, inChunk));
  SmallVector<SmallVector<Value>> rows;
  for (int64_t row = 0; row != plan.schedule.getWarpRows(); row += 8) {
    Lanes ofRow = lanes.add(place, lanes.constant(tile.getRowsBytes(row)));
    rows.push_back(loadWords(lanes, getShared(ofRow), kChunkBytes / 4));
  }
  return rows;
}

MmaTask::Sums MmaTask::emitStepOfNumbers(const Lanes &step, ValueRange sums) {
  constexpr int64_t kOfChunk = kChunkBytes / kOfWord;
  Sums next(sums);
  SmallVector<NumbersOfColumn> columns;
  for (int64_t block = 0; block != getNumB(); ++block)
    columns.push_back(loadNumbers(step, block));
  SmallVector<SmallVector<Value>> rows;
  for (int64_t number = 0; number != int64_t(columns[0].words.size()); ++number) {
    if (number % kOfChunk == 0)
      rows = loadRowsOfNumbers(getStage(step), number / kOfChunk);
    SmallVector<Value> a, b;
    for (int64_t i = 0; i != getNumA() * kRegistersA; ++i) {
      FactorWord place = getWordOfA(i, number % kOfChunk);
      a.push_back(rows[size_t(place.line)][size_t(place.word)]);
    }
    for (const NumbersOfColumn &column : columns) {
      auto [first, second] =
          expandNumbers(lanes, column.words[size_t(number)], column.factor, column.start);
      b.append({first, second});
    }
    multiply(a, b, next);
  }
  return next;
}
