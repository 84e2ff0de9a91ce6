//===- ScheduleTest.cpp - threads that meet, races, deadlocks -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every kernel that is right is also run with a part left out, which must be found.
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorTest.h"

using namespace weft;
using namespace weft::test;

namespace {

class ScheduleTest : public EmulatorTest {
protected:
  /// What each thread of a block stores in its word of the output, as %r1.
  std::vector<uint32_t> perThread(llvm::StringRef body, uint32_t threads, uint64_t seed = 0,
                                  llvm::StringRef before = "") {
    std::vector<uint8_t> output(4 * threads);
    LaunchSize size;
    size.threads[0] = threads;
    emulator::MachineOptions options;
    options.seed = seed;
    std::string text = kernelText((body + store).str(), before);
    EXPECT_EQ(run(text, size, {}, output, options), "");
    std::vector<uint32_t> words(threads);
    std::memcpy(words.data(), output.data(), output.size());
    return words;
  }
  std::string problem(llvm::StringRef body, uint32_t threads, llvm::StringRef before = "",
                      uint32_t blocks = 1) {
    LaunchSize size;
    size.threads[0] = threads;
    size.grid[0] = blocks;
    return runAll(kernelText(body, before), size);
  }

  static constexpr llvm::StringLiteral store =
      "mul.wide.u32 %rd9, %r0, 4; add.s64 %rd9, %rd2, %rd9; st.global.b32 [%rd9], %r1;";
  static constexpr llvm::StringLiteral tile = ".shared .align 4 .b8 tile[1024];\n";
};

// Each thread writes its word and reads that of the thread on the other side.
std::string exchange(llvm::StringRef between) {
  return ("shl.b32 %r2, %r0, 2; mov.b32 %r3, tile; add.s32 %r4, %r3, %r2; st.shared.b32 [%r4], "
          "%r0;" +
          between + "xor.b32 %r5, %r2, 252; add.s32 %r5, %r3, %r5; ld.shared.b32 %r1, [%r5];")
      .str();
}

TEST_F(ScheduleTest, Barrier) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<uint32_t> words = perThread(exchange("bar.sync 0;"), 64, seed, tile);
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(words[i], i ^ 63);
  }
  EXPECT_PART(problem(exchange(""), 64, tile), "in the same launch");
  // Barriers of single warps order nothing between the two.
  EXPECT_PART(problem(exchange("bar.warp.sync 0xffffffff;"), 64, tile), "in the same launch");
}

TEST_F(ScheduleTest, BlocksShareNothing) {
  EXPECT_EQ(problem(exchange("bar.sync 0;"), 64, tile, 3), "");
  // Nor does one see what another one left.
  std::vector<uint8_t> output(8);
  std::string text = kernelText("mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd3, %r1, 4;"
                                "add.s64 %rd3, %rd2, %rd3; ld.shared.b32 %r2, [tile];"
                                "st.global.b32 [%rd3], %r2; st.shared.b32 [tile], %r1;",
                                tile);
  EXPECT_EQ(run(text, {{2, 1, 1}, {1, 1, 1}}, {}, output), "");
  EXPECT_EQ(output, std::vector<uint8_t>(8, 0xff));
}

TEST_F(ScheduleTest, BarrierOfSomeWarps) {
  // Producers arrive, consumers wait for them; the other way round nothing is ordered.
  const char *text = "setp.lt.u32 %p1, %r0, 32; shl.b32 %r2, %r0, 2; mov.b32 %r3, tile;"
                     "add.s32 %r4, %r3, %r2; @%p1 st.shared.b32 [%r4], %r0;"
                     "@%p1 bar.{0} 1, 64; @!%p1 bar.{1} 1, 64;"
                     "@!%p1 ld.shared.b32 %r1, [%r4+-128];";
  auto with = [&](const std::string &first, const std::string &second) {
    std::string result = text;
    result.replace(result.find("{0}"), 3, first);
    result.replace(result.find("{1}"), 3, second);
    return result;
  };
  EXPECT_EQ(perThread(with("arrive", "sync"), 64, 3, tile)[40], 8u);
  EXPECT_PART(problem(with("sync", "arrive"), 64, tile), "in the same launch");
}

TEST_F(ScheduleTest, BarrierMistakes) {
  EXPECT_PART(problem("setp.eq.u32 %p1, %r0, 0; @%p1 bar.sync 0; @!%p1 bar.sync 1;", 64),
              "deadlock: of 64 threads 64 wait for ever");
  EXPECT_PART(problem("setp.lt.u32 %p1, %r0, 32; @%p1 bar.sync 0, 64; @!%p1 bar.sync 0, 32;", 64),
              "barrier 0 for");
  EXPECT_PART(problem("bar.sync 16;", 32), "there are 16");
  EXPECT_PART(problem("bar.sync 0, 33;", 64), "a number of warps");
  EXPECT_EQ(problem("setp.lt.u32 %p1, %r0, 32; @%p1 exit; bar.sync 0;", 64), "");
}

