//===- SharedMemory.h - memory that the threads of a block share ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_SHAREDMEMORY_H
#define WEFT_LIB_CODEGEN_GPU_SHAREDMEMORY_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Codegen/GPU/Passes.h"

namespace weft {

/// The address spaces of memory that all threads see, and that the threads of a block share; how
/// much of the latter a function may declare.
inline constexpr unsigned kGlobal = 1, kShared = 3;
inline constexpr int64_t kMaxSharedBytes = 48 << 10;

/// A pointer to memory of the block, a variable of its own, named after the function.
mlir::Value makeShared(LaneBuilder &lanes, mlir::Type type, llvm::StringRef name,
                       int64_t alignment);

/// A pointer to the memory that a launch gives each block beside what functions declare.
mlir::Value getDynamicShared(LaneBuilder &lanes, int64_t alignment);

/// A pointer to memory of the device, at least so many bytes: one variable for all kernels, which
/// one of them fills for the one that follows it.
mlir::Value makePassedOn(LaneBuilder &lanes, int64_t bytes);

/// Of the device: how many numbers the blocks of a kernel have drawn (TileQueue), 0 between
/// kernels.
mlir::Value getDrawn(LaneBuilder &lanes);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_SHAREDMEMORY_H
