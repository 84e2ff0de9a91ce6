//===- Cuda.h - the parts of the CUDA driver's interface that are emulated ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Names and numbers are those of the driver's documentation; no header of the toolkit is needed.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_DRIVER_CUDA_H
#define WEFT_LIB_EMULATOR_DRIVER_CUDA_H

#include <cstddef>
#include <cstdint>

#define WEFT_CUDA extern "C" __attribute__((visibility("default"))) CUresult

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_ILLEGAL_STATE = 401,
};

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct EmulatedContext *;
using CUmodule = struct EmulatedModule *;
using CUlibrary = struct EmulatedModule *;
using CUfunction = struct EmulatedFunction *;
using CUkernel = struct EmulatedFunction *;
using CUstream = struct EmulatedStream *;
using CUevent = struct EmulatedEvent *;
using CUgraph = struct EmulatedGraph *;
using CUgraphExec = struct EmulatedGraph *;

/// CUlaunchAttribute.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int allowed;
  } value;
};

/// CUlaunchConfig.
struct LaunchConfiguration {
  unsigned grid[3], threads[3], sharedBytes;
  CUstream stream;
  const LaunchAttribute *attributes;
  unsigned attributeCount;
};

#endif // WEFT_LIB_EMULATOR_DRIVER_CUDA_H
