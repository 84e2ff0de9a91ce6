/*===- Profile.c - the times of kernels ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// Events are recorded before and behind every kernel and read at the end of the call: launches do
// not wait. A call with very many kernels has the times of the first ones only.

#include "Profile.h"

#include "weft/Runtime/weft_cuda_program.h"
#include "weft/Runtime/weft_runtime.h"

enum { MOST_LAUNCHES = 1 << 14 };

typedef struct {
  CUevent begin, end;
  int32_t kernel;
} Launch;

static Launch launches[MOST_LAUNCHES]; /* their events are used again */
static int count, made;
static int isOpen; /* a kernel has begun and not ended */

int weft_cuda_is_timed(void) { return isOpen; }

void weft_cuda_profile_begin(int32_t kernel) {
  isOpen = 1;
  if (count == MOST_LAUNCHES)
    return;
  Launch *launch = &launches[count];
  if (count == made) {
    if (weft_cuda_driver.cuEventCreate(&launch->begin, 0) != CUDA_SUCCESS)
      return;
    if (weft_cuda_driver.cuEventCreate(&launch->end, 0) != CUDA_SUCCESS) {
      weft_cuda_driver.cuEventDestroy_v2(launch->begin);
      return;
    }
    ++made;
  }
  launch->kernel = kernel;
  weft_cuda_driver.cuEventRecord(launch->begin, weft_cuda_device.stream);
}

void weft_cuda_profile_end(int32_t kernel) {
  isOpen = 0;
  if (count < made && launches[count].kernel == kernel)
    weft_cuda_driver.cuEventRecord(launches[count++].end, weft_cuda_device.stream);
}

void weft_cuda_profile_finish(void) {
  for (int i = 0; i < count; ++i) {
    float milliseconds;
    if (weft_cuda_driver.cuEventElapsedTime(&milliseconds, launches[i].begin, launches[i].end) ==
        CUDA_SUCCESS)
      weft_profile_add(launches[i].kernel, 1e-3 * (double)milliseconds);
  }
  count = 0;
}
