//===- GemmNear.cpp - blocks of k that all rows of a task share -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of a long k what a tile of rows and a panel have comes from far away by the time the next tile
// begins. So a block of the panel is multiplied with one tile of rows after the other; sums are
// stored and read between blocks, which rounds nothing, but takes as long as two steps: blocks are
// long. What results are written to, and what their epilogue reads, is fetched in all blocks, a
// share of each tile's rows in each.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

#include "weft/Codegen/CPU/Units.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <numeric>

using namespace mlir;
using namespace weft;

static bool hasFunctions(ContractOp op) {
  return op.getEpilogue()
      .walk([](Operation *inner) {
        return isa<math::MathDialect>(inner->getDialect()) ? WalkResult::interrupt()
                                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

Lanes GemmTask::getNearBlock(const Lanes &sizeK) {
  std::optional<int64_t> near = plan.schedule.nearK;
  if (!near || numRows.interval.max <= kTileRows)
    return sizeK;
  if (numRows.interval.min > kTileRows)
    return lanes.constant(*near);
  // Never none, whatever k is at run time: it divides.
  Lanes whole = lanes.max(sizeK, lanes.constant(*near));
  Value size = arith::SelectOp::create(lanes.b, lanes.loc, hasFew(kTileRows), whole.value,
                                       lanes.indexConstant(*near));
  return lanes.uniform(size, {*near, whole.interval.max}, std::gcd(*near, whole.divisor));
}

void GemmTask::emitUnitBlocks(const Lanes &firstK, const Lanes &sizeK, bool isFresh,
                              const Lanes *finished) {
  Lanes block = getNearBlock(sizeK);
  if (block.value == sizeK.value)
    return emitWholeUnitBlock(firstK, sizeK, isFresh, finished);
  int64_t most = llvm::divideCeil(plan.shape.sizeK, *plan.schedule.nearK);
  Lanes blocks = lanes.binary(arith::CeilDivUIOp::getOperationName(), sizeK, block, {1, most});
  if (!sizeK.getConstant()) // of no step there are results, too
    blocks = lanes.max(blocks, lanes.constant(1));
  bool isFetched = finished && plan.schedule.prefetch && !product.chosen && !hasFunctions(op);
  lanes.loop(blocks, {}, [&](const Lanes &iv, ValueRange) {
    Lanes before = lanes.mul(iv, block), next = lanes.add(iv, lanes.constant(1));
    before.interval = {0, plan.shape.sizeK};
    Lanes words = getWords(lanes.floorDiv(before, plan.shape.depth));
    Lanes size = lanes.min(block, lanes.sub(sizeK, before));
    UnitTiles tiles{addElements(lanes, getSteps(firstK), words),
                    addElements(lanes, nextSteps, words)};
    if (isFresh)
      tiles.isFresh = lanes.compare(arith::CmpIPredicate::eq, iv, lanes.constant(0));
    Value isLast = lanes.compare(arith::CmpIPredicate::eq, next, blocks);
    eachUnitTile([&](const Lanes &row, const Lanes &count) {
      if (isFetched)
        fetchShare(*finished, row, count, {iv, next}, blocks);
      emitUnitTile(row, count, lanes.add(firstK, before), size, tiles);
      if (finished)
        lanes.ifThen(isLast, {}, [&] {
          emitEpilogue(*finished, row, count, isFetched);
          return SmallVector<Value>();
        });
    });
    return SmallVector<Value>();
  });
}

void GemmTask::emitWholeUnitBlock(const Lanes &firstK, const Lanes &sizeK, bool isFresh,
                                  const Lanes *finished) {
  UnitTiles tiles{getSteps(firstK), nextSteps};
  if (isFresh)
    tiles.isFresh = arith::ConstantIntOp::create(lanes.b, lanes.loc, 1, 1);
  eachUnitTile([&](const Lanes &row, const Lanes &count) {
    emitUnitTile(row, count, firstK, sizeK, tiles);
    if (finished)
      emitEpilogue(*finished, row, count);
  });
}

void GemmTask::fetchShare(const Lanes &panel, const Lanes &row, const Lanes &count,
                          std::pair<Lanes, Lanes> blocksDone, const Lanes &blocks) {
  // Of the results, each of which has the sums of some rows.
  Lanes results = lanes.floorDiv(count, plan.sumsOfResult);
  auto getEnd = [&](const Lanes &done) {
    return lanes.binary(arith::DivUIOp::getOperationName(), lanes.mul(results, done), blocks,
                        {0, results.interval.max});
  };
  Lanes first = getEnd(blocksDone.first), number = lanes.sub(getEnd(blocksDone.second), first);
  number.interval = {0, results.interval.max};
  lanes.loop(number, {}, [&](const Lanes &iv, ValueRange) {
    Lanes before = lanes.mul(lanes.add(first, iv), lanes.constant(plan.sumsOfResult));
    fetchResults(getRow(lanes.add(row, before)), panel);
    return SmallVector<Value>();
  });
}
