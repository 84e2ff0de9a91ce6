//===- TileTasks.cpp - kernels whose blocks take tiles in turn ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GroupWalk.h"
#include "ThreadTasks.h"

#include "weft/Target/PTX.h"

using namespace mlir;
using namespace weft;

/// Of a tensor map, which is a parameter of the kernel: its bytes, and what they are a multiple of.
static constexpr unsigned kMapBytes = 128, kMapAlignment = 64;

bool ThreadTasks::canMap(TileEmitter &tiles) {
  SmallVector<Value> moving;
  for (auto [place, argument] : llvm::zip(form.places, kernel.getArguments()))
    if (place.cache)
      moving.push_back(argument);
  return tiles.canDoWithout(moving);
}

void ThreadTasks::writeTiles(gpu::GPUModuleOp device, StringRef name, TileEmitter &tiles) {
  unsigned numMaps = tiles.getNumMaps(), first = kernel.getNumArguments() + 1;
  LLVM::LLVMFuncOp function = createFunction(device, name, kTileThreads, /*blocks=*/1, numMaps);
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), kMapBytes);
  for (unsigned i = first; i != first + numMaps; ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(kMapAlignment));
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
  }
  fill(function, [&](LaneBuilder &lanes, const Kernel &inside) {
    tiles.emit(lanes, inside, function.getArguments().take_back(numMaps));
  });
}

/// Whether the chip's kernels were loaded, and there is enough to do.
Value ThreadTasks::isForTiles(LaneBuilder &lanes, const Kernel &outside, TileEmitter &tiles) {
  Value chip = nvx::ChipOp::create(b, lanes.loc, b.getI32Type());
  int32_t capability = findGPUChip(kTileChip)->capability;
  Value wanted = arith::ConstantOp::create(b, lanes.loc, b.getI32IntegerAttr(capability));
  Value isLoaded = arith::CmpIOp::create(b, lanes.loc, arith::CmpIPredicate::eq, chip, wanted);
  return lanes.andMask(isLoaded, tiles.isEnough(lanes, outside));
}

static Lanes getProcessors(LaneBuilder &lanes) {
  OpBuilder &b = lanes.b;
  Value count = nvx::ProcessorsOp::create(b, lanes.loc, b.getI32Type());
  count = arith::IndexCastOp::create(b, lanes.loc, b.getIndexType(), count);
  return lanes.uniform(count, {1, INT32_MAX});
}

/// What the processors with the most tiles have to do.
static Lanes getLongestWork(LaneBuilder &lanes, const Kernel &outside, TileEmitter &emitter) {
  Lanes processors = getProcessors(lanes), tiles = emitter.getNumTiles(lanes, outside);
  Lanes all = lanes.add(tiles, lanes.sub(processors, lanes.constant(1)));
  Lanes rounds =
      lanes.binary(arith::DivUIOp::getOperationName(), all, processors, {0, tiles.interval.max});
  return lanes.mul(rounds, lanes.constant(emitter.getTileWork()));
}

/// The last of the kernels, those with the smallest tiles, unless those before it keep as many
/// processors busy.
void ThreadTasks::launchBest(LaneBuilder &lanes, const Kernel &outside, ArrayRef<Tiles> tiles,
                             ValueRange operands) {
  if (tiles.size() == 1)
    return launchTiles(lanes, outside, tiles.front(), operands);
  Value isBetter;
  for (const Tiles &other : tiles.drop_back())
    isBetter =
        lanes.andMask(isBetter, lanes.compare(arith::CmpIPredicate::slt,
                                              getLongestWork(lanes, outside, *tiles.back().emitter),
                                              getLongestWork(lanes, outside, *other.emitter)));
  lanes.choose(
      isBetter, [&] { launchTiles(lanes, outside, tiles.back(), operands); },
      [&] { launchBest(lanes, outside, tiles.drop_back(), operands); });
}

/// A block for each processor, or for each tile if there are fewer.
void ThreadTasks::launchTiles(LaneBuilder &lanes, const Kernel &outside, const Tiles &tiles,
                              ValueRange operands) {
  TileEmitter &emitter = *tiles.emitter;
  Lanes processors = getProcessors(lanes);
  Lanes blocks = lanes.min(emitter.getNumTiles(lanes, outside), processors);
  blocks = lanes.max(blocks, lanes.constant(1));
  SmallVector<Value> all(operands);
  llvm::append_range(all, emitter.makeMaps(lanes, outside));
  Value one = lanes.indexConstant(1), threads = lanes.indexConstant(kTileThreads);
  Value shared = arith::ConstantOp::create(b, lanes.loc,
                                           b.getI32IntegerAttr(int32_t(emitter.getSharedBytes())));
  gpu::LaunchFuncOp::create(b, lanes.loc, tiles.name, gpu::KernelDim3{blocks.value, one, one},
                            gpu::KernelDim3{threads, one, one}, shared, all);
}