TEST_F(ScheduleTest, BarrierReductions) {
  EXPECT_EQ(perThread("setp.lt.u32 %p1, %r0, 5; bar.red.popc.u32 %r1, 0, %p1;", 64)[9], 5u);
  EXPECT_EQ(
      perThread("setp.lt.u32 %p1, %r0, 5; bar.red.or.pred %p2, 0, %p1; selp.u32 %r1, 1, 0, %p2;",
                64)[9],
      1u);
  EXPECT_EQ(
      perThread("setp.lt.u32 %p1, %r0, 5; bar.red.and.pred %p2, 0, %p1; selp.u32 %r1, 1, 0, %p2;",
                64)[1],
      0u);
}

// A warp writes a tile and arrives at a barrier in shared memory that the other one waits for,
// twice.
const std::string pipeline =
    "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [full], 32;\n"
    "@%p1 mbarrier.init.shared.b64 [empty], 32;\n bar.sync 0;\n"
    "mov.b32 %r2, 0; mov.b32 %r1, 0; and.b32 %r3, %r0, 31; shl.b32 %r3, %r3, 2; mov.b32 %r4, tile;"
    "add.s32 %r4, %r4, %r3; setp.ge.u32 %p2, %r0, 32; @%p2 bra C;\n"
    "P: setp.eq.u32 %p3, %r2, 0; @%p3 bra S; W: "
    "mbarrier.try_wait.parity.shared.b64 %p4, [empty], 0;\n @!%p4 bra W; S: "
    "add.s32 %r5, %r0, %r2; st.shared.b32 [%r4], %r5; mbarrier.arrive.shared.b64 %rd5, [full];\n"
    "add.s32 %r2, %r2, 1; setp.lt.u32 %p5, %r2, 2; @%p5 bra P; bra E;\n"
    "C: and.b32 %r6, %r2, 1; V: mbarrier.try_wait.parity.shared.b64 %p4, [full], %r6;\n"
    "@!%p4 bra V; xor.b32 %r7, %r4, 124; ld.shared.b32 %r8, [%r7]; mad.lo.s32 %r1, %r1, 100, %r8;"
    "mbarrier.arrive.release.cta.shared::cta.b64 _, [empty];\n"
    "add.s32 %r2, %r2, 1; setp.lt.u32 %p5, %r2, 2; @%p5 bra C;\nE: ";
const std::string pipelineMemory =
    ".shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 full;\n"
    ".shared .align 8 .b64 empty;\n";

TEST_F(ScheduleTest, BarriersInSharedMemory) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    std::vector<uint32_t> words = perThread(pipeline, 64, seed, pipelineMemory);
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(words[32 + lane], (31 - lane) * 100 + 32 - lane);
  }
  auto without = [&](const std::string &from, const std::string &to = "") {
    std::string text = pipeline;
    size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return problem(text.replace(place, from.size(), to), 64, pipelineMemory);
  };
  EXPECT_NE(without("bar.sync 0;"), ""); // who starts it must be before who uses it
  EXPECT_PART(without("mbarrier.arrive.shared.b64 %rd5, [full];"), "deadlock");
  EXPECT_PART(without("mbarrier.arrive.release.cta.shared::cta.b64 _, [empty];"), "deadlock");
  EXPECT_PART(without("@!%p4 bra W;"), "in the same launch"); // one question is not enough
  EXPECT_PART(without("@!%p4 bra V;"), "in the same launch");
  EXPECT_NE(without("[full], 32;", "[full], 31;"), "");
  EXPECT_PART(without("[full], 32;", "[full], 33;"), "deadlock");
  EXPECT_NE(without("[full], %r6;", "[full], 0;"), "");
}

TEST_F(ScheduleTest, MistakesAtBarriersInSharedMemory) {
  auto one = [&](const std::string &body) { return problem(body, 1, pipelineMemory); };
  const std::string init = "mbarrier.init.shared.b64 [full], 1;";
  EXPECT_PART(one("mbarrier.arrive.shared.b64 %rd5, [full];"), "there is no mbarrier at");
  EXPECT_PART(one(init + init), "already");
  EXPECT_EQ(one(init + "mbarrier.inval.shared.b64 [full];" + init), "");
  EXPECT_PART(one(init + "mbarrier.arrive.shared.b64 %rd5, [full], 2;"),
              "2 arrivals at an mbarrier that waits for 1");
  EXPECT_PART(one("mbarrier.init.shared.b64 [full], 0;"), "for 0 arrivals");
  EXPECT_PART(one("mbarrier.init.shared.b64 [full+4], 1;"), "not aligned");
  // Announced bytes that never come.
  const std::string wait = "L: mbarrier.test_wait.shared.b64 %p1, [full], %rd5; @!%p1 bra L;";
  EXPECT_EQ(one(init + "mbarrier.arrive.shared.b64 %rd5, [full];" + wait), "");
  EXPECT_PART(one(init + "mbarrier.arrive.expect_tx.shared.b64 %rd5, [full], 16;" + wait),
              "deadlock: of 1 threads 1 wait for ever");
}

