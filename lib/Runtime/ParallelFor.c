/*===- ParallelFor.c - the loop over threads ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// Indices are claimed, not given: a thread that the system does not let run has claimed nothing, so
// that nobody waits for it, however busy the machine is. Every thread has a range of its own, cut
// by n and the number of threads alone, and takes from its front; what it needs again for the next
// call is then in its caches. A thread whose range is empty takes from the back of the others.
//
// What is left of a range is one word with the number of the region (a call) in it. Who takes from
// it has taken from this region, which cannot end before it is done: so the description of the
// region may be read without further care, behind a claim. Which thread runs an index does not
// matter to the bits: compiled code gives every index its own piece of the result.

#define _GNU_SOURCE

#include "Sleeper.h"
#include "ThreadCount.h"

#include "weft/Runtime/weft_runtime.h"

#include <pthread.h>
#include <stddef.h>

/* Kernels follow each other within microseconds; to sleep and to be woken takes longer. */
enum { SPIN_NANOSECONDS = 20000 };
/* How many are kept off their caller's processor before they are woken, two calls of the system for
 * each: among more processors it is seldom chosen. */
enum { MOVED_THREADS = 16 };
/* What kernels have on the stack of their task, and room for the calls. */
enum { LEAST_STACK = 512 << 10 };
/* Into how many chunks a range is cut, if it is long. */
enum { CHUNKS_OF_RANGE = 64 };

/* The chunks that nobody has claimed: {region:32, first:16, behind the last:16}, counted from the
 * first of the range. */
typedef struct {
  _Alignas(64) _Atomic uint64_t left;
} Range;

static Range ranges[WEFT_MAX_THREADS];
static Sleeper sleepers[WEFT_MAX_THREADS];

/* The region: written while no chunk is left of the one before. */
static struct {
  void (*fn)(void *context, int64_t index);
  void *context;
  int64_t n, chunkSize;
  uint32_t chunks;
  int threads; /* that have a range */
} region;

static struct {
  _Alignas(64) _Atomic uint32_t number;   /* of the region; workers wait for it to change */
  _Atomic uint32_t sleepers;              /* of these */
  _Atomic int callersProcessor;           /* when it last woke them */
  _Alignas(64) _Atomic uint32_t finished; /* chunks of the region; the caller waits for all */
  _Atomic uint32_t callerSleeps;
  _Alignas(64) _Atomic uint32_t busy; /* a region is running, or the pool is closed */
  _Atomic uint32_t stops;             /* workers end */
  int wanted, threads;                /* with the caller; 0: there are no workers */
  uint32_t firstNumber;               /* when the workers began */
  int64_t spin;                       /* nanoseconds */
  pthread_t workers[WEFT_MAX_THREADS];
} pool;

//===----------------------------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------------------------===//

/* The first chunk of a thread's range. */
static uint32_t beginOf(int thread) {
  return (uint32_t)((uint64_t)region.chunks * (uint64_t)thread / (uint64_t)region.threads);
}

/* Claims a chunk of what is left of a range in this region: the first, or the last one. Returns its
 * number within the range, or -1. */
static int claim(Range *range, uint32_t number, int front) {
  uint64_t left = atomic_load(&range->left);
  for (;;) {
    uint32_t first = (uint32_t)left >> 16, end = (uint32_t)left & 0xffff;
    if ((uint32_t)(left >> 32) != number || first == end)
      return -1;
    uint64_t less = front ? left + (1 << 16) : left - 1;
    if (atomic_compare_exchange_weak(&range->left, &left, less))
      return (int)(front ? first : end - 1);
  }
}

static void runChunk(uint32_t chunk) {
  int64_t begin = chunk * region.chunkSize, left = region.n - begin;
  int64_t end = left < region.chunkSize ? region.n : begin + region.chunkSize;
  for (int64_t index = begin; index < end; ++index)
    region.fn(region.context, index);
}

/* Runs what can be claimed, and adds it to what is finished. */
static void runChunks(int self, uint32_t number) {
  uint32_t done = 0;
  for (int i = 0; i < pool.threads; ++i) {
    int from = (self + i) % pool.threads;
    for (int chunk; (chunk = claim(&ranges[from], number, i == 0)) >= 0; ++done)
      runChunk(beginOf(from) + (uint32_t)chunk);
  }
  if (!done)
    return;
  uint32_t all = region.chunks; /* another region may begin behind the last chunk */
  if (atomic_fetch_add(&pool.finished, done) + done == all && atomic_load(&pool.callerSleeps))
    wakeAll(&pool.finished);
}

//===----------------------------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------------------------===//

/* Waits for another region than `number`. */
static uint32_t awaitRegion(int self, uint32_t number) {
  uint32_t next = spinOn(&pool.number, number, pool.spin);
  if (next != number)
    return next;
  fallAsleep(&sleepers[self]);
  atomic_fetch_add(&pool.sleepers, 1);
  while ((next = atomic_load(&pool.number)) == number)
    sleepOn(&pool.number, number);
  atomic_fetch_sub(&pool.sleepers, 1);
  wakeUp(&sleepers[self]);
  if (pool.spin) /* one of many */
    leaveProcessor(atomic_load(&pool.callersProcessor));
  return next;
}

