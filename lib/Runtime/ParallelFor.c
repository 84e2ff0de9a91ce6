/*===- ParallelFor.c - the loop over threads, on OpenMP -===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// Static chunks: which thread runs an index depends on n and the number of threads only, and
// compiled code gives every index its own piece of the result, so the bits never depend on it.

#include "weft/Runtime/weft_runtime.h"

#include <omp.h>

/* 0: OpenMP's own default. */
static int threads;

void weft_set_threads(int n) { threads = n < 1 ? 0 : n; }

int weft_get_threads(void) { return threads ? threads : omp_get_max_threads(); }

void weft_parallel_for(void (*fn)(void *context, int64_t index), void *context, int64_t n) {
  int64_t count = weft_get_threads();
  if (count > n)
    count = n;
  /* A team of one still costs a barrier, and a nested team would be one of one. */
  if (count <= 1 || omp_in_parallel()) {
    for (int64_t index = 0; index < n; ++index)
      fn(context, index);
    return;
  }
#pragma omp parallel for schedule(static) num_threads((int)count)
  for (int64_t index = 0; index < n; ++index)
    fn(context, index);
}
