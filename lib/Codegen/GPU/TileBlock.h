//===- TileBlock.h - what blocks that take tiles in turn have in common ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_TILEBLOCK_H
#define WEFT_LIB_CODEGEN_GPU_TILEBLOCK_H

#include "TileEmitter.h"
#include "TileRing.h"

namespace weft {

/// A thread of such a block.
struct TileBlock {
  Lanes thread;
  Lanes warp; ///< of those that compute, or of those that copy
  mlir::Value memory;
};

/// The barriers of rings are started, and all threads know of them. The warp is that of the block.
TileBlock beginBlock(LaneBuilder &lanes, llvm::ArrayRef<TileRing> rings);
/// One group of warps copies, keeps so many registers for each thread, and gives the others to
/// those that compute: both are multiples of 8.
void splitBlock(LaneBuilder &lanes, TileBlock &block, uint32_t copyRegisters,
                llvm::function_ref<void()> copy, llvm::function_ref<void()> compute);
/// Of tiles that a block copies: more take minutes.
inline constexpr int64_t kMostCopies = 1 << 28;

/// The number of the block, and of all blocks, of which there are no more than tiles.
struct GridPart {
  Lanes block, blocks;
};
GridPart getGridPart(LaneBuilder &lanes, int64_t mostTiles);
/// What is done for a tile, before which the block had so many; it carries values from one to the
/// next.
using TileBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    const Lanes &tile, const Lanes &before, mlir::ValueRange carried)>;
/// How many steps a block has had, if that is what is carried.
Lanes asCount(LaneBuilder &lanes, mlir::Value carried);
/// Calls `body` for each tile of the block.
llvm::SmallVector<mlir::Value> forTiles(LaneBuilder &lanes, const Lanes &numTiles,
                                        mlir::ValueRange inits, TileBody body);

/// Of the matrix that lies `offset` bytes from the start of shared memory (MatrixDescriptor.h), and
/// of what lies some bytes behind it.
mlir::Value getDescriptor(LaneBuilder &lanes, mlir::Value memory, const Lanes &offset,
                          int64_t panel);
mlir::Value skipTo(LaneBuilder &lanes, mlir::Value descriptor, int64_t bytes);

/// The registers as products behind a fence use them.
llvm::SmallVector<mlir::Value> fenceRegisters(LaneBuilder &lanes, mlir::ValueRange registers);
/// The registers when all groups of products but the last ones are done.
llvm::SmallVector<mlir::Value> waitForProducts(LaneBuilder &lanes, uint32_t pending,
                                               mlir::ValueRange registers);
/// By the first thread of each warp.
void releaseStage(LaneBuilder &lanes, const TileBlock &block, const TileRing &ring,
                  const Lanes &number, mlir::Value condition = {});

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_TILEBLOCK_H