static void *work(void *argument) {
  int self = (int)(intptr_t)argument;
  sleepers[self].thread = currentThread();
  for (uint32_t number = pool.firstNumber;;) {
    number = awaitRegion(self, number);
    if (atomic_load(&pool.stops))
      return NULL;
    runChunks(self, number);
  }
}

static void announce(uint32_t number) {
  if (atomic_load(&pool.sleepers)) {
    int here = currentProcessor();
    atomic_store(&pool.callersProcessor, here);
    for (int i = 1; pool.spin && i < pool.threads && i < MOVED_THREADS; ++i)
      moveSleeper(&sleepers[i], here);
  }
  atomic_store(&pool.number, number);
  if (atomic_load(&pool.sleepers))
    wakeAll(&pool.number);
}

static void stopWorkers(void) {
  if (!pool.threads)
    return;
  atomic_store(&pool.stops, 1);
  announce(atomic_load(&pool.number) + 1);
  for (int i = 1; i < pool.threads; ++i)
    pthread_join(pool.workers[i], NULL);
  atomic_store(&pool.stops, 0);
  pool.threads = 0;
}

/* The child of a fork has the memory, but no workers. */
static void forget(void) {
  resetWaits();
  pool.threads = 0;
  atomic_store(&pool.sleepers, 0);
  atomic_store(&pool.callerSleeps, 0);
  atomic_store(&pool.stops, 0);
  atomic_store(&pool.busy, 0);
}

/* As many as can be had. */
static void startWorkers(int threads) {
  static int isRegistered;
  if (!isRegistered)
    isRegistered = pthread_atfork(NULL, NULL, forget) == 0;
  stopWorkers();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  size_t stack;
  if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < LEAST_STACK)
    pthread_attr_setstacksize(&attributes, LEAST_STACK);
  /* More threads than processors only keep each other from running by spinning. */
  pool.spin = threads <= weft_count_processors() ? SPIN_NANOSECONDS : 0;
  pool.firstNumber = atomic_load(&pool.number);
  for (int i = 1; i < threads; ++i)
    atomic_store(&sleepers[i].state, AWAKE); /* behind a fork they are those of the parent */
  int started = 1;
  while (started < threads &&
         pthread_create(&pool.workers[started], &attributes, work, (void *)(intptr_t)started) == 0)
    ++started;
  pool.wanted = threads;
  pool.threads = started;
  pthread_attr_destroy(&attributes);
}

/* A library that is closed leaves no threads in its code. */
__attribute__((destructor)) static void closePool(void) {
  if (!atomic_exchange(&pool.busy, 1))
    stopWorkers();
}

//===----------------------------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------------------------===//

static void runSerially(void (*fn)(void *context, int64_t index), void *context, int64_t n) {
  for (int64_t index = 0; index < n; ++index)
    fn(context, index);
}

/* Describes the region, then hands out its chunks. */
static uint32_t beginRegion(void (*fn)(void *context, int64_t index), void *context, int64_t n) {
  uint32_t number = atomic_load(&pool.number) + 1;
  region.fn = fn;
  region.context = context;
  region.n = n;
  region.threads = n < pool.threads ? (int)n : pool.threads;
  region.chunkSize = n / (CHUNKS_OF_RANGE * (int64_t)region.threads);
  if (region.chunkSize < 1)
    region.chunkSize = 1;
  region.chunks = (uint32_t)((n - 1) / region.chunkSize + 1);
  atomic_store(&pool.finished, 0);
  for (int i = 0; i < region.threads; ++i)
    atomic_store_explicit(&ranges[i].left, (uint64_t)number << 32 | (beginOf(i + 1) - beginOf(i)),
                          memory_order_release);
  announce(number);
  return number;
}

/* Waits for the chunks that workers have claimed. */
static void endRegion(void) {
  uint32_t now;
  while ((now = atomic_load(&pool.finished)) != region.chunks) {
    now = spinOn(&pool.finished, now, pool.spin);
    if (now == region.chunks)
      return;
    atomic_store(&pool.callerSleeps, 1);
    sleepOn(&pool.finished, now);
    atomic_store(&pool.callerSleeps, 0);
  }
}

void weft_parallel_for(void (*fn)(void *context, int64_t index), void *context, int64_t n) {
  int threads = weft_get_threads();
  /* A call from inside of a call, or beside that of another thread, is done by the caller. */
  if (threads <= 1 || n <= 1 || atomic_load(&pool.busy) || atomic_exchange(&pool.busy, 1)) {
    runSerially(fn, context, n);
    return;
  }
  if (pool.wanted != threads || !pool.threads)
    startWorkers(threads);
  runChunks(0, beginRegion(fn, context, n));
  endRegion();
  atomic_store(&pool.busy, 0);
}
