/*===- Driver.h - the CUDA driver, opened at run time --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// Names and numbers are those of the driver's documentation; no header of the toolkit is needed.

#ifndef WEFT_LIB_RUNTIME_CUDA_DRIVER_H
#define WEFT_LIB_RUNTIME_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_HIDDEN __attribute__((visibility("hidden")))

typedef unsigned long long CUdeviceptr;
typedef struct CUcontext_st *CUcontext;
typedef struct CUmodule_st *CUmodule;
typedef struct CUfunction_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_FOUND = 500,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
};

typedef struct {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int allowed;
  } value;
} WeftLaunchAttribute; /* CUlaunchAttribute */

typedef struct {
  unsigned grid[3], block[3], sharedBytes;
  CUstream stream;
  WeftLaunchAttribute *attributes;
  unsigned attributeCount;
} WeftLaunchConfig; /* CUlaunchConfig */

/* The functions that are used: name in the library, parameters. */
#define WEFT_CUDA_FUNCTIONS(X)                                                                     \
  X(cuInit, (unsigned flags))                                                                      \
  X(cuGetErrorString, (int result, const char **text))                                             \
  X(cuDeviceGetCount, (int *count))                                                                \
  X(cuDeviceGet, (int *device, int ordinal))                                                       \
  X(cuDeviceGetName, (char *name, int length, int device))                                         \
  X(cuDeviceGetAttribute, (int *value, int attribute, int device))                                 \
  X(cuDevicePrimaryCtxRetain, (CUcontext * context, int device))                                   \
  X(cuCtxPushCurrent_v2, (CUcontext context))                                                      \
  X(cuCtxPopCurrent_v2, (CUcontext * context))                                                     \
  X(cuStreamCreate, (CUstream * stream, unsigned flags))                                           \
  X(cuStreamSynchronize, (CUstream stream))                                                        \
  X(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                                          \
  X(cuMemFree_v2, (CUdeviceptr address))                                                           \
  X(cuMemHostAlloc, (void **host, size_t bytes, unsigned flags))                                   \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))       \
  X(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))             \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))       \
  X(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream stream))             \
  X(cuPointerGetAttribute, (void *value, int attribute, CUdeviceptr address))                      \
  X(cuModuleLoadDataEx,                                                                            \
    (CUmodule * module, const void *image, unsigned count, int *options, void **values))           \
  X(cuModuleUnload, (CUmodule module))                                                             \
  X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))               \
  X(cuFuncSetAttribute, (CUfunction function, int attribute, int value))                           \
  X(cuLaunchKernel, (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,          \
                     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,      \
                     CUstream stream, void **parameters, void **extra))                            \
  X(cuEventCreate, (CUevent * event, unsigned flags))                                              \
  X(cuEventDestroy_v2, (CUevent event))                                                            \
  X(cuEventRecord, (CUevent event, CUstream stream))                                               \
  X(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end))

/* Those that an old driver may lack: null then. */
#define WEFT_CUDA_OPTIONAL_FUNCTIONS(X)                                                            \
  X(cuStreamBeginCapture_v2, (CUstream stream, int mode))                                          \
  X(cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                        \
  X(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))    \
  X(cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                            \
  X(cuGraphDestroy, (CUgraph graph))                                                               \
  X(cuGraphExecDestroy, (CUgraphExec exec))                                                        \
  X(cuLaunchKernelEx, /* since CUDA 11.8 */                                                        \
    (const WeftLaunchConfig *config, CUfunction function, void **parameters, void **extra))        \
  X(cuTensorMapEncodeTiled, /* since CUDA 12, as kernels for sm_90a need */                        \
    (void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,                     \
     const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,          \
     int swizzle, int promotion, int fill))

typedef struct {
#define FIELD(name, parameters) int(*name) parameters;
  WEFT_CUDA_FUNCTIONS(FIELD)
  WEFT_CUDA_OPTIONAL_FUNCTIONS(FIELD)
#undef FIELD
} WeftDriver;

/* Empty until weft_cuda_open_driver. */
extern WEFT_HIDDEN WeftDriver weft_cuda_driver;

/* Opens the driver, once; an error code if there is none. */
WEFT_HIDDEN int weft_cuda_open_driver(void);

/* Keeps the sentence for weft_error_string and returns WEFT_ERROR_DEVICE. */
WEFT_HIDDEN int weft_cuda_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* WEFT_OK for CUDA_SUCCESS, else a failure: what was tried, and the driver's words for it. */
WEFT_HIDDEN int weft_cuda_check(int result, const char *what);

#endif
