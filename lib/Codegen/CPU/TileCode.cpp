//===- TileCode.cpp - instructions on tile registers ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileCode.h"

#include "MicroKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weft;

Value TileCode::toI64(Value index) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), index);
}

void TileCode::clearSums(int64_t rowTiles) {
  for (int64_t sum = 0; sum != 2 * rowTiles; ++sum)
    call("tilezero", i8(TileRegisters::sums + sum));
}

void TileCode::eachSum(int64_t rowTiles, Value sums, StringRef name) {
  for (int64_t m = 0; m != rowTiles; ++m)
    for (int64_t n = 0; n != 2; ++n)
      call(name, {i8(TileRegisters::sums + 2 * m + n), at(sums, m * kStepBytes + n * kTileRowBytes),
                  i64(kPanelBytes)});
}

void TileCode::byRowTiles(Value numRows, function_ref<void(int64_t rowTiles)> body) {
  Value isTall = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, numRows, i64(kRows));
  auto choice = scf::IfOp::create(b, loc, isTall, /*withElseRegion=*/true);
  for (int64_t rowTiles : {2, 1}) {
    OpBuilder::InsertionGuard guard(b);
    Block *block = rowTiles == 2 ? choice.thenBlock() : choice.elseBlock();
    b.setInsertionPoint(block->getTerminator());
    body(rowTiles);
  }
}

void TileCode::addSteps(int64_t rowTiles, const TileOperands &operands, Value steps) {
  auto loop = scf::ForOp::create(b, loc, i64(0), steps, i64(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  addStep(rowTiles, operands, loop.getInductionVar());
}

void TileCode::fetchAhead(const TileOperands &operands, Value step, int64_t share, int64_t shares) {
  Value portions = operands.portions;
  Value first = at(operands.ahead, mul(LLVM::MulOp::create(b, loc, step, portions), kLine));
  auto before = [&](int64_t number) {
    return b.createOrFold<arith::DivUIOp>(loc, mul(portions, number), i64(shares));
  };
  auto loop = scf::ForOp::create(b, loc, before(share), before(share + 1), i64(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value line = at(first, mul(loop.getInductionVar(), kLine));
  for (int64_t stream = 0; stream != kPanelStreams; ++stream, line = at(line, operands.apart))
    emitPrefetches(b, loc, line, 1);
}

void TileCode::addStep(int64_t rowTiles, const TileOperands &operands, Value step) {
  int64_t parts = operands.parts, columnParts = operands.columnParts;
  Value stride = operands.stride;
  // Tiles of rows that are split lie one after the other.
  int64_t rowStep = parts == 1 ? kTileRowBytes : 2 * kTileBytes * parts;
  Value left = at(operands.rows, mul(step, rowStep)),
        right = at(operands.panel, mul(step, kStepBytes * columnParts));
  int64_t lastA = -1, lastB = -1;
  auto pairs = cpu::getPartPairs(parts, columnParts);
  constexpr int64_t kSums = TileRegisters::sums, kFactors = TileRegisters::factors,
                    kColumns = TileRegisters::columns;
  for (auto [number, pair] : llvm::enumerate(pairs)) {
    auto [partA, partB] = pair;
    for (int64_t n = 0; n != 2 && partB != lastB; ++n)
      call("tileloadd64", {i8(kColumns + n), at(right, partB * kPanelBytes + n * kTileRowBytes),
                           i64(kPanelBytes * columnParts)});
    for (int64_t m = 0; m != rowTiles && partA != lastA; ++m)
      call("tileloadd64", {i8(kFactors + m),
                           at(at(left, partA * 2 * kTileBytes), mul(stride, m * kRows)), stride});
    // Behind the loads, which take the same buffers.
    fetchAhead(operands, step, int64_t(number), int64_t(pairs.size()));
    for (int64_t m = 0; m != rowTiles; ++m)
      for (int64_t n = 0; n != 2; ++n)
        call(operands.product, {i8(kSums + 2 * m + n), i8(kFactors + m), i8(kColumns + n)});
    lastA = partA, lastB = partB;
  }
}
