//===- GpuDevice.cpp - figures of GPUs ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Where the figures are from:
//   processors, clock, memory, matrix units, second cache of A100: NVIDIA A100 Tensor Core GPU
//     Architecture (white paper, 2020), tables 1 to 4: 312 TFLOP/s of bf16 are 2048 operations a
//     cycle of each of 108 multiprocessors at 1.41 GHz; the second cache gives 5120 bytes a cycle;
//   those of H100: NVIDIA H100 Tensor Core GPU Architecture (white paper, 2022), the SXM5 column:
//     989.4 TFLOP/s of bf16 are 4096 operations a cycle of each of 132 at 1.83 GHz. It does not say
//     what the second cache gives; the 64 bytes a cycle of a multiprocessor are those that Jia et
//     al. measured on V100 (Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking);
//   issue, real, integer, function, convert: CUDA C++ Programming Guide, "Throughput of Native
//     Arithmetic Instructions", columns 8.0 and 9.0; four warp schedulers; shared memory has 32
//     banks of 4 bytes;
//   syncShare of H100: Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU Architecture
//     (2024), who measured 62.9 % of the peak with mma.sync.
//
// They were written down from memory of these texts, and not compared with them since. The rates of
// the matrix units agree with the published peaks. `convert`, the second caches and syncShare are
// the least certain: look them up before something is decided by them.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Prediction/GpuDevice.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

static constexpr GpuDevice devices[] = {
    {"sm_80",
     "A100-SXM4-40GB",
     108,
     1.41,
     1555,
     1.0,
     // issue, matrix16, matrix32, matrix8, real, integer, function, convert, local, copy
     {4, 2048, 1024, 4096, 64, 64, 16, 16, 128, 5120.0 / 108}},
    {"sm_90a",
     "H100-SXM5-80GB",
     132,
     1.83,
     3352,
     0.629,
     {4, 4096, 2048, 8192, 128, 64, 16, 64, 128, 64}},
};

const GpuDevice *weft::findGpuDevice(llvm::StringRef chip) {
  const GpuDevice *found =
      llvm::find_if(devices, [&](const GpuDevice &device) { return device.chip == chip; });
  return found == std::end(devices) ? nullptr : found;
}
