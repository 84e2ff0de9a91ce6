//===- GpuDevice.h - figures of GPUs ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_PREDICTION_GPUDEVICE_H
#define WEFT_PREDICTION_GPUDEVICE_H

#include "llvm/ADT/StringRef.h"

#include <array>

namespace weft {

/// What a multiprocessor has for instructions of a kind, and in what its work is counted.
enum class Pipe {
  Issue,    ///< instructions of a warp
  Matrix16, ///< operations of products of bf16 and f16
  Matrix32, ///< of tf32
  Matrix8,  ///< of 8 bits
  Real,     ///< threads that add, multiply f32
  Integer,  ///< threads that compute with integers, compare, choose
  Function, ///< threads with a power of two, a reciprocal, a root
  Convert,  ///< threads that convert
  Local,    ///< bytes from and to shared memory and the first cache
  Copy,     ///< bytes that arrive from the second cache
};
inline constexpr size_t kNumPipes = size_t(Pipe::Copy) + 1;

/// Work of pipes.
using PipeWork = std::array<double, kNumPipes>;

struct GpuDevice {
  llvm::StringLiteral chip; ///< that code for it is written for: "sm_80"
  llvm::StringLiteral name;
  int64_t processors; ///< multiprocessors
  double clock;       ///< GHz, the highest that is promised
  double memory;      ///< GB/s
  double syncShare;   ///< of what matrix units do, with instructions of single warps
  std::array<double, kNumPipes> rates; ///< of a multiprocessor in a cycle
};

/// The device that stands for a chip; null if there is none.
const GpuDevice *findGpuDevice(llvm::StringRef chip);

} // namespace weft

#endif // WEFT_PREDICTION_GPUDEVICE_H
