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
#include <sys/syscall.h>
#include <unistd.h>

typedef cpu_set_t Processors;

/* The number of the calling thread's processor, or -1. */
static inline int currentProcessor(void) { return sched_getcpu(); }

/* The calling thread, for others. */
static inline int currentThread(void) { return (int)syscall(SYS_gettid); }

/* Keeps a thread (0: the calling one) off a processor, if it may be elsewhere: it moves at once, if
 * it is there. Returns whether it does; `before` is where it could be. */
static inline int keepOff(int thread, int taken, Processors *before) {
  if (taken < 0 || sched_getaffinity(thread, sizeof *before, before))
    return 0;
  Processors others = *before;
  CPU_CLR(taken, &others);
  return CPU_COUNT(&others) && !sched_setaffinity(thread, sizeof others, &others);
}

static inline void allowProcessors(const Processors *processors) {
  sched_setaffinity(0, sizeof *processors, processors);
}
#else
typedef int Processors;
static inline int currentProcessor(void) { return -1; }
static inline int currentThread(void) { return 0; }
static inline int keepOff(int thread, int taken, Processors *before) {
  (void)thread, (void)taken, (void)before;
  return 0;
}
static inline void allowProcessors(const Processors *processors) { (void)processors; }
#endif

/* Moves the calling thread to another processor than `taken`, if it is there. */
static inline void leaveProcessor(int taken) {
  Processors allowed;
  if (currentProcessor() == taken && keepOff(0, taken, &allowed))
    allowProcessors(&allowed);
}

#endif
