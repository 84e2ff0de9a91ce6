//===- WgmmaTask.cpp - the code of products of four warps -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WgmmaTask.h"

#include "SharedTile.h"
#include "TileOrder.h"

#include <cmath>

using namespace mlir;
using namespace weft;

/// Of a thread that copies.
static constexpr uint32_t kCopyRegisters = 40;

WgmmaTask::WgmmaTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const WgmmaPlan &plan)
    : lanes(lanes), kernel(kernel), op(op), plan(plan),
      ring{plan.schedule.stages, plan.getBytesA() + plan.getBytesB(), /*start=*/0,
           plan.getBarriers(), kConsumerWarps},
      sizeM(getCount(lanes, kernel, op.getIndices(), plan.product.shape.product.m)),
      sizeN(getCount(lanes, kernel, op.getIndices(), plan.product.shape.product.n)),
      indices(op.getIndices().size()) {}

Lanes WgmmaTask::getNumTiles() {
  const Product &product = plan.product.shape.product;
  Lanes batch = getCount(lanes, kernel, op.getIndices(), product.batch);
  return lanes.mul(batch, lanes.mul(lanes.ceilDiv(sizeM, plan.schedule.tile[0]),
                                    lanes.ceilDiv(sizeN, plan.schedule.tile[1])));
}

void WgmmaTask::emit(ValueRange maps) {
  block = beginBlock(lanes, ring);
  splitBlock(
      lanes, block, kCopyRegisters,
      [&] {
        Value first = lanes.compare(arith::CmpIPredicate::eq, block.thread, lanes.constant(0));
        lanes.ifThen(first, {}, [&] {
          emitCopies(maps);
          return SmallVector<Value>();
        });
      },
      [&] { emitProducts(maps); });
}

void WgmmaTask::forEachTile(llvm::function_ref<void(const Lanes &firstStep)> body) {
  Value none = lanes.indexConstant(0);
  forTiles(lanes, getNumTiles(), none, [&](const Lanes &tile, const Lanes &, ValueRange carried) {
    Lanes number = asCount(lanes, carried[0]);
    setTile(tile);
    body(number);
    return SmallVector<Value>{lanes.add(number, lanes.constant(plan.getSteps())).value};
  });
}

/// Tiles that are computed at the same time should be as many rows as columns: so few rows of A and
/// columns of B come from memory for them.
int64_t WgmmaTask::getGroup() const {
  double columns = double(plan.schedule.tile[1]), rows = double(plan.schedule.tile[0]);
  return int64_t(std::lround(std::sqrt(double(kMoreProcessors) * columns / rows)));
}

void WgmmaTask::setTile(const Lanes &tile) {
  const Product &product = plan.product.shape.product;
  Lanes blocksM = lanes.ceilDiv(sizeM, plan.schedule.tile[0]);
  Lanes blocksN = lanes.ceilDiv(sizeN, plan.schedule.tile[1]);
  Lanes batch = getCount(lanes, kernel, op.getIndices(), product.batch);
  SmallVector<Lanes> number = lanes.delinearize(tile, {batch, lanes.mul(blocksN, blocksM)});
  setIndices(lanes, kernel, op.getIndices(), product.batch, number[0], indices);
  TilePlace place = getPlace(lanes, {blocksN, blocksM, getGroup()}, number[1]);
  firstColumn = lanes.mul(place.outer, lanes.constant(plan.schedule.tile[1]));
  firstRow = lanes.mul(place.inner, lanes.constant(plan.schedule.tile[0]));
}

//===----------------------------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------------------------===//

void WgmmaTask::emitCopies(ValueRange maps) {
  forEachTile([&](const Lanes &firstStep) {
    lanes.loop(lanes.constant(plan.getSteps()), {}, [&](const Lanes &step, ValueRange) {
      fillStage(maps, lanes.add(firstStep, step), step);
      return SmallVector<Value>();
    });
  });
}

/// What lies behind the last row, column or value of k arrives as zeros. Columns that lie side by
/// side come in panels.
void WgmmaTask::fillStage(ValueRange maps, const Lanes &number, const Lanes &step) {
  const MappedProduct &product = plan.product;
  Value full = ring.beginFill(lanes, block.memory, number);
  Lanes stage = ring.getStage(lanes, number);
  Lanes k = lanes.mul(step, lanes.constant(plan.schedule.tile[2]));
  product.rows.load(lanes, getSharedPlace(lanes, block.memory, stage), maps[0], k, firstRow,
                    indices, full);
  Lanes target = lanes.add(stage, lanes.constant(plan.getBytesA()));
  if (!product.shape.transposed) {
    product.columns.load(lanes, getSharedPlace(lanes, block.memory, target), maps[1], k,
                         firstColumn, indices, full);
    return;
  }
  int64_t columns = product.columns.getPanelElements();
  for (int64_t panel = 0; panel != plan.schedule.tile[1] / columns; ++panel) {
    Lanes place = lanes.add(target, lanes.constant(panel * plan.getPanelBytes()));
    product.columns.load(lanes, getSharedPlace(lanes, block.memory, place), maps[1],
                         lanes.add(firstColumn, lanes.constant(panel * columns)), k, indices, full);
  }
}

