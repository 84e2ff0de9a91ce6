//===- MeasureMachine.cpp - what this machine can do at best -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/MeasureMachine.h"

#include "BestRate.h"
#include "weft/Runner/AlignedBuffer.h"
#include "weft/Runner/PeakFlops.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unistd.h>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#endif

using namespace weft;

namespace {

/// A loop, and what a round of it counts.
struct UnitLoop {
  void (*run)(int64_t rounds);
  double units;
};

} // namespace

#if defined(__x86_64__)

//===----------------------------------------------------------------------------------------===//
// Units, in assembly: what is measured depends on no compiler
//===----------------------------------------------------------------------------------------===//

// Twelve chains hide the latency of an instruction.
#define WEFT_LOOP(BODY)                                                                            \
  asm volatile("vzeroall\n1:\n.irp n,2,3,4,5,6,7,8,9,10,11,12,13\n" BODY                           \
               "\n.endr\ndec %0\njnz 1b\nvzeroupper\n"                                             \
               : "+r"(rounds)                                                                      \
               :                                                                                   \
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",   \
                 "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "cc")
#define WEFT_CHAINS(OP, REG) WEFT_LOOP(OP " %%" REG "0, %%" REG "1, %%" REG "\\n")

__attribute__((target("avx512f"))) static void runPairs(int64_t rounds) {
  WEFT_CHAINS("vdpbf16ps", "zmm");
}
__attribute__((target("avx512f"))) static void runCodes(int64_t rounds) {
  WEFT_CHAINS("vpdpbusd", "zmm");
}
__attribute__((target("avx2"))) static void runShortCodes(int64_t rounds) {
  WEFT_CHAINS("%{vex%} vpdpbusd", "ymm");
}
// Where there is neither, two products are added up in a word, two words in a lane, and lanes.
__attribute__((target("avx2"))) static void runNarrowCodes(int64_t rounds) {
  WEFT_LOOP("vpmaddubsw %%ymm0, %%ymm1, %%ymm14\nvpmaddwd %%ymm0, %%ymm14, %%ymm14\n"
            "vpaddd %%ymm14, %%ymm\\n, %%ymm\\n");
}

// Two by two tiles of results, as products hold them.
struct TileShapes {
  uint8_t palette = 1, start = 0, zero[14] = {};
  uint16_t columns[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
#define WEFT_TILES(OP)                                                                             \
  TileShapes shapes;                                                                               \
  asm volatile("ldtilecfg %1\n1:\n" OP " %%tmm6, %%tmm4, %%tmm0\n" OP                              \
               " %%tmm7, %%tmm4, %%tmm1\n" OP " %%tmm6, %%tmm5, %%tmm2\n" OP                       \
               " %%tmm7, %%tmm5, %%tmm3\ndec %0\njnz 1b\ntilerelease\n"                            \
               : "+r"(rounds)                                                                      \
               : "m"(shapes)                                                                       \
               : "cc")
static void runPairTiles(int64_t rounds) { WEFT_TILES("tdpbf16ps"); }
static void runCodeTiles(int64_t rounds) { WEFT_TILES("tdpbssd"); }

// 2^x as softmaxes compute it (Exponential.cpp), with factor and sum: 15 instructions of vectors.
#define WEFT_EXP(REG, X, Y, Z)                                                                     \
  "vsubps (%1), %%" REG "14, %%" REG X "\nvmulps (%1), %%" REG X ", %%" REG X                      \
  "\nvmaxps (%1), %%" REG X ", %%" REG X "\nvaddps (%1), %%" REG X ", %%" REG Y                    \
  "\nvsubps (%1), %%" REG Y ", %%" REG Z "\nvsubps %%" REG Z ", %%" REG X ", %%" REG X             \
  "\nvmovaps %%" REG "13, %%" REG Z "\n.rept 6\nvfmadd213ps (%1), %%" REG X ", %%" REG Z           \
  "\n.endr\nvpslld $23, %%" REG Y ", %%" REG Y "\nvmulps %%" REG Y ", %%" REG Z ", %%" REG Z       \
  "\nvaddps %%" REG Z ", %%" REG "12, %%" REG "12\n"
#define WEFT_EXPS(REG)                                                                             \
  alignas(64) static const float zeros[16] = {};                                                   \
  asm volatile("vzeroall\n1:\n" WEFT_EXP(REG, "0", "1", "2") WEFT_EXP(REG, "3", "4", "5")          \
                   WEFT_EXP(REG, "6", "7", "8")                                                    \
                       WEFT_EXP(REG, "9", "10", "11") "dec %0\njnz 1b\nvzeroupper\n"               \
               : "+r"(rounds)                                                                      \
               : "r"(zeros)                                                                        \
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",   \
                 "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "cc", "memory")
__attribute__((target("avx512f"))) static void runExps(int64_t rounds) { WEFT_EXPS("zmm"); }
__attribute__((target("avx2,fma"))) static void runShortExps(int64_t rounds) { WEFT_EXPS("ymm"); }

// Bits of CPUID's leaf 7; tiles also need the system's permission.
static bool hasFeature(unsigned subleaf, bool inEdx, unsigned bit) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, subleaf, &a, &b, &c, &d) && ((inEdx ? d : a) >> bit & 1);
}
static bool hasTiles(unsigned bit) {
  return hasFeature(0, /*inEdx=*/true, 24) && hasFeature(0, /*inEdx=*/true, bit) &&
         syscall(SYS_arch_prctl, /*ARCH_REQ_XCOMP_PERM=*/0x1023, /*tile data*/ 18) == 0;
}

