//===- WgmmaTask.cpp - the code of products of four warps -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WgmmaTask.h"

#include "ResultRows.h"
#include "SharedTile.h"

using namespace mlir;
using namespace weft;

/// Registers of a thread that copies, and of one that computes: of 384 threads as many together as
/// the 168 of each when the block begins.
static constexpr uint32_t kCopyRegisters = 40, kComputeRegisters = 232;

WgmmaTask::WgmmaTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const WgmmaPlan &plan)
    : lanes(lanes), kernel(kernel), op(op), plan(plan),
      ring{plan.schedule.stages, plan.getBytesA() + plan.getBytesB(), /*start=*/0,
           plan.getBarriers(), kConsumers * kGroupSize / kWarpSize},
      sizeM(getCount(lanes, kernel, op.getIndices(), plan.product.shape.product.m)),
      sizeN(getCount(lanes, kernel, op.getIndices(), plan.product.shape.product.n)),
      indices(op.getIndices().size()) {}

Lanes WgmmaTask::getNumTiles() {
  const Product &product = plan.product.shape.product;
  Lanes batch = getCount(lanes, kernel, op.getIndices(), product.batch);
  return lanes.mul(batch, lanes.mul(lanes.ceilDiv(sizeM, plan.schedule.tile[0]),
                                    lanes.ceilDiv(sizeN, plan.schedule.tile[1])));
}

//===----------------------------------------------------------------------------------------===//
// The block
//===----------------------------------------------------------------------------------------===//

Value WgmmaTask::isFirst(const Lanes &lane) {
  return lanes.compare(arith::CmpIPredicate::eq, lane, lanes.constant(0));
}

void WgmmaTask::startBarriers() {
  lanes.ifThen(isFirst(thread), {}, [&] {
    ring.init(lanes, memory);
    nvx::MBarrierFenceOp::create(lanes.b, lanes.loc);
    return SmallVector<Value>();
  });
  nvx::BarrierOp::create(lanes.b, lanes.loc);
}

void WgmmaTask::emit(ValueRange maps) {
  OpBuilder &b = lanes.b;
  thread = getThread(lanes, kTileThreads);
  Value id = arith::IndexCastOp::create(b, lanes.loc, b.getI32Type(),
                                        lanes.floorDiv(thread, kWarpSize).value);
  id = arith::IndexCastUIOp::create(b, lanes.loc, b.getIndexType(),
                                    nvx::BroadcastOp::create(b, lanes.loc, b.getI32Type(), id));
  Lanes warpOfBlock = lanes.uniform(id, {0, kTileThreads / kWarpSize - 1});
  warp = lanes.sub(warpOfBlock, lanes.constant(kGroupSize / kWarpSize));
  warp.interval.min = 0;
  memory = getDynamicShared(lanes, kMatrixAlignment);
  startBarriers();
  Value copies =
      lanes.compare(arith::CmpIPredicate::slt, warpOfBlock, lanes.constant(kGroupSize / kWarpSize));
  auto setRegisters = [&](uint32_t count, bool more) {
    nvx::MaxRegistersOp::create(b, lanes.loc, count, more);
  };
  lanes.choose(
      copies,
      [&] {
        setRegisters(kCopyRegisters, false);
        lanes.ifThen(isFirst(thread), {}, [&] {
          emitCopies(maps);
          return SmallVector<Value>();
        });
      },
      [&] {
        setRegisters(kComputeRegisters, true);
        emitProducts();
      });
}

void WgmmaTask::forTiles(llvm::function_ref<void(const Lanes &firstStep)> body) {
  OpBuilder &b = lanes.b;
  auto read = [&](Value id) {
    id = arith::IndexCastUIOp::create(b, lanes.loc, b.getIndexType(), id);
    return lanes.uniform(id, {0, INT32_MAX});
  };
  Lanes block = read(nvx::BlockIdOp::create(b, lanes.loc, b.getI32Type()));
  Lanes blocks = read(nvx::GridSizeOp::create(b, lanes.loc, b.getI32Type()));
  Lanes rest = lanes.sub(lanes.add(getNumTiles(), lanes.sub(blocks, lanes.constant(1))), block);
  Lanes count = lanes.binary(arith::DivUIOp::getOperationName(), rest, blocks, {0, INT32_MAX});
  lanes.loop(count, {}, [&](const Lanes &i, ValueRange) {
    setTile(lanes.add(block, lanes.mul(i, blocks)));
    body(lanes.mul(i, lanes.constant(plan.getSteps())));
    return SmallVector<Value>();
  });
}

