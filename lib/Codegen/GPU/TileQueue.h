//===- TileQueue.h - tiles that blocks draw ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Where some tiles have more to do than others, a block takes the next one when it has nothing left
// to copy for its last: those with the most to do first, all blocks end at nearly the same time.
// The first tiles are those of the blocks' numbers. The warp that copies draws from a variable of
// the device and tells the warps that compute by shared memory. Whoever draws the last number makes
// the variable 0 again, for the next kernel. What a tile computes does not depend on its block.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_TILEQUEUE_H
#define WEFT_LIB_CODEGEN_GPU_TILEQUEUE_H

#include "TileBlock.h"
#include "TileRing.h"

namespace weft {

class TileQueue {
public:
  /// Behind so many bytes of shared memory it takes `kBytes`, multiples of 8; so many warps
  /// compute.
  TileQueue(int64_t start, int64_t readers)
      : ring{kStages, kNumberBytes, start, start + kStages * kNumberBytes, readers} {}

  static constexpr int64_t kStages = 2, kNumberBytes = 4;
  static constexpr int64_t kBytes = kStages * kNumberBytes + TileRing::getBarrierBytes(kStages);

  const TileRing &getRing() const { return ring; }
  /// Calls `body` for each tile of the block, by all threads of the warp that copies (`draws`) and
  /// of those that compute.
  llvm::SmallVector<mlir::Value> forTiles(LaneBuilder &lanes, const TileBlock &block, bool draws,
                                          const Lanes &numTiles, mlir::ValueRange inits,
                                          TileBody body) const;

private:
  void draw(LaneBuilder &lanes, const TileBlock &block, const Lanes &numTiles, const Lanes &blocks,
            const Lanes &step) const;
  mlir::Value getPlace(LaneBuilder &lanes, const TileBlock &block, const Lanes &step) const;

  TileRing ring;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_TILEQUEUE_H
