//===- GpuRoofline.h - what bounds the kernels of a GPU -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The cycles that a kernel keeps each unit of a multiprocessor busy, from its PTX: the instructions
// that some of its threads execute, counted along their way (ThreadWalk). The unit with the most
// binds. Nothing is known of what waits for what, so this is what a device allows for.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_PREDICTION_GPUROOFLINE_H
#define WEFT_PREDICTION_GPUROOFLINE_H

#include "weft/Prediction/GpuDevice.h"
#include "weft/Support/MachineLimits.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace weft {

/// Launches of a kernel that are alike.
struct GpuLaunch {
  std::string name;  ///< "context.attention"
  std::string entry; ///< in the PTX: "context_attention"
  int64_t calls = 0;
  int64_t blocks = 0, threads = 0; ///< of a call; threads of a block
  KernelWork work;                 ///< of a call
  std::vector<int64_t> boxes;      ///< bytes of a box of each tensor map, the last parameters
};

struct GpuProgram {
  std::string name;             ///< of the model's entry
  std::vector<int64_t> symbols; ///< as they are in the frame
  std::vector<GpuLaunch> launches;
};

/// Of one call of a kernel.
struct GpuPrediction {
  double matrix = 0, functions = 0, shared = 0, issue = 0; ///< cycles of the busiest multiprocessor
  double memory = 0; ///< cycles in which memory moves the bytes that must be moved
  double cycles = 0; ///< those of what binds
  std::string limit;
  double share = 0; ///< of the time that the best use of matrix units and memory would take
};

/// Prints a table for each program, the longest kernels first.
llvm::Error printGpuRoofline(llvm::ArrayRef<GpuProgram> programs, llvm::StringRef ptx,
                             const GpuDevice &device, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_PREDICTION_GPUROOFLINE_H
