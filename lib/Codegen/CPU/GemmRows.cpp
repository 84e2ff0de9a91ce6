//===- GemmRows.cpp - a task's rows, and what their tiles fetch -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Many tiles share the lines of the next panel out: it comes from memory while they are computed.
// Few use a panel up faster than memory brings it. If all of k were multiplied with one tile after
// the other, memory would have nothing to do from the second one on. So all tiles multiply a short
// block of k, which the first cache holds, and each fetches its share of the block behind it.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

using namespace mlir;
using namespace weft;

void GemmTask::chooseByRows(int64_t most, function_ref<void()> few, function_ref<void()> many) {
  const Lanes all = numRows;
  auto emit = [&](Interval known, function_ref<void()> body) {
    numRows.interval = known;
    body();
    numRows = all;
  };
  if (all.interval.max <= most)
    return few();
  if (all.interval.min > most)
    return many();
  lanes.choose(
      hasFew(most), [&] { emit({all.interval.min, most}, few); },
      [&] { emit({most + 1, all.interval.max}, many); });
}

void GemmTask::emitRows(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  auto tiles = [&](Ahead ahead) { emitTiles(ahead, firstK, sizeK, accumulate); };
  auto few = [&] { emitFewTiles(firstK, sizeK, accumulate); };
  auto many = [&] { tiles(Ahead::NextPanel); };
  if (!plan.schedule.prefetch || plan.shape.isExpanded()) // what is expanded is near
    tiles(Ahead::Nothing);
  else
    chooseByRows(plan.getRowsOfFewTiles(), few, many);
}

void GemmTask::emitTiles(Ahead ahead, const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  lanes.tileLoop(numRows, plan.tileRows, [&](const Lanes &row, int64_t count) {
    bool isLeft = ahead == Ahead::OwnPanel && !plan.schedule.fetchesOwn(count);
    emitTile({row, count, isLeft ? Ahead::Nothing : ahead}, firstK, sizeK, accumulate);
  });
}

void GemmTask::emitFewTiles(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  if (numRows.interval.max == 1 || !plan.rows.isOneRun())
    return emitTiles(Ahead::OwnPanel, firstK, sizeK, accumulate);
  if (!accumulate)
    clearSums(lanes.constant(1));
  Lanes block = lanes.constant(plan.getStepsOfFewTiles() * plan.shape.depth);
  bool isWhole = sizeK.getConstant() && *sizeK.getConstant() % *block.getConstant() == 0;
  lanes.loop(lanes.ceilDiv(sizeK, *block.getConstant()), {}, [&](const Lanes &iv, ValueRange) {
    Lanes before = lanes.mul(iv, block);
    before.interval = {0, plan.shape.sizeK};
    Lanes size = isWhole ? block : lanes.min(block, lanes.sub(sizeK, before));
    emitTiles(Ahead::NextBlock, lanes.add(firstK, before), size, /*accumulate=*/true);
    return SmallVector<Value>();
  });
}

int64_t GemmPlan::getStepsOfFewTiles() const {
  int64_t steps = llvm::divideCeil(shape.sizeK, shape.depth);
  int64_t blocks = llvm::divideCeil(steps * shape.stepWords * kElement, kPanelAhead);
  return llvm::alignTo(llvm::divideCeil(steps, blocks), schedule.unroll);
}

int64_t GemmTask::getLinesAhead() { return plan.shape.isCodes ? kPanelAhead : kLinesAhead; }

/// The first tile fetches half of what lies behind the block, the others the rest; all of it, if no
/// other tile does. A tile that is to leave its panel to the processor names lines that are there.
void GemmTask::shareBlock(TileFactors &factors, const Tile &tile) {
  auto choose = [&](Value condition, const Lanes &yes, const Lanes &no) {
    Value chosen = arith::SelectOp::create(lanes.b, lanes.loc, condition, yes.value, no.value);
    return lanes.uniform(chosen, yes.interval.unionWith(no.interval));
  };
  int64_t ahead = plan.getStepsOfFewTiles() * plan.shape.stepWords;
  bool fetches = plan.schedule.fetchesOwn(tile.count);
  factors.prefetchLines = llvm::divideCeil(factors.prefetchLines, 2);
  Value isFirst = lanes.compare(arith::CmpIPredicate::eq, tile.row, lanes.constant(0));
  Value isOnly = lanes.compare(arith::CmpIPredicate::eq, numRows, lanes.constant(tile.count));
  Lanes own = lanes.constant(fetches ? ahead : 0), rest = lanes.constant(ahead + ahead / 2);
  if (fetches && tile.count == 1)
    own = choose(isOnly, lanes.constant(getLinesAhead() / kElement), own);
  factors.prefetch = addElements(lanes, factors.panel, choose(isFirst, own, rest));
  if (fetches)
    factors.prefetchMore =
        choose(isOnly, lanes.constant(factors.prefetchLines * kLine / kElement), lanes.constant(0));
}

void GemmTask::setPrefetch(TileFactors &factors, const Tile &tile, const Lanes &firstK,
                           const Lanes &sizeK) {
  if (tile.ahead == Ahead::OwnPanel || tile.ahead == Ahead::NextBlock) {
    int64_t ahead = tile.count == 1 ? getLinesAhead() : kPanelAhead;
    factors.prefetch = addElements(lanes, factors.panel, ahead / kElement);
    factors.prefetchLines =
        llvm::divideCeil(factors.unroll * plan.shape.stepWords * kElement, kLine);
    if (tile.ahead == Ahead::NextBlock)
      shareBlock(factors, tile);
  } else if (tile.ahead == Ahead::NextPanel) {
    // So many tiles share the steps out; others fetch nothing that is not there. Runs of k make up
    // one block.
    bool isRun = !plan.rows.isOneRun();
    int64_t depth = factors.getDepth();
    factors.prefetchLines = llvm::divideCeil(factors.unroll, kLineSteps);
    int64_t sharing = llvm::divideCeil(factors.unroll * plan.shape.stepWords * kElement * depth /
                                           plan.shape.depth,
                                       kLine * factors.prefetchLines);
    Lanes steps = lanes.ceilDiv(isRun ? this->sizeK : sizeK, depth);
    Lanes number = lanes.mod(lanes.floorDiv(tile.row, plan.tileRows), sharing);
    Lanes done = lanes.mul(number, steps);
    if (isRun)
      done = lanes.add(done, lanes.floorDiv(firstK, depth));
    Lanes lines = lanes.floorDiv(done, factors.unroll);
    int64_t words = factors.prefetchLines * kLine / kElement;
    factors.prefetch = addElements(lanes, nextSteps, lanes.mul(lines, lanes.constant(words)));
  }
}