//===----------------------------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------------------------===//

/// The products of one step are on their way while those of the next are begun; then the stage of
/// the earlier one is free.
void WgmmaTask::emitProducts(ValueRange maps) {
  Lanes one = lanes.constant(1);
  forEachTile([&](const Lanes &firstStep) {
    auto emitBody = [&](const Lanes &step, ValueRange carried) {
      Lanes number = lanes.add(firstStep, step);
      Sums sums = emitStep(number, carried);
      waitForProducts(lanes, 1, {});
      Value isLater = lanes.compare(arith::CmpIPredicate::sgt, step, lanes.constant(0));
      releaseStage(lanes, block, ring, lanes.sub(number, one), isLater);
      return sums;
    };
    Sums zeros(size_t(plan.schedule.tile[1] / 2), lanes.floatConstant(0));
    Lanes steps = lanes.constant(plan.getSteps());
    Sums sums = lanes.loop(steps, zeros, emitBody);
    sums = waitForProducts(lanes, 0, sums);
    releaseStage(lanes, block, ring, lanes.add(firstStep, lanes.sub(steps, one)));
    emitResults(sums, maps);
  });
  if (plan.schedule.boxes)
    getBoxes().finish();
}

WgmmaTask::Sums WgmmaTask::emitStep(const Lanes &number, ValueRange sums) {
  OpBuilder &b = lanes.b;
  const ChunkedProduct &shape = plan.product.shape;
  ring.waitFull(lanes, block.memory, number);
  Lanes stage = ring.getStage(lanes, number);
  Lanes group = lanes.floorDiv(block.warp, kGroupSize / kWarpSize);
  Lanes skip = lanes.mul(group, lanes.constant(kWgmmaRows * kPanelBytes));
  Value rows = getDescriptor(lanes, block.memory, lanes.add(stage, skip), 0);
  Value columns =
      getDescriptor(lanes, block.memory, lanes.add(stage, lanes.constant(plan.getBytesA())),
                    shape.transposed ? plan.getPanelBytes() : 0);
  Type element = shape.isWide() ? b.getTF32Type() : shape.element;
  int64_t depth = getWgmmaDepth(shape.getBytes());
  Sums next = fenceRegisters(lanes, sums);
  for (int64_t k = 0; k != plan.schedule.tile[2]; k += depth) {
    Value a = skipTo(lanes, rows, k * shape.getBytes());
    Value c = skipTo(lanes, columns, k * (shape.transposed ? kPanelBytes : shape.getBytes()));
    auto product = nvx::WgmmaOp::create(b, lanes.loc, ValueRange(next).getTypes(), element, a, c,
                                        next, shape.transposed, /*only=*/false);
    next.assign(product.getResults().begin(), product.getResults().end());
  }
  nvx::WgmmaCommitOp::create(b, lanes.loc);
  return next;
}

/// Of the warp, in shared memory. What is there from the tile before was read before the warp met
/// for the products of this one, or is waited for.
Value WgmmaTask::getWarpMemory() {
  Lanes offset = lanes.add(lanes.mul(block.warp, lanes.constant(plan.getWarpBytes())),
                           lanes.constant(plan.getRingBytes()));
  return getSharedPlace(lanes, block.memory, offset);
}

ResultBoxes WgmmaTask::getBoxes() {
  return ResultBoxes(lanes, kernel, op, plan.product.shape, *plan.product.results,
                     plan.schedule.width, lanes.mod(block.thread, kWarpSize), getWarpMemory());
}

void WgmmaTask::emitResults(ValueRange sums, ValueRange maps) {
  Lanes row = lanes.add(firstRow, lanes.mul(block.warp, lanes.constant(kMmaRows)));
  if (plan.schedule.boxes)
    getBoxes().store(sums, indices, row, firstColumn, maps[2]);
  else
    writeResults(sums, row);
}

/// By threads: some columns of the warp's sixteen rows at once.
void WgmmaTask::writeResults(ValueRange sums, const Lanes &row) {
  constexpr int64_t columns = WgmmaPlan::kResultColumns;
  ResultRows results(lanes, kernel, op, plan.product.shape, columns, plan.schedule.width,
                     ResultRows::kAheadOfGroups);
  Lanes lane = lanes.mod(block.thread, kWarpSize);
  Value place = getWarpMemory();
  constexpr size_t ofPart = columns / kMmaColumns * kRegistersC;
  for (int64_t first = 0; first != plan.schedule.tile[1]; first += columns) {
    if (first)
      nvx::WarpBarrierOp::create(lanes.b, lanes.loc);
    results.store(lane, sums.slice(size_t(first / columns) * ofPart, ofPart), place);
    nvx::WarpBarrierOp::create(lanes.b, lanes.loc);
    results.finish(lane, indices, row, lanes.add(firstColumn, lanes.constant(first)), place);
  }
}
