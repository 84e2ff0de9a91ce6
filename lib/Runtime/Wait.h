/*===- Wait.h - threads that wait for a word to change ---------------------------------*- C
-*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_WAIT_H
#define WEFT_LIB_RUNTIME_WAIT_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#if defined(__linux__) && !defined(WEFT_NO_FUTEX)
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sleeps unless `word` has another value; may return early. */
static inline void sleepOn(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

/* Wakes all who sleep on `word`, which has changed. */
static inline void wakeAll(_Atomic uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static inline void resetWaits(void) {}
#else
#include <pthread.h>

/* Of all words. */
static pthread_mutex_t waitLock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t waitChange = PTHREAD_COND_INITIALIZER;

static inline void sleepOn(_Atomic uint32_t *word, uint32_t value) {
  pthread_mutex_lock(&waitLock);
  if (atomic_load(word) == value)
    pthread_cond_wait(&waitChange, &waitLock);
  pthread_mutex_unlock(&waitLock);
}

static inline void wakeAll(_Atomic uint32_t *word) {
  (void)word;
  pthread_mutex_lock(&waitLock);
  pthread_cond_broadcast(&waitChange);
  pthread_mutex_unlock(&waitLock);
}

/* In the child of a fork: who held them is not there. */
static inline void resetWaits(void) {
  pthread_mutex_init(&waitLock, NULL);
  pthread_cond_init(&waitChange, NULL);
}
#endif

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

static inline int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Reads `word` again and again while it has the value, for about so many nanoseconds. Returns what
 * it is then. */
static inline uint32_t spinOn(_Atomic uint32_t *word, uint32_t value, int64_t limit) {
  uint32_t now = atomic_load(word);
  for (int64_t end = now == value && limit > 0 ? nanoseconds() + limit : 0;
       now == value && end && nanoseconds() < end;)
    for (int i = 0; i < 16 && now == value; ++i) {
      relax();
      now = atomic_load(word);
    }
  return now;
}

#endif
