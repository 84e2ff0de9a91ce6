//===- TileBlock.cpp - what blocks that take tiles in turn have in common -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileBlock.h"

#include "GroupWalk.h"
#include "SharedMemory.h"
#include "SharedTile.h"

#include "weft/Codegen/GPU/MatrixDescriptor.h"

using namespace mlir;
using namespace weft;

/// Registers of each thread when the block begins.
static constexpr uint32_t kRegisters = 168;
static constexpr int64_t kGroupWarps = kGroupSize / kWarpSize;

static Value isFirst(LaneBuilder &lanes, const Lanes &number) {
  return lanes.compare(arith::CmpIPredicate::eq, number, lanes.constant(0));
}

TileBlock weft::beginBlock(LaneBuilder &lanes, ArrayRef<TileRing> rings) {
  OpBuilder &b = lanes.b;
  Type i32 = b.getI32Type();
  TileBlock block;
  block.thread = getThread(lanes, kTileThreads);
  Value warp =
      arith::IndexCastOp::create(b, lanes.loc, i32, lanes.floorDiv(block.thread, kWarpSize).value);
  block.warp = readNumber(lanes, nvx::BroadcastOp::create(b, lanes.loc, i32, warp),
                          kTileThreads / kWarpSize - 1);
  block.memory = getDynamicShared(lanes, kMatrixAlignment);
  lanes.ifThen(isFirst(lanes, block.thread), {}, [&] {
    for (const TileRing &ring : rings)
      ring.init(lanes, block.memory);
    nvx::MBarrierFenceOp::create(b, lanes.loc);
    return SmallVector<Value>();
  });
  nvx::BarrierOp::create(b, lanes.loc);
  return block;
}

void weft::splitBlock(LaneBuilder &lanes, TileBlock &block, uint32_t copyRegisters,
                      llvm::function_ref<void()> copy, llvm::function_ref<void()> compute) {
  Lanes ofBlock = block.warp;
  constexpr auto consumers = uint32_t(kConsumers);
  uint32_t computeRegisters = (kRegisters * (1 + consumers) - copyRegisters) / consumers;
  auto setRegisters = [&](uint32_t count, bool more) {
    nvx::MaxRegistersOp::create(lanes.b, lanes.loc, count, more);
  };
  lanes.choose(
      lanes.compare(arith::CmpIPredicate::slt, ofBlock, lanes.constant(kGroupWarps)),
      [&] {
        setRegisters(copyRegisters, false);
        copy();
      },
      [&] {
        setRegisters(computeRegisters, true);
        block.warp = lanes.sub(ofBlock, lanes.constant(kGroupWarps));
        block.warp.interval.min = 0;
        compute();
      });
}

GridPart weft::getGridPart(LaneBuilder &lanes, int64_t most) {
  OpBuilder &b = lanes.b;
  Type i32 = b.getI32Type();
  return {readNumber(lanes, nvx::BlockIdOp::create(b, lanes.loc, i32), most),
          readNumber(lanes, nvx::GridSizeOp::create(b, lanes.loc, i32), most)};
}

Lanes weft::asCount(LaneBuilder &lanes, Value carried) {
  return lanes.uniform(carried, {0, kMostCopies});
}

SmallVector<Value> weft::forTiles(LaneBuilder &lanes, const Lanes &numTiles, ValueRange inits,
                                  TileBody body) {
  int64_t most = std::max<int64_t>(numTiles.interval.max, 1);
  GridPart part = getGridPart(lanes, most);
  const Lanes &block = part.block, &blocks = part.blocks;
  Lanes rest = lanes.sub(lanes.add(numTiles, lanes.sub(blocks, lanes.constant(1))), block);
  Lanes count = lanes.binary(arith::DivUIOp::getOperationName(), rest, blocks, {0, most});
  return lanes.loop(count, inits, [&](const Lanes &i, ValueRange carried) {
    Lanes before = lanes.binary(arith::MulIOp::getOperationName(), i, blocks, {0, most});
    Lanes tile = lanes.binary(arith::AddIOp::getOperationName(), block, before, {0, most - 1});
    return body(tile, i, carried);
  });
}

Value weft::getDescriptor(LaneBuilder &lanes, Value memory, const Lanes &offset, int64_t panel) {
  OpBuilder &b = lanes.b;
  Value place =
      LLVM::PtrToIntOp::create(b, lanes.loc, b.getI32Type(), getSharedPlace(lanes, memory, offset));
  Value shift = makeWord(lanes, 4);
  Value chunks = arith::ShRUIOp::create(b, lanes.loc, place, shift);
  Value form = arith::ConstantOp::create(b, lanes.loc,
                                         b.getI64IntegerAttr(int64_t(getMatrixDescriptor(panel))));
  return arith::AddIOp::create(b, lanes.loc, form,
                               arith::ExtUIOp::create(b, lanes.loc, b.getI64Type(), chunks));
}

Value weft::skipTo(LaneBuilder &lanes, Value descriptor, int64_t bytes) {
  OpBuilder &b = lanes.b;
  Value more =
      arith::ConstantOp::create(b, lanes.loc, b.getI64IntegerAttr(int64_t(inChunks(bytes))));
  return arith::AddIOp::create(b, lanes.loc, descriptor, more);
}

SmallVector<Value> weft::fenceRegisters(LaneBuilder &lanes, ValueRange registers) {
  auto fence = nvx::WgmmaFenceOp::create(lanes.b, lanes.loc, registers.getTypes(), registers);
  return SmallVector<Value>(fence.getResults());
}

SmallVector<Value> weft::waitForProducts(LaneBuilder &lanes, uint32_t pending,
                                         ValueRange registers) {
  auto wait =
      nvx::WgmmaWaitOp::create(lanes.b, lanes.loc, registers.getTypes(), pending, registers);
  return SmallVector<Value>(wait.getResults());
}

void weft::releaseStage(LaneBuilder &lanes, const TileBlock &block, const TileRing &ring,
                        const Lanes &number, Value condition) {
  Value first = isFirst(lanes, lanes.mod(block.thread, kWarpSize));
  lanes.ifThen(lanes.andMask(condition, first), {}, [&] {
    ring.release(lanes, block.memory, number);
    return SmallVector<Value>();
  });
}
