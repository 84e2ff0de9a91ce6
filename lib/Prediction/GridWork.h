//===- GridWork.h - what the threads of a grid do -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PREDICTION_GRIDWORK_H
#define WEFT_LIB_PREDICTION_GRIDWORK_H

#include "weft/Emulator/Ptx.h"
#include "weft/Prediction/GpuRoofline.h"

#include <optional>

namespace weft {

/// The mean work of a block, from some blocks and the first thread of each of their warps; nothing
/// if a thread's way is too long.
std::optional<PipeWork> getBlockWork(const ptx::Function &function, const GpuLaunch &launch,
                                     llvm::ArrayRef<int64_t> symbols);

} // namespace weft

#endif // WEFT_LIB_PREDICTION_GRIDWORK_H
