/*===- Processor.h - the processor that a thread runs on --------------------------------*- C
-*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// Needs _GNU_SOURCE.

#ifndef WEFT_LIB_RUNTIME_PROCESSOR_H
#define WEFT_LIB_RUNTIME_PROCESSOR_H

#if defined(__linux__)
#include <sched.h>

/* The number of the calling thread's processor, or -1. */
static inline int currentProcessor(void) { return sched_getcpu(); }

/* Moves the calling thread to another processor than `taken`, if it is there and may be elsewhere.
 */
static inline void leaveProcessor(int taken) {
  cpu_set_t allowed, others;
  if (taken < 0 || currentProcessor() != taken || sched_getaffinity(0, sizeof allowed, &allowed))
    return;
  others = allowed;
  CPU_CLR(taken, &others);
  if (CPU_COUNT(&others) && !sched_setaffinity(0, sizeof others, &others))
    sched_setaffinity(0, sizeof allowed, &allowed);
}
#else
static inline int currentProcessor(void) { return -1; }
static inline void leaveProcessor(int taken) { (void)taken; }
#endif

#endif
