/*===- limits.c - what the processor's matrix units and the memory do at most
-------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: limits THREADS; prints "bf16 GFLOP/s", "int8 GFLOP/s" (0 where the processor has no such
unit) and "read GB/s".
// cc -O3 -march=native -pthread limits.c -o limits
//===--------------------------------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { READ_BYTES = 256 << 20, MOST_THREADS = 256, TRIES = 5 };

typedef double (*Work)(const char *memory);
static pthread_barrier_t barrier;

#ifdef __AMX_TILE__
/* Two by two tiles of results, as products hold them. */
#define TILES(op)                                                                                  \
  struct {                                                                                         \
    uint8_t palette, start, zero[14];                                                              \
    uint16_t columns[16];                                                                          \
    uint8_t rows[16];                                                                              \
  } shape = {.palette = 1};                                                                        \
  for (int i = 0; i < 8; ++i)                                                                      \
    shape.columns[i] = 64, shape.rows[i] = 16;                                                     \
  __asm__ volatile("" : : "r"(&shape) : "memory");                                                 \
  _tile_loadconfig(&shape);                                                                        \
  for (long i = 0; i < 300000; ++i) {                                                              \
    op(0, 4, 6);                                                                                   \
    op(1, 4, 7);                                                                                   \
    op(2, 5, 6);                                                                                   \
    op(3, 5, 7);                                                                                   \
  }                                                                                                \
  _tile_release();
static double bf16Tiles(const char *memory) {
  (void)memory;
  TILES(_tile_dpbf16ps)
  return 300000. * 4 * 16 * 16 * 32 * 2;
}
static double int8Tiles(const char *memory) {
  (void)memory;
  TILES(_tile_dpbssd)
  return 300000. * 4 * 16 * 16 * 64 * 2;
}
#endif

/* Sixteen chains of one instruction, which hides its latency. */
#define CHAINS(instruction, register)                                                              \
  for (long i = 0; i < 2000000; ++i)                                                               \
    __asm__ volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13\n" instruction                        \
                     " %%" register "14,%%" register "15,%%" register "\\n\n.endr" ::              \
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                           "xmm9", "xmm10", "xmm11", "xmm12", "xmm13");
#ifdef __AVX512BF16__
static double bf16Dots(const char *memory) {
  (void)memory;
  CHAINS("vdpbf16ps", "zmm")
  return 2000000. * 14 * 64;
}
#endif
#if defined(__AVX512VNNI__)
static double int8Dots(const char *memory) {
  (void)memory;
  CHAINS("vpdpbusd", "zmm")
  return 2000000. * 14 * 128;
}
#elif defined(__AVXVNNI__)
static double int8Dots(const char *memory) {
  (void)memory;
  CHAINS("{vex} vpdpbusd", "ymm")
  return 2000000. * 14 * 64;
}
#endif

static double readMemory(const char *memory) {
  const uint64_t *words = (const uint64_t *)memory;
  uint64_t sums[32] = {0};
  for (size_t i = 0; i < READ_BYTES / 8; i += 32)
    for (int j = 0; j < 32; ++j)
      sums[j] += words[i + j];
  __asm__ volatile("" : : "r"(sums) : "memory");
  return READ_BYTES;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

typedef struct {
  Work work;
  pthread_t id;
  char *memory;
  double rate; /* the best of some tries */
} Thread;

static void *runThread(void *argument) {
  Thread *thread = argument;
  thread->rate = 0;
  for (int i = 0; i < TRIES; ++i) {
    pthread_barrier_wait(&barrier);
    double start = now();
    double rate = thread->work(thread->memory) / (now() - start);
    thread->rate = rate > thread->rate ? rate : thread->rate;
  }
  return NULL;
}

/* Giga-units a second of all threads together. */
static double measure(Work work, int count) {
  static Thread threads[MOST_THREADS];
  pthread_barrier_init(&barrier, NULL, count);
  for (int i = 0; i < count; ++i) {
    threads[i].work = work;
    if (!threads[i].memory) {
      threads[i].memory = aligned_alloc(1 << 21, READ_BYTES);
      memset(threads[i].memory, i + 1, READ_BYTES);
    }
    pthread_create(&threads[i].id, NULL, runThread, &threads[i]);
  }
  double rate = 0;
  for (int i = 0; i < count; ++i) {
    pthread_join(threads[i].id, NULL);
    rate += threads[i].rate;
  }
  return 1e-9 * rate;
}

int main(int count, char **arguments) {
  int threads = count == 2 ? atoi(arguments[1]) : 0;
  if (threads < 1 || threads > MOST_THREADS) {
    fprintf(stderr, "usage: limits THREADS (1 to %d)\n", MOST_THREADS);
    return 2;
  }
  double bf16 = 0, int8 = 0;
#ifdef __AVX512BF16__
  bf16 = measure(bf16Dots, threads);
#endif
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
  int8 = measure(int8Dots, threads);
#endif
#ifdef __AMX_TILE__
  if (syscall(SYS_arch_prctl, 0x1023 /* ARCH_REQ_XCOMP_PERM */, 18 /* tile data */) == 0) {
    double tiles = measure(bf16Tiles, threads);
    bf16 = tiles > bf16 ? tiles : bf16;
    tiles = measure(int8Tiles, threads);
    int8 = tiles > int8 ? tiles : int8;
  }
#endif
  printf("bf16 %.1f\nint8 %.1f\nread %.2f\n", bf16, int8, measure(readMemory, threads));
  return 0;
}
