//===- TileRing.h - tiles on their way through shared memory --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A ring of stages, each with two barriers: it is full when the copies have come, and empty when
// all warps have read it. Steps are numbered through the whole life of a block; step `i` uses stage
// `i mod stages`.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_TILERING_H
#define WEFT_LIB_CODEGEN_GPU_TILERING_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Codegen/GPU/Passes.h"

namespace weft {

struct TileRing {
  int64_t stages, stageBytes;
  int64_t start, barriers; ///< where stages and barriers are in shared memory, in bytes
  int64_t readers;         ///< warps that read a stage

  static constexpr int64_t getBarrierBytes(int64_t stages) { return stages * 2 * 8; }
  /// Behind the stages, and behind the barriers.
  int64_t getEnd() const { return start + stages * stageBytes; }
  int64_t getBarrierEnd() const { return barriers + getBarrierBytes(stages); }

  /// By one thread, before all others go on.
  void init(LaneBuilder &lanes, mlir::Value memory) const;
  /// In bytes from the start of shared memory.
  Lanes getStage(LaneBuilder &lanes, const Lanes &step) const;

  /// By the thread that fills the stage: waits until it is empty; says that it is full.
  void waitEmpty(LaneBuilder &lanes, mlir::Value memory, const Lanes &step) const;
  void fill(LaneBuilder &lanes, mlir::Value memory, const Lanes &step) const;
  /// By the thread that copies: waits until the stage is empty and announces its bytes. Copies
  /// report to the barrier that is returned.
  mlir::Value beginFill(LaneBuilder &lanes, mlir::Value memory, const Lanes &step) const;
  /// By threads that read.
  void waitFull(LaneBuilder &lanes, mlir::Value memory, const Lanes &step) const;
  /// By one thread of each warp that reads.
  void release(LaneBuilder &lanes, mlir::Value memory, const Lanes &step) const;

private:
  mlir::Value getBarrier(LaneBuilder &lanes, mlir::Value memory, const Lanes &step,
                         bool ofEmpty) const;
  mlir::Value getParity(LaneBuilder &lanes, const Lanes &step, int64_t more) const;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_TILERING_H