static std::vector<UnitLoop> pairLoops() {
  std::vector<UnitLoop> loops;
  if (__builtin_cpu_supports("avx512bf16"))
    loops.push_back({runPairs, 12 * 64});
  if (hasTiles(22))
    loops.push_back({runPairTiles, 4.0 * 16 * 16 * 32 * 2});
  return loops;
}
static std::vector<UnitLoop> codeLoops() {
  std::vector<UnitLoop> loops;
  if (__builtin_cpu_supports("avx512vnni"))
    loops.push_back({runCodes, 12 * 128});
  else if (__builtin_cpu_supports("avx2") && hasFeature(1, /*inEdx=*/false, 4))
    loops.push_back({runShortCodes, 12 * 64});
  else if (__builtin_cpu_supports("avx2"))
    loops.push_back({runNarrowCodes, 12 * 64});
  if (hasTiles(25))
    loops.push_back({runCodeTiles, 4.0 * 16 * 16 * 64 * 2});
  return loops;
}
static std::vector<UnitLoop> expLoops() {
  if (__builtin_cpu_supports("avx512f"))
    return {{runExps, 4 * 16}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {{runShortExps, 4 * 8}};
  return {};
}

#else
static std::vector<UnitLoop> pairLoops() { return {}; }
static std::vector<UnitLoop> codeLoops() { return {}; }
static std::vector<UnitLoop> expLoops() { return {}; }
#endif

static double bestOf(llvm::ArrayRef<UnitLoop> loops, int threads, double otherwise) {
  constexpr int64_t rounds = 1 << 18;
  for (const UnitLoop &loop : loops)
    otherwise = std::max(otherwise, bestRate(threads, 10, loop.units * double(rounds),
                                             [&](int) { loop.run(rounds); }));
  return otherwise;
}

//===----------------------------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------------------------===//

static void readPlain(const char *memory, int64_t bytes) {
  typedef uint64_t Words __attribute__((vector_size(16), may_alias));
  Words sums[4] = {};
  for (int64_t at = 0; at < bytes; at += 64)
    for (int64_t i = 0; i < 4; ++i)
      sums[i] += *reinterpret_cast<const Words *>(memory + at + 16 * i);
  for (Words &sum : sums)
    asm volatile("" : : "m"(sum));
}

#if defined(__x86_64__)
#define WEFT_READS(REG, BYTES)                                                                     \
  const char *end = memory + bytes;                                                                \
  asm volatile("1:\n.irp n,0,1,2,3,4,5,6,7\nvmovaps \\n*" BYTES "(%0), %%" REG                     \
               "\\n\n.endr\nadd $8*" BYTES ", %0\ncmp %1, %0\njb 1b\nvzeroupper\n"                 \
               : "+r"(memory)                                                                      \
               : "r"(end)                                                                          \
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "cc", "memory")
__attribute__((target("avx512f"))) static void readWide(const char *memory, int64_t bytes) {
  WEFT_READS("zmm", "64");
}
__attribute__((target("avx2"))) static void readShort(const char *memory, int64_t bytes) {
  WEFT_READS("ymm", "32");
}
#endif

static auto bestReader() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return readWide;
  if (__builtin_cpu_supports("avx2"))
    return readShort;
#endif
  return readPlain;
}

/// GB/s of each thread's own bytes, read over and over.
static double measureReads(int threads, int64_t bytes, std::vector<AlignedBuffer> &memories) {
  auto *read = bestReader();
  int64_t times = std::max<int64_t>(1, (int64_t(64) << 20) / bytes);
  return bestRate(threads, 10, double(bytes) * double(times), [&](int thread) {
    for (int64_t i = 0; i < times; ++i)
      read(reinterpret_cast<const char *>(memories[size_t(thread)].data()), bytes);
  });
}

static int64_t cacheBytes(int name, int64_t otherwise) {
  long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

/// Of a thread, so many that no cache has a share worth mentioning, as far as there is room: there
/// are caches of hundreds of megabytes.
static int64_t memoryBytes(int threads) {
  constexpr int64_t least = int64_t(256) << 20;
  int64_t room = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 8 / threads;
  int64_t wanted = std::min(3 * cacheBytes(_SC_LEVEL3_CACHE_SIZE, 0), room);
  return std::max(least, wanted / 4096 * 4096);
}

static void measureLevels(int threads, MachineLimits &into) {
  constexpr int64_t mostRead = int64_t(32) << 20;
  const int64_t bytesOfMemory = memoryBytes(threads);
  std::vector<AlignedBuffer> memories;
  for (int i = 0; i < threads; ++i) {
    memories.emplace_back(bytesOfMemory);
    std::memset(memories.back().data(), i + 1, size_t(bytesOfMemory));
  }
  int64_t before = 0;
  for (int64_t bytes :
       {cacheBytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10), cacheBytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20),
        cacheBytes(_SC_LEVEL3_CACHE_SIZE, 0)}) {
    if (bytes <= before) // there is no such cache
      continue;
    before = bytes;
    // Half of a cache stays there; of a shared one not even that.
    int64_t read = std::min(bytes / 2, mostRead) / 4096 * 4096;
    into.reads.push_back({double(bytes), measureReads(threads, read, memories)});
  }
  into.reads.push_back({std::nullopt, measureReads(threads, bytesOfMemory, memories)});
}

MachineLimits weft::measureMachine(int threads) {
  MachineLimits limits;
  limits.f32 = measurePeak(threads);
  limits.bf16 = bestOf(pairLoops(), threads, limits.f32);
  limits.int8 = bestOf(codeLoops(), threads, limits.f32);
  // As many multiply-adds as an exponential has instructions.
  limits.exponentials = bestOf(expLoops(), threads, 0);
  if (limits.exponentials == 0)
    limits.exponentials = limits.f32 / 30;
  measureLevels(threads, limits);
  return limits;
}
