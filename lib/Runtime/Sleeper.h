/*===- Sleeper.h - where a worker wakes -------------------------------------------------*- C
-*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// A system may wake a thread on the processor of its caller, where it gets no time until another
// one is found to be idle: tens of milliseconds, as an idle processor of a virtual machine looks
// like one that is busy elsewhere. So the caller keeps who sleeps off its own processor before it
// wakes them, and who has woken may be everywhere again.

#ifndef WEFT_LIB_RUNTIME_SLEEPER_H
#define WEFT_LIB_RUNTIME_SLEEPER_H

#include "Processor.h"
#include "Wait.h"

enum { AWAKE, ASLEEP, MOVING, MOVED };

typedef struct {
  _Alignas(64) _Atomic int state;
  int thread;        /* whose it is */
  Processors before; /* MOVED: where it may be */
} Sleeper;

/* The calling thread is about to sleep. */
static inline void fallAsleep(Sleeper *own) { atomic_store(&own->state, ASLEEP); }

/* Before it is woken: elsewhere than on this processor. */
static inline void moveSleeper(Sleeper *other, int taken) {
  int asleep = ASLEEP;
  if (atomic_compare_exchange_strong(&other->state, &asleep, MOVING))
    atomic_store(&other->state, keepOff(other->thread, taken, &other->before) ? MOVED : ASLEEP);
}

/* The calling thread has woken, on whatever processor. */
static inline void wakeUp(Sleeper *own) {
  int asleep;
  do {
    asleep = ASLEEP;
    if (atomic_compare_exchange_strong(&own->state, &asleep, AWAKE))
      return;
    relax();
  } while (asleep == MOVING);
  allowProcessors(&own->before);
  atomic_store(&own->state, AWAKE);
}

#endif
