//===- ClusterTest.cpp - clusters of one block ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorTest.h"

using namespace weft;
using namespace weft::test;

namespace {

class ClusterTest : public EmulatorTest {
protected:
  std::string problem(const std::string &body, uint32_t threads = 64) {
    return runAll(kernelText(body, ".shared .align 4 .b8 tile[256];\n", "sm_90"),
                  {{1, 1, 1}, {threads, 1, 1}});
  }
  /// The word that thread 0 of the last of two blocks has in %r1.
  uint32_t word(const std::string &body) {
    std::vector<uint8_t> output(8);
    const std::string store = "mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd9, %r9, 4; add.s64 %rd9, "
                              "%rd2, %rd9; st.global.b32 [%rd9], %r1;";
    EXPECT_EQ(run(kernelText(body + store, ".shared .align 4 .b8 tile[256];\n", "sm_90"),
                  {{2, 1, 1}, {1, 1, 1}}, {}, output),
              "");
    uint32_t result;
    std::memcpy(&result, &output[4], 4);
    return result;
  }
};

TEST_F(ClusterTest, Positions) {
  EXPECT_EQ(word("mov.u32 %r1, %cluster_ctarank;"), 0u);
  EXPECT_EQ(word("mov.u32 %r1, %cluster_nctarank;"), 1u);
  EXPECT_EQ(word("mov.u32 %r1, %cluster_ctaid.x;"), 0u);
  EXPECT_EQ(word("mov.u32 %r1, %cluster_nctaid.z;"), 1u);
  EXPECT_EQ(word("mov.u32 %r1, %clusterid.x;"), 1u);
  EXPECT_EQ(word("mov.u32 %r1, %nclusterid.x;"), 2u);
  EXPECT_EQ(word("mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 5, 6, %p1;"), 6u);
}

TEST_F(ClusterTest, Addresses) {
  EXPECT_EQ(word("mov.b32 %r2, tile; mapa.shared::cluster.u32 %r3, %r2, 0; st.shared.b32 [tile+4], "
                 "11; ld.shared::cluster.b32 %r1, [%r3+4];"),
            11u);
  EXPECT_EQ(word("mov.b32 %r2, tile; getctarank.shared::cluster.u32 %r1, %r2;"), 0u);
  EXPECT_PART(problem("mov.b32 %r2, tile; mapa.shared::cluster.u32 %r3, %r2, 1;"),
              "block 1 of a cluster of one block");
}

// Each thread writes its word and reads that of the thread on the other side.
std::string exchange(const std::string &between) {
  return "shl.b32 %r2, %r0, 2; mov.b32 %r3, tile; add.s32 %r4, %r3, %r2; st.shared.b32 [%r4], "
         "%r0;" +
         between + "xor.b32 %r5, %r2, 252; add.s32 %r5, %r3, %r5; ld.shared.b32 %r1, [%r5];";
}

TEST_F(ClusterTest, Barrier) {
  const std::string arrive = "barrier.cluster.arrive.release.aligned;";
  const std::string wait = "barrier.cluster.wait.acquire.aligned;";
  EXPECT_EQ(problem(exchange(arrive + wait)), "");
  EXPECT_EQ(problem(exchange(arrive + wait) + "barrier.cluster.arrive; barrier.cluster.wait;"), "");
  EXPECT_PART(problem(exchange("barrier.cluster.arrive.relaxed.aligned;" + wait)),
              "in the same launch");
  EXPECT_NE(problem(exchange(arrive)), "");
  EXPECT_PART(problem(exchange(wait)), "it waits without having arrived");
  EXPECT_PART(problem(arrive + arrive), "it arrives again without having waited");
  EXPECT_PART(problem(arrive), "it ends between barrier.cluster.arrive and .wait");
  EXPECT_PART(problem("setp.lt.u32 %p1, %r0, 32; @%p1 " + arrive + "@%p1 " + wait + "bar.sync 0;"),
              "deadlock");
  EXPECT_EQ(problem("setp.lt.u32 %p1, %r0, 32; @%p1 ret;" + arrive + wait), "");
}

TEST_F(ClusterTest, LaunchesThatDependOnOthers) {
  EXPECT_EQ(problem("griddepcontrol.wait; griddepcontrol.launch_dependents;"), "");
  EXPECT_PART(problem("griddepcontrol.early;"), ".wait or .launch_dependents is missing");
}

} // namespace