/// Tiles that need the same columns of B come one after the other.
void WgmmaTask::setTile(const Lanes &tile) {
  const Product &product = plan.product.shape.product;
  Lanes blocksM = lanes.ceilDiv(sizeM, plan.schedule.tile[0]);
  Lanes blocksN = lanes.ceilDiv(sizeN, plan.schedule.tile[1]);
  Lanes batch = getCount(lanes, kernel, op.getIndices(), product.batch);
  SmallVector<Lanes> place = lanes.delinearize(tile, {batch, blocksN, blocksM});
  setIndices(lanes, kernel, op.getIndices(), product.batch, place[0], indices);
  firstColumn = lanes.mul(place[1], lanes.constant(plan.schedule.tile[1]));
  firstRow = lanes.mul(place[2], lanes.constant(plan.schedule.tile[0]));
}

//===----------------------------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------------------------===//

void WgmmaTask::emitCopies(ValueRange maps) {
  forTiles([&](const Lanes &firstStep) {
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
  Value full = ring.beginFill(lanes, memory, number);
  Lanes stage = ring.getStage(lanes, number);
  Lanes k = lanes.mul(step, lanes.constant(plan.schedule.tile[2]));
  product.rows.load(lanes, getSharedPlace(lanes, memory, stage), maps[0], k, firstRow, indices,
                    full);
  Lanes target = lanes.add(stage, lanes.constant(plan.getBytesA()));
  if (!product.shape.transposed) {
    product.columns.load(lanes, getSharedPlace(lanes, memory, target), maps[1], k, firstColumn,
                         indices, full);
    return;
  }
  int64_t columns = product.columns.getPanelElements();
  for (int64_t panel = 0; panel != plan.schedule.tile[1] / columns; ++panel) {
    Lanes place = lanes.add(target, lanes.constant(panel * plan.getPanelBytes()));
    product.columns.load(lanes, getSharedPlace(lanes, memory, place), maps[1],
                         lanes.add(firstColumn, lanes.constant(panel * columns)), k, indices, full);
  }
}

//===----------------------------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------------------------===//

/// The products of one step are on their way while those of the next are begun; then the stage of
/// the earlier one is free.
void WgmmaTask::emitProducts() {
  Lanes one = lanes.constant(1);
  forTiles([&](const Lanes &firstStep) {
    auto emitBody = [&](const Lanes &step, ValueRange carried) {
      Lanes number = lanes.add(firstStep, step);
      Sums sums = emitStep(number, carried);
      nvx::WgmmaWaitOp::create(lanes.b, lanes.loc, TypeRange(), 1u, ValueRange());
      Value isLater = lanes.compare(arith::CmpIPredicate::sgt, step, lanes.constant(0));
      release(lanes.sub(number, one), isLater);
      return sums;
    };
    Sums zeros(size_t(plan.schedule.tile[1] / 2), lanes.floatConstant(0));
    Lanes steps = lanes.constant(plan.getSteps());
    Sums sums = lanes.loop(steps, zeros, emitBody);
    auto done = nvx::WgmmaWaitOp::create(lanes.b, lanes.loc, ValueRange(sums).getTypes(), 0u, sums);
    release(lanes.add(firstStep, lanes.sub(steps, one)), Value());
    emitResults(done.getResults());
  });
}

/// By one thread of each warp.
void WgmmaTask::release(const Lanes &number, Value condition) {
  Value first = isFirst(lanes.mod(thread, kWarpSize));
  lanes.ifThen(lanes.andMask(condition, first), {}, [&] {
    ring.release(lanes, memory, number);
    return SmallVector<Value>();
  });
}

/// Of what lies `offset` bytes from the start of shared memory.
Value WgmmaTask::getDescriptor(const Lanes &offset, int64_t panel) {
  OpBuilder &b = lanes.b;
  Value place =
      LLVM::PtrToIntOp::create(b, lanes.loc, b.getI32Type(), getSharedPlace(lanes, memory, offset));
  Value shift = arith::ConstantOp::create(b, lanes.loc, b.getI32IntegerAttr(4));
  Value chunks = arith::ShRUIOp::create(b, lanes.loc, place, shift);
  Value form = arith::ConstantOp::create(b, lanes.loc,
                                         b.getI64IntegerAttr(int64_t(getMatrixDescriptor(panel))));
  return arith::AddIOp::create(b, lanes.loc, form,
                               arith::ExtUIOp::create(b, lanes.loc, b.getI64Type(), chunks));
}

WgmmaTask::Sums WgmmaTask::emitStep(const Lanes &number, ValueRange sums) {
  OpBuilder &b = lanes.b;
  const ChunkedProduct &shape = plan.product.shape;
  ring.waitFull(lanes, memory, number);
  Lanes stage = ring.getStage(lanes, number);
  Lanes group = lanes.floorDiv(warp, kGroupSize / kWarpSize);
  Lanes skip = lanes.mul(group, lanes.constant(kWgmmaRows * kPanelBytes));
  Value rows = getDescriptor(lanes.add(stage, skip), 0);
  Value columns = getDescriptor(lanes.add(stage, lanes.constant(plan.getBytesA())),
                                shape.transposed ? plan.getPanelBytes() : 0);
  Type element = shape.isWide() ? b.getTF32Type() : shape.element;
  int64_t depth = getWgmmaDepth(shape.getBytes());
  auto fence = nvx::WgmmaFenceOp::create(b, lanes.loc, sums.getTypes(), sums);
  Sums next(fence.getResults());
  for (int64_t k = 0; k != plan.schedule.tile[2]; k += depth) {
    auto skipTo = [&](Value descriptor, int64_t bytes) -> Value {
      Value more =
          arith::ConstantOp::create(b, lanes.loc, b.getI64IntegerAttr(int64_t(inChunks(bytes))));
      return arith::AddIOp::create(b, lanes.loc, descriptor, more);
    };
    Value a = skipTo(rows, k * shape.getBytes());
    Value c = skipTo(columns, k * (shape.transposed ? kPanelBytes : shape.getBytes()));
    auto product = nvx::WgmmaOp::create(b, lanes.loc, ValueRange(next).getTypes(), element, a, c,
                                        next, shape.transposed, /*only=*/false);
    next.assign(product.getResults().begin(), product.getResults().end());
  }
  nvx::WgmmaCommitOp::create(b, lanes.loc);
  return next;
}

/// Some columns of the warp's sixteen rows at once. What is in shared memory from the tile before
/// was read before the warp met for the products of this one.
void WgmmaTask::emitResults(ValueRange sums) {
  constexpr int64_t columns = WgmmaPlan::kResultColumns;
  ResultRows results(lanes, kernel, op, plan.product.shape, columns, plan.schedule.width);
  Lanes lane = lanes.mod(thread, kWarpSize);
  Lanes offset = lanes.add(lanes.mul(warp, lanes.constant(plan.getSumsBytes())),
                           lanes.constant(plan.getRingBytes()));
  Value place = getSharedPlace(lanes, memory, offset);
  Lanes row = lanes.add(firstRow, lanes.mul(warp, lanes.constant(kMmaRows)));
  constexpr size_t ofPart = columns / kMmaColumns * kRegistersC;
  for (int64_t first = 0; first != plan.schedule.tile[1]; first += columns) {
    if (first)
      nvx::WarpBarrierOp::create(lanes.b, lanes.loc);
    results.store(lane, sums.slice(size_t(first / columns) * ofPart, ofPart), place);
    nvx::WarpBarrierOp::create(lanes.b, lanes.loc);
    results.finish(lane, indices, row, lanes.add(firstColumn, lanes.constant(first)), place);
  }
}
