//===- TileEmitter.h - kernels of blocks that take tiles in turn ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// On sm_90a a block is three groups of four warps: one has tiles copied to shared memory, two
// compute with them. There are as many blocks as processors, and each takes one tile after the
// other, so that copies for the next one are on their way while one is finished.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_TILEEMITTER_H
#define WEFT_LIB_CODEGEN_GPU_TILEEMITTER_H

#include "GroupWalk.h"

#include "weft/Codegen/Common/Kernel.h"
#include "weft/Codegen/GPU/Passes.h"

#include <memory>

namespace weft {

namespace emitters {
inline constexpr llvm::StringLiteral wgmma = "wgmma", wgmmaAttention = "wgmma_attention";
} // namespace emitters

/// The chip that has what such kernels need.
inline constexpr llvm::StringLiteral kTileChip = "sm_90a";
/// Threads of four warps; of a block, one group that copies and two that compute.
inline constexpr int64_t kGroupSize = 128, kConsumers = 2;
inline constexpr int64_t kConsumerWarps = kConsumers * kGroupSize / kWarpSize;
inline constexpr int64_t kTileThreads = kGroupSize * (1 + kConsumers);
/// What a block may have of shared memory.
inline constexpr int64_t kMaxTileBytes = 227 << 10;

class TileEmitter {
public:
  virtual ~TileEmitter() = default;
  virtual Lanes getNumTiles(LaneBuilder &lanes, const Kernel &kernel) = 0;
  /// On the host: whether there is enough to do, with these sizes; the kernel of all chips runs if
  /// there is not.
  virtual mlir::Value isEnough(LaneBuilder &lanes, const Kernel &kernel) = 0;
  /// On the host: maps of the tensors that are copied.
  virtual llvm::SmallVector<mlir::Value> makeMaps(LaneBuilder &lanes, const Kernel &kernel) = 0;
  virtual unsigned getNumMaps() const = 0;
  /// Whether the kernel needs no maps of these buffers, parts of caches, whose places are known on
  /// the device alone. From then on it has none of them.
  virtual bool canDoWithout(llvm::ArrayRef<mlir::Value> buffers) = 0;
  virtual int64_t getSharedBytes() const = 0;
  /// How long a processor has to do with a tile, beside one of another emitter of the same op.
  virtual int64_t getTileWork() const { return 1; }
  /// Writes what a block does.
  virtual void emit(LaneBuilder &lanes, const Kernel &kernel, mlir::ValueRange maps) = 0;
};

/// The attribute of an anchor with its schedule on that chip, a `#weft.lowering`.
inline constexpr llvm::StringLiteral kTileLowering = "nvx.lowering";

/// The emitters that this names: none, one, or a second one for calls with fewer tiles than
/// processors. Failure if the schedule is wrong, which was reported.
mlir::FailureOr<llvm::SmallVector<std::unique_ptr<TileEmitter>>>
createTileEmitters(mlir::Operation *anchor);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_TILEEMITTER_H