TEST_F(ScheduleTest, Shuffles) {
  auto shuffle = [&](const std::string &text, uint32_t lane) {
    return perThread("mov.u32 %r2, %laneid; mov.b32 %r1, 99; " + text, 64, 2)[lane];
  };
  EXPECT_EQ(shuffle("shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;", 37), 36u);
  EXPECT_EQ(shuffle("shfl.sync.down.b32 %r1, %r0, 4, 31, -1;", 3), 7u);
  EXPECT_EQ(shuffle("shfl.sync.down.b32 %r1, %r0, 4, 31, -1;", 30), 30u); // beyond the last lane
  EXPECT_EQ(shuffle("shfl.sync.up.b32 %r1, %r0, 4, 0, -1;", 3), 3u);
  EXPECT_EQ(shuffle("shfl.sync.up.b32 %r1, %r0, 4, 0, -1;", 35), 35u);
  EXPECT_EQ(shuffle("shfl.sync.idx.b32 %r1, %r0, 5, 31, -1;", 40), 37u);
  // Segments of 8 lanes: c has 31 - 7 in bits 8 to 12.
  EXPECT_EQ(shuffle("shfl.sync.idx.b32 %r1, %r0, 1, 6175, -1;", 21), 17u);
  EXPECT_EQ(shuffle("shfl.sync.up.b32 %r3|%p1, %r0, 1, 0, -1; selp.u32 %r1, 1, 0, %p1;", 0), 0u);
  EXPECT_EQ(shuffle("shfl.sync.up.b32 %r3|%p1, %r0, 1, 0, -1; selp.u32 %r1, 1, 0, %p1;", 1), 1u);
}

TEST_F(ScheduleTest, ShuffleMistakes) {
  EXPECT_PART(problem("setp.lt.u32 %p1, %r0, 16; @%p1 shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;", 32),
              "deadlock: of 32 threads 16 wait for ever");
  EXPECT_PART(problem("shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;", 48), "has ended or never was");
  EXPECT_PART(
      problem("setp.lt.u32 %p1, %r0, 16; @%p1 shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff;", 32),
      "which is not in the mask");
  EXPECT_PART(problem("shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff;", 32), "not in its own mask");
  EXPECT_PART(problem("setp.lt.u32 %p1, %r0, 16; @%p1 bar.warp.sync -1; "
                      "@!%p1 shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;",
                      32),
              "but lanes of it are at line");
}

TEST_F(ScheduleTest, Votes) {
  const std::string third = "setp.eq.u32 %p1, %r0, 3; ";
  EXPECT_EQ(perThread(third + "vote.sync.ballot.b32 %r1, %p1, -1;", 32)[0], 8u);
  EXPECT_EQ(perThread(third + "vote.sync.any.pred %p2, %p1, -1; selp.u32 %r1, 1, 0, %p2;", 32)[9],
            1u);
  EXPECT_EQ(perThread(third + "vote.sync.all.pred %p2, !%p1, -1; selp.u32 %r1, 1, 0, %p2;", 32)[9],
            0u);
  EXPECT_EQ(perThread(third + "vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r1, 1, 0, %p2;", 32)[9],
            0u);
  EXPECT_EQ(perThread("redux.sync.add.u32 %r1, %r0, -1;", 32)[7], 496u);
  EXPECT_EQ(perThread("sub.s32 %r2, %r0, 5; redux.sync.min.s32 %r1, %r2, -1;", 32)[7],
            uint32_t(-5));
  EXPECT_EQ(perThread("shr.u32 %r2, %r0, 4; match.any.sync.b32 %r1, %r2, -1;", 32)[20],
            0xffff0000u);
  EXPECT_EQ(perThread("elect.sync %r2|%p1, -1; selp.u32 %r1, 1, 0, %p1;", 32)[0], 1u);
  EXPECT_EQ(perThread("elect.sync %r2|%p1, -1; selp.u32 %r1, 1, 0, %p1;", 32)[1], 0u);
}

