/*===- Profile.c - time spent in every kernel -===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L

#include "weft/Runtime/weft_runtime.h"

#include <string.h>
#include <time.h>

typedef struct {
  int64_t calls;
  double seconds;
} Total;

static Total totals[WEFT_PROFILE_KERNELS];
/* Kernels do not nest, so that one start time is enough. */
static double start;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void weft_profile_begin(int32_t kernel) {
  (void)kernel;
  start = now();
}

void weft_profile_end(int32_t kernel) { weft_profile_add(kernel, now() - start); }

void weft_profile_add(int32_t kernel, double seconds) {
  if (kernel < 0 || kernel >= WEFT_PROFILE_KERNELS)
    return;
  totals[kernel].calls += 1;
  totals[kernel].seconds += seconds;
}

void weft_profile_read(int32_t kernel, int64_t *calls, double *seconds) {
  int known = kernel >= 0 && kernel < WEFT_PROFILE_KERNELS;
  *calls = known ? totals[kernel].calls : 0;
  *seconds = known ? totals[kernel].seconds : 0;
}

void weft_profile_reset(void) { memset(totals, 0, sizeof totals); }
