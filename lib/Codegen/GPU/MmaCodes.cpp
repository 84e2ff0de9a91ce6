//===- MmaCodes.cpp - codes on their way to registers -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Codes, and the words that groups of them share, go through the ring as they are stored. A thread
// expands what its registers of B are to hold: numbers of 4 bits to whole numbers of 8
// (MmaNumbers.cpp), reals of a table to f32, scaled before they are multiplied. So a weight has the
// value that any other reader finds, and memory gives no more than its codes.
//
//===----------------------------------------------------------------------------------------===//

#include "FactorOrder.h"
#include "MmaTask.h"

#include "weft/Codegen/Common/TableCode.h"

#include <cmath>

using namespace mlir;
using namespace weft;

/// Values of k that a thread has of a column at once.
static constexpr int64_t kRealsOfThread = 4;

static Value asWord(LaneBuilder &lanes, const Lanes &number) {
  return arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(), number.value);
}

/// The column of the thread in the tile.
Lanes MmaTask::getColumn(int64_t block) {
  Lanes group = lanes.floorDiv(lane, 4);
  return lanes.add(warpColumn, lanes.add(group, lanes.constant(block * kMmaColumns)));
}

/// Four bytes of codes, `offset` bytes behind those of k.
Value MmaTask::loadCodeWord(const Lanes &step, int64_t k, int64_t block, const Lanes &offset) {
  int64_t bytes = k * plan.shape.codes->getBits() / 8;
  Lanes place =
      plan.getTileB().getPlace(lanes, getColumn(block), lanes.constant(bytes / kChunkBytes));
  int64_t start = plan.getTileA().getBytes() + bytes % kChunkBytes;
  place = lanes.add(lanes.add(place, offset), lanes.constant(start));
  return LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(),
                              getShared(lanes.add(getStage(step), place)), /*alignment=*/4);
}

/// Where a word of a group is: one of the line.
Lanes MmaTask::getWordPlace(const Lanes &step, int64_t line, int64_t block) {
  int64_t start = plan.getWords() + line * plan.schedule.tile[1] * 4;
  Lanes place = lanes.add(lanes.mul(getColumn(block), lanes.constant(4)), lanes.constant(start));
  return lanes.add(getStage(step), place);
}

Value MmaTask::loadWord(const Lanes &step, int64_t k, int64_t block, int64_t word) {
  int64_t groups = plan.getNumGroups(), line = word * groups + k * groups / plan.schedule.tile[2];
  Lanes place = getWordPlace(step, line, block);
  return LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(), getShared(place),
                              /*alignment=*/4);
}

/// A scale or a shift of the group of k.
Value MmaTask::loadShared(const Lanes &step, int64_t k, int64_t block, bool isShift) {
  return plan.shape.codes->loadShared(lanes, isShift, [&](int64_t number, Type memory) -> Value {
    Value loaded = loadWord(step, k, block, number);
    if (unsigned bits = memory.getIntOrFloatBitWidth(); bits < 32)
      loaded = arith::TruncIOp::create(lanes.b, lanes.loc, lanes.b.getIntegerType(bits), loaded);
    return LLVM::BitcastOp::create(lanes.b, lanes.loc, memory, loaded);
  });
}

/// Four numbers of the column: thread t of a group has those from k + 4 t on.
SmallVector<Value> MmaTask::loadReals(const Lanes &step, int64_t k, int64_t block) {
  OpBuilder &b = lanes.b;
  const CodedColumns &codes = *plan.shape.codes;
  CodeTable table = codes.getTable();
  bool isShort = codes.getBits() == 4; // two threads share a word
  Lanes inGroup = lanes.mod(lane, 4);
  Lanes number = isShort ? lanes.floorDiv(inGroup, 2) : inGroup;
  Value bits = loadCodeWord(step, k, block, lanes.mul(number, lanes.constant(4)));
  if (isShort)
    bits = arith::ShRUIOp::create(
        b, lanes.loc, bits, asWord(lanes, lanes.mul(lanes.mod(inGroup, 2), lanes.constant(16))));
  Value scale = scaleDecoded(lanes, loadShared(step, k, block, /*isShift=*/false), table);
  Value shift;
  if (infoOf(table).shift != CodeShift::None)
    shift = loadShared(step, k, block, /*isShift=*/true);
  SmallVector<Value> registers;
  for (auto [i, real] : llvm::enumerate(words->decode(bits, kRealsOfThread))) {
    Value whole = real;
    if (int64_t exponent = words->getExponent(int64_t(i)))
      whole = arith::MulFOp::create(b, lanes.loc, real,
                                    lanes.floatConstant(std::ldexp(1.0f, int(-exponent))));
    whole = applyShared(lanes, whole, scale, shift, table);
    registers.push_back(LLVM::BitcastOp::create(b, lanes.loc, b.getI32Type(), whole));
  }
  return registers;
}

/// The same of rows of A: four of each row, and of the eighth behind it.
SmallVector<Value> MmaTask::loadRowsOfReals(const Lanes &stage, int64_t k) {
  SharedTile tile = plan.getTileA();
  Lanes place =
      tile.getPlace(lanes, lanes.floorDiv(lane, 4), lanes.mod(lane, 4), k / plan.shape.getChunk());
  place = lanes.add(place, lanes.mul(warpRow, lanes.constant(tile.getRowsBytes(1))));
  place = lanes.add(place, stage);
  SmallVector<Value> registers;
  auto type = VectorType::get({kRealsOfThread}, lanes.b.getI32Type());
  for (int64_t row = 0; row != plan.schedule.getWarpRows(); row += 8) {
    Value chunk = LLVM::LoadOp::create(
        lanes.b, lanes.loc, type,
        getShared(lanes.add(place, lanes.constant(tile.getRowsBytes(row)))), kChunkBytes);
    for (int64_t i = 0; i != kRealsOfThread; ++i)
      registers.push_back(vector::ExtractOp::create(lanes.b, lanes.loc, chunk, i));
  }
  return registers;
}

/// Of sixteen values of k, the products of the first two of each thread, and of the others.
MmaTask::Sums MmaTask::emitStepOfReals(const Lanes &step, ValueRange sums) {
  Lanes stage = getStage(step);
  Sums next(sums);
  for (int64_t k = 0; k != plan.schedule.tile[2]; k += 4 * kRealsOfThread) {
    SmallVector<Value> rows = loadRowsOfReals(stage, k), columns;
    for (int64_t block = 0; block != getNumB(); ++block)
      llvm::append_range(columns, loadReals(step, k, block));
    for (int64_t product = 0; product != kRealsOfThread / kRegistersB; ++product) {
      SmallVector<Value> a, b;
      auto wordOf = [&](ArrayRef<Value> words, FactorWord place) {
        return words[size_t(place.line * kRealsOfThread + place.word)];
      };
      for (int64_t i = 0; i != getNumA() * kRegistersA; ++i)
        a.push_back(wordOf(rows, getWordOfA(i, product)));
      for (int64_t i = 0; i != getNumB() * kRegistersB; ++i)
        b.push_back(wordOf(columns, getWordOfB(i, product)));
      multiplyWide(a, b, next);
    }
  }
  return next;
}
