//===- ChooseLowering.h - how kernels become the threads of a GPU ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_CHOOSELOWERING_H
#define WEFT_LIB_CODEGEN_GPU_CHOOSELOWERING_H

#include "GroupWalk.h"

#include "llvm/ADT/StringSet.h"

namespace weft {

/// The bytes that a thread reads or writes at once.
inline constexpr int64_t kAccess = 16;
/// Up to so many elements a warp has enough threads for a row.
inline constexpr int64_t kWarpRow = kWarpSize * kMaxHeld;

/// A task for each row, or for each vector of it where it has several.
inline RowTasks oneEach(bool hasLanes) {
  RowTasks tasks;
  (hasLanes ? tasks.vectors : tasks.rows) = 1;
  tasks.parallel = true;
  return tasks;
}

/// Of a product; `counts` are the symbols of new positions.
LoweringAttr chooseContract(ContractOp op, bool tf32, const llvm::StringSet<> &counts);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_CHOOSELOWERING_H
