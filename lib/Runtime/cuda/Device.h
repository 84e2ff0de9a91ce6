/*===- Device.h - the device and its memory ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// Everything here is done with the lock of Device.c held, which calls of models hold from begin to
// end: one stream, one call at a time.

#ifndef WEFT_LIB_RUNTIME_CUDA_DEVICE_H
#define WEFT_LIB_RUNTIME_CUDA_DEVICE_H

#include "Driver.h"

/* Addresses in device memory are multiples of it, as cuMemAlloc's are. */
enum { WEFT_CUDA_ALIGNMENT = 256 };

static inline int64_t weft_cuda_align(int64_t bytes) {
  return (bytes + WEFT_CUDA_ALIGNMENT - 1) / WEFT_CUDA_ALIGNMENT * WEFT_CUDA_ALIGNMENT;
}

/* The one device that models run on. */
typedef struct {
  int capability; /* 80 for 8.0 */
  int processors;
  char name[128];
  CUstream stream;
} WeftDevice;

extern WEFT_HIDDEN WeftDevice weft_cuda_device;

/* Waits for other calls, opens the device if that was not done and makes it the thread's. After
 * an error there is nothing to leave. */
WEFT_HIDDEN int weft_cuda_enter(void);
WEFT_HIDDEN void weft_cuda_leave(void);

/* Memory of the device that grows. */
typedef struct {
  CUdeviceptr address;
  int64_t bytes;
} WeftBuffer;

/* At least so many bytes; what was in it is lost if it grows. Idle sequences give way if there is
 * not enough. */
WEFT_HIDDEN int weft_cuda_reserve(WeftBuffer *buffer, int64_t bytes, const char *what);
WEFT_HIDDEN void weft_cuda_give_back(WeftBuffer *buffer);

/* Whether a pointer is an address of the device. */
WEFT_HIDDEN int weft_cuda_is_on_device(const void *pointer);

/* Waits until all that was asked for is done. */
WEFT_HIDDEN int weft_cuda_wait(void);

#endif