TEST_F(ScheduleTest, RacesInGlobalMemory) {
  EXPECT_PART(problem("st.global.b32 [%rd2], %r0;", 2), "that thread");
  EXPECT_PART(problem("mov.u32 %r1, %ctaid.x; st.global.b32 [%rd2], %r1;", 1, "", 2), "of block");
  // One block writes what another one reads.
  EXPECT_PART(
      problem("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.b32 [%rd2], %r1;"
              "@!%p1 ld.global.b32 %r2, [%rd2];",
              1, "", 2),
      "in the same launch");
  EXPECT_EQ(problem("ld.global.b32 %r1, [%rd1];", 64, "", 4), "");
  EXPECT_EQ(problem("atom.global.add.u32 %r1, [%rd2], 1;", 64, "", 4), "");
  EXPECT_PART(problem("atom.global.add.u32 %r1, [%rd2], 1; ld.global.b32 %r2, [%rd2];", 64),
              "in the same launch");
  // Neighbouring halves of a word are no race, the same half is one.
  const std::string halves = "shl.b32 %r2, %r0, 1; cvt.u64.u32 %rd3, %r2; add.s64 %rd4, %rd2, "
                             "%rd3; st.global.b16 [%rd4], %h1;";
  EXPECT_EQ(problem(halves, 64), "");
  EXPECT_PART(problem(halves + "ld.global.b32 %r3, [%rd2];", 64), "in the same launch");
}

TEST_F(ScheduleTest, ConstantReads) {
  EXPECT_PART(problem("st.global.b32 [%rd2], %r0; ld.global.nc.b32 %r1, [%rd2];", 1),
              "reads 4 bytes");
  EXPECT_EQ(problem("st.global.b32 [%rd2], %r0; ld.global.b32 %r1, [%rd2];", 1), "");
}

TEST_F(ScheduleTest, LaunchesAreOrdered) {
  auto gpu = machine();
  uint32_t module = llvm::cantFail(gpu->load(kernelText("st.global.b32 [%rd2], %r0;"), "x"));
  emulator::Kernel *kernel = llvm::cantFail(gpu->findKernel(module, "f"));
  uint64_t in = gpu->allocate(64), out = gpu->allocate(64);
  for (unsigned i = 0; i < 5000; ++i) // more than shadow memory can number
    ASSERT_FALSE(gpu->launch(*kernel, {1, 1, 1}, {1, 1, 1}, {&in, &out}));
}

TEST_F(ScheduleTest, EndlessLoops) {
  EXPECT_PART(problem("L: add.s32 %r1, %r1, 1; bra L;", 1), "it jumped backwards more than");
  // It waits for a word that nobody writes, beside a thread that waits at a barrier.
  EXPECT_PART(problem("setp.eq.u32 %p1, %r0, 0; @%p1 bra L; bar.sync 0; ret;"
                      "L: ld.volatile.global.b32 %r1, [%rd1]; setp.ne.s32 %p2, %r1, 1; @%p2 bra L;",
                      2),
              "it jumped backwards more than");
}

TEST_F(ScheduleTest, WaitingForAWord) {
  // The second warp spins until the first one has written: it must get its turn.
  std::vector<uint32_t> words = perThread(
      "setp.lt.u32 %p1, %r0, 32; @%p1 bra W; "
      "L: ld.volatile.shared.b32 %r2, [tile]; setp.ne.s32 %p2, %r2, 7; @%p2 bra L; bra E;"
      "W: mov.b32 %r2, 7; setp.eq.u32 %p3, %r0, 0; @%p3 st.volatile.shared.b32 [tile], %r2;"
      "E: bar.sync 0; mov.b32 %r1, %r2;",
      64, 5, tile);
  EXPECT_EQ(words[63], 7u);
}

TEST_F(ScheduleTest, Trap) { EXPECT_PART(problem("trap;", 1), "trap"); }

TEST_F(ScheduleTest, Positions) {
  std::vector<uint8_t> output(4 * 24);
  LaunchSize size{{2, 1, 2}, {3, 2, 1}};
  const char *text =
      "mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.x; mad.lo.s32 %r3, %r1, %r2, %r0;"
      "mov.u32 %r4, %ctaid.z; mov.u32 %r5, %nctaid.x; mov.u32 %r6, %ctaid.x;"
      "mad.lo.s32 %r7, %r4, %r5, %r6; mad.lo.s32 %r8, %r7, 6, %r3;"
      "mul.wide.u32 %rd3, %r8, 4; add.s64 %rd4, %rd2, %rd3; st.global.b32 [%rd4], %r8;";
  EXPECT_EQ(run(kernelText(text), size, {}, output), "");
  for (uint32_t i = 0; i < 24; ++i)
    EXPECT_EQ(output[4 * i], i);
}

} // namespace
