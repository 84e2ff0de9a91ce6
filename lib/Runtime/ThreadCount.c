/*===- ThreadCount.c - how many threads kernels may use -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// Apart from the threads, which a program may replace by its own.

#define _GNU_SOURCE /* the affinity mask */

#include "ThreadCount.h"

#include "weft/Runtime/weft_runtime.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

/* 0: the default. */
static _Atomic int chosen;
/* 0: not known yet. */
static _Atomic int standard;

int weft_count_processors(void) {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return CPU_COUNT(&allowed);
#endif
  /* Where there is no mask, or it has more than 1024 bits. */
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : online < WEFT_MAX_THREADS ? (int)online : WEFT_MAX_THREADS;
}

/* WEFT_THREADS, if it is a whole number that can be. */
static int countFromEnvironment(void) {
  const char *text = getenv("WEFT_THREADS");
  if (!text)
    return 0;
  char *end;
  long count = strtol(text, &end, 10);
  return end == text || *end || count < 1 || count > WEFT_MAX_THREADS ? 0 : (int)count;
}

void weft_set_threads(int n) {
  chosen = n < 1 ? 0 : n < WEFT_MAX_THREADS ? n : WEFT_MAX_THREADS;
  standard = 0;
}

int weft_get_threads(void) {
  int count = chosen;
  if (count)
    return count;
  count = standard;
  if (count)
    return count;
  count = countFromEnvironment();
  return standard = count ? count : weft_count_processors();
}
