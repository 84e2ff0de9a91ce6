//===- PeakFlops.cpp - measures the multiply-add rate ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/PeakFlops.h"

#include "BestRate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

using namespace weft;

// Each loop runs `rounds` times 12 independent multiply-adds: more than latency times units (at
// most 10 on known processors) needs. Written in assembly, so that no compiler and no -O level
// changes what is measured.
#if defined(__x86_64__)
#define WEFT_FMA(REGISTER, NUMBER)                                                                 \
  "vfmadd231ps %%" REGISTER "0, %%" REGISTER "1, %%" REGISTER NUMBER "\n"
#define WEFT_FMA_LOOP(REGISTER)                                                                    \
  "1:\n" WEFT_FMA(REGISTER, "2") WEFT_FMA(REGISTER, "3") WEFT_FMA(REGISTER, "4")                   \
      WEFT_FMA(REGISTER, "5") WEFT_FMA(REGISTER, "6") WEFT_FMA(REGISTER, "7")                      \
          WEFT_FMA(REGISTER, "8") WEFT_FMA(REGISTER, "9") WEFT_FMA(REGISTER, "10")                 \
              WEFT_FMA(REGISTER, "11") WEFT_FMA(REGISTER, "12")                                    \
                  WEFT_FMA(REGISTER, "13") "dec %0\njnz 1b\nvzeroupper\n"
#define WEFT_FMA_CLOBBERS                                                                          \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",         \
      "xmm11", "xmm12", "xmm13", "cc"

__attribute__((target("avx512f"))) static void runAvx512(int64_t rounds) {
  asm volatile("vzeroall\n" WEFT_FMA_LOOP("zmm") : "+r"(rounds) : : WEFT_FMA_CLOBBERS);
}

__attribute__((target("avx2,fma"))) static void runAvx2(int64_t rounds) {
  asm volatile("vzeroall\n" WEFT_FMA_LOOP("ymm") : "+r"(rounds) : : WEFT_FMA_CLOBBERS);
}
#endif

// Four lanes of multiplication and addition, whatever the processor.
static void runPlain(int64_t rounds) {
  typedef float Vector __attribute__((vector_size(16)));
  Vector sums[12] = {};
  Vector factor = {0.5f, 0.5f, 0.5f, 0.5f};
  for (; rounds > 0; --rounds)
    for (Vector &sum : sums)
      sum = sum * factor + factor;
  for (Vector &sum : sums)
    asm volatile("" : : "m"(sum));
}

namespace {

struct Loop {
  void (*run)(int64_t rounds);
  int lanes;
  const char *name;
};

} // namespace

static Loop bestLoop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {runAvx512, 16, "AVX-512"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {runAvx2, 8, "AVX2"};
#endif
  return {runPlain, 4, "plain"};
}

const char *weft::peakVectors() { return bestLoop().name; }

double weft::bestRate(int threads, int attempts, double units,
                      llvm::function_ref<void(int thread)> work) {
  double best = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
      others.emplace_back(work, i);
    work(0);
    for (std::thread &other : others)
      other.join();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, 1e-9 * units * threads / seconds.count());
  }
  return best;
}

double weft::measurePeak(int threads) {
  Loop loop = bestLoop();
  constexpr int64_t rounds = 1 << 20;
  return bestRate(threads, 40, 2 * 12 * loop.lanes * double(rounds),
                  [&](int) { loop.run(rounds); });
}
