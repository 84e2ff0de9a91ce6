//===- AttentionGuess.cpp - weights relative to a guess of the maximum ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Weights are relative to a power of two. Which one does not matter as long as they and their sums
// are far from the ends of f32, so the maximum of all scores need not be known: a row takes the
// largest of its first 32 keys, and keeps it for all blocks that follow. Scores are then read once.
// Where a sum shows that some score is far above the guess, or where the first keys are hidden, the
// weights of the rows are made again, relative to their maxima.
//
// What a row does follows from its own scores alone: the first keys are those of the grid of
// blocks, and a row whose guess was good keeps it when the rows beside it need their maxima.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "MicroKernel.h"
#include "weft/Codegen/Common/Combine.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

/// The sum of the weights of a block, in one lane, that says that a guess was too low.
static constexpr float kMostSum = 0x1p32f;

SmallVector<Value> AttentionTask::emitGuesses(const RowGroup &group, const Lanes &block,
                                              ValueRange before) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value lowest = lanes.floatConstant(kLowest), some;
  SmallVector<Value> areFirst;
  for (Value old : before) {
    Value isFirst = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE, old, lowest);
    some = some ? arith::OrIOp::create(b, loc, some, isFirst).getResult() : isFirst;
    areFirst.push_back(isFirst);
  }
  return lanes.ifThen(some, before, [&] {
    Lanes first = lanes.constant(2 * lanes.width);
    SmallVector<Value> largest = emitBlockLargest(group, block, first, /*masked=*/true);
    Value onGrid = lanes.compare(arith::CmpIPredicate::eq, lanes.mod(block, plan.blockKeys),
                                 lanes.constant(0));
    SmallVector<Value> guesses;
    for (auto [old, isFirst, most] : llvm::zip_equal(before, areFirst, largest)) {
      Value known = arith::AndIOp::create(b, loc, isFirst, onGrid);
      guesses.push_back(
          arith::SelectOp::create(b, loc, known, emitLargest(old, most), old).getResult());
    }
    return guesses;
  });
}

void AttentionTask::emitGuessedWeights(const RowGroup &group, const Lanes &block,
                                       const Lanes &padded, Value inside) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  SmallVector<Value> before = loadLargest(group), guesses = emitGuesses(group, block, before);
  auto emit = [&](bool masked) { return emitExponentials(group, block, padded, masked, guesses); };
  SmallVector<Value> sums =
      lanes.either(inside, [&] { return emit(false); }, [&] { return emit(true); });
  SmallVector<Value> areLow;
  Value allLow;
  for (Value sum : sums) {
    areLow.push_back(
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, sum, lanes.floatVector(kMostSum)));
    allLow = lanes.andMask(allLow, areLow.back());
  }
  auto holds = [&](Value areLow) -> Value {
    if (!isa<VectorType>(areLow.getType()))
      return areLow;
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, areLow);
  };
  lanes.choose(
      holds(allLow),
      [&] {
        SmallVector<Value> ones(group.count, lanes.floatConstant(1));
        emitTotals(group, ones, guesses, sums);
      },
      [&] {
        SmallVector<Value> largest = emitBlockLargest(group, block, padded, /*masked=*/true);
        for (int64_t i = 0; i != group.count; ++i)
          largest[i] = arith::SelectOp::create(b, loc, holds(areLow[i]), guesses[i],
                                               emitLargest(before[i], largest[i]));
        SmallVector<Value> again = emitExponentials(group, block, padded, /*masked=*/true, largest);
        emitTotals(group, emitScales(before, largest), largest, again);
      });
}
