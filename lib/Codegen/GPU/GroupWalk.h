//===- GroupWalk.h - rows that neighbouring threads share -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The threads of a group, a warp or a block, take vectors of a row in turn, so that neighbours read
// what lies side by side. A short row is visited by code without loops, in which what was read once
// stays in registers. All threads of a group do the same steps: those of whom a step has no vector
// compute with the last one, and neither count nor write.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_GROUPWALK_H
#define WEFT_LIB_CODEGEN_GPU_GROUPWALK_H

#include "weft/Codegen/Common/RowWalk.h"
#include "weft/Codegen/GPU/Passes.h"

namespace weft {

/// Threads of a block, and of a warp.
inline constexpr int64_t kBlockSize = 256, kWarpSize = 32;
/// Elements of a row that a thread has in registers, at most.
inline constexpr int64_t kMaxHeld = 32;

/// A whole number of 32 bits from 0 to `most`, as an index.
Lanes readNumber(LaneBuilder &lanes, mlir::Value number, int64_t most);

/// A constant of 32 bits.
mlir::Value makeWord(LaneBuilder &lanes, int64_t value);

/// The same number, of at least 0, of which the code generator knows nothing (`nvx.opaque`).
Lanes makeOpaque(LaneBuilder &lanes, const Lanes &number);

/// The number of the thread in its block of so many.
Lanes getThread(LaneBuilder &lanes, int64_t threads = kBlockSize);

/// The value of the thread whose number in the warp is this one's xor `distance`.
mlir::Value shuffle(LaneBuilder &lanes, mlir::Value value, int64_t distance);

class GroupWalk : public RowWalk {
public:
  /// `held`: without loops.
  GroupWalk(int64_t threads, bool held) : threads(threads), held(held) {}

  llvm::SmallVector<mlir::Value> visit(LaneBuilder &lanes, const Lanes &lower, const Lanes &upper,
                                       mlir::ValueRange inits, Body body) const override;
  void combine(LaneBuilder &lanes, const Accumulator &accumulator,
               llvm::MutableArrayRef<mlir::Value> carried) const override;
  void writeOnce(LaneBuilder &lanes, llvm::function_ref<void()> write) const override;
  bool isHeld() const override { return held; }
  int64_t getThreads() const override { return threads; }

private:
  /// The number of the thread in its group.
  Lanes getLane(LaneBuilder &lanes) const;
  llvm::SmallVector<mlir::Value> visitHeld(LaneBuilder &lanes, const Lanes &extent,
                                           mlir::ValueRange inits, Body body) const;
  /// From what every warp carries to what the block does.
  void combineWarps(LaneBuilder &lanes, const Accumulator &accumulator,
                    llvm::MutableArrayRef<mlir::Value> carried) const;

  int64_t threads;
  bool held;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_GROUPWALK_H
