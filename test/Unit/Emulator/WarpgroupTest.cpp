//===- WarpgroupTest.cpp - wgmma: what must be waited for -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every part of a right kernel is left out, which must be found.
//
//===----------------------------------------------------------------------------------------===//

#include "WarpgroupKernel.h"

using namespace weft;
using namespace weft::test;

namespace {

class WarpgroupTest : public EmulatorTest {
protected:
  std::string problem(const Parts &parts) {
    std::string first;
    for (uint64_t seed = 0; seed < 4 && first.empty(); ++seed) {
      std::vector<uint8_t> input(2 * tileBytes + 2048 + 4), output(threads * parts.sums * 4);
      emulator::MachineOptions options;
      options.seed = seed;
      first = run(parts.text(), {{1, 1, 1}, {threads, 1, 1}}, input, output, options);
    }
    return first;
  }
};

TEST_F(WarpgroupTest, FencesAndWaits) {
  auto with = [&](auto change) {
    Parts parts;
    change(parts);
    return problem(parts);
  };
  EXPECT_EQ(with([](Parts &) {}), "");
  EXPECT_PART(with([](Parts &p) { p.proxy = ""; }), "without a fence.proxy.async");
  EXPECT_PART(with([](Parts &p) { std::swap(p.proxy, p.barrier); }), "without a fence.proxy.async");
  EXPECT_PART(with([](Parts &p) { p.barrier = ""; }), "in the same launch");
  EXPECT_PART(with([](Parts &p) { p.fence = ""; }), "a wgmma.fence is missing");
  EXPECT_PART(with([](Parts &p) { p.before = "mov.b32 %d3, 0;\n"; }), "a wgmma.fence is missing");
  EXPECT_PART(with([](Parts &p) { p.before = "mov.b32 %r5, %d3;\n"; }),
              "a wgmma.fence is missing"); // reading counts, too
  EXPECT_PART(with([](Parts &p) { p.commit = ""; }), "which it has not waited for");
  EXPECT_PART(with([](Parts &p) { p.wait = ""; }), "which it has not waited for");
  EXPECT_PART(with([](Parts &p) { p.wait = "wgmma.wait_group.sync.aligned 1;\n"; }),
              "which it has not waited for");
  EXPECT_PART(with([](Parts &p) { p.between = "mov.b32 %r5, %d3;\n"; }),
              "which it has not waited for");
  EXPECT_PART(with([](Parts &p) { p.between = "mov.b32 %d7, 0;\n"; }),
              "which it has not waited for");
  EXPECT_EQ(with([](Parts &p) { p.between = "mov.b32 %d9, 0;\n"; }), "");
  // What is read may not change before the wait, and may behind it.
  const std::string overwrite = "st.shared.b32 [tiles], %r0;\n";
  auto byOne = [&](const std::string &text) { return "setp.eq.u32 %p2, %r0, 0; @%p2 " + text; };
  EXPECT_PART(with([&](Parts &p) { p.between = byOne(overwrite); }),
              "that a product of a warpgroup reads and whose end it does not know of");
  EXPECT_PART(with([&](Parts &p) { p.commit += byOne(overwrite); }),
              "that a product of a warpgroup reads");
  EXPECT_EQ(with([&](Parts &p) { p.after = byOne(overwrite); }), "");
  EXPECT_EQ(with([](Parts &p) { p.after = "wgmma.wait_group.sync.aligned 0;\n"; }), "");
}

TEST_F(WarpgroupTest, RegistersOfA) {
  auto with = [&](auto change) {
    Parts parts;
    parts.a = "{%a0, %a1, %a2, %a3}";
    parts.tail = ", 1, 1, 0";
    change(parts);
    return problem(parts);
  };
  EXPECT_EQ(with([](Parts &) {}), "");
  EXPECT_PART(with([](Parts &p) { p.before = "mov.b32 %a3, 0;\n"; }), "a wgmma.fence is missing");
  EXPECT_PART(with([](Parts &p) { p.between = "mov.b32 %a3, 0;\n"; }),
              "which it has not waited for");
  EXPECT_EQ(with([](Parts &p) { p.after = "mov.b32 %a3, 0;\n"; }), "");
  // The sums of a product that is under way.
  EXPECT_PART(with([](Parts &p) { p.before = p.product(), p.a = "{%d0, %d1, %d2, %d3}"; }),
              "a wgmma.fence is missing");
  EXPECT_PART(with([](Parts &p) {
                p.before = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d64, %d65, "
                           "%d66, %d67}, %rd5, %rd6, 0, 1, 1, 0, 0;\n" +
                           p.fence;
                p.a = "{%d64, %d65, %d66, %d67}";
              }),
              "a register that another product uses");
}

TEST_F(WarpgroupTest, SeveralProducts) {
  auto with = [&](auto change) {
    Parts parts;
    parts.before = parts.product();
    change(parts);
    return problem(parts);
  };
  EXPECT_EQ(with([](Parts &) {}), ""); // sums of the same shape need no fence between them
  EXPECT_EQ(with([](Parts &p) { p.before += p.commit; }), "");
  EXPECT_PART(with([](Parts &p) { p.n = 8, p.sums = 4; }), "a wgmma.fence is missing");
  EXPECT_PART(with([](Parts &p) { p.before += p.fence, p.n = 8, p.sums = 4; }),
              "a register that another product uses");
  EXPECT_EQ(with([](Parts &p) {
              p.before += p.commit + p.wait + p.fence;
              p.n = 8, p.sums = 4;
            }),
            "");
  // One group may be left if it has other registers.
  const std::string other = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d64, %d65, "
                            "%d66, %d67}, %rd5, %rd6, 0, 1, 1, 0, 0;\n";
  auto left = [&](const std::string &after) {
    Parts parts;
    parts.commit += other + parts.commit;
    parts.wait = "wgmma.wait_group.sync.aligned 1;\n";
    parts.after = after;
    return problem(parts);
  };
  EXPECT_PART(left(""), "it ends without having waited for this product");
  EXPECT_PART(left("mov.b32 %r5, %d64;"), "which it has not waited for");
  EXPECT_EQ(left("wgmma.wait_group.sync.aligned 0; mov.b32 %r5, %d64;"), "");
}

TEST_F(WarpgroupTest, WholeWarpgroups) {
  auto with = [&](const std::string &before) {
    Parts parts;
    parts.before = before;
    return problem(parts);
  };
  EXPECT_PART(with("setp.lt.u32 %p2, %r0, 32; @%p2 ret;\n"), "has ended or never was");
  EXPECT_PART(with("setp.lt.u32 %p2, %r0, 32; @%p2 bar.sync 1;\n"), "deadlock");
  EXPECT_PART(with("setp.eq.u32 %p2, %r0, 77; @%p2 add.s64 %rd6, %rd6, 2;\n"),
              "have other descriptors");
  EXPECT_PART(with("setp.lt.u32 %p2, %r0, 32; @%p2 wgmma.commit_group.sync.aligned;\n"),
              "numbers of committed groups");
  EXPECT_PART(with("setp.eq.u32 %p2, %r0, 77; @%p2 wgmma.fence.sync.aligned;\n"), "deadlock");
  EXPECT_PART(with("mov.b64 %rd6, 0x4000004000003fff;\n"), "of shared memory");
}

// Three warpgroups, of which the first and the others set their registers. 65536 / 384 is 170, of
// which 168 are whole portions of 8: 3 * 168 = 40 + 2 * 232.
TEST_F(WarpgroupTest, Registers) {
  auto with = [&](const std::string &first, const std::string &others,
                  const std::string &bounds = ".maxntid 384") {
    std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                       ".visible .entry f(.param .u64 p0, .param .u64 p1) " +
                       bounds +
                       "{\n.reg .pred %p<3>; .reg .b32 %r<2>;\n"
                       "mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 128;\n@%p1 bra FIRST;\n" +
                       others + "bar.sync 0;\nret;\nFIRST:\n" + first + "bar.sync 0;\nret;\n}\n";
    std::string problem;
    for (uint64_t seed = 0; seed < 4 && problem.empty(); ++seed) {
      std::vector<uint8_t> output(4);
      emulator::MachineOptions options;
      options.seed = seed;
      problem = run(text, {{1, 1, 1}, {384, 1, 1}}, {}, output, options);
    }
    return problem;
  };
  auto more = [](int number) {
    return "setmaxnreg.inc.sync.aligned.u32 " + test::number(number) + ";\n";
  };
  auto fewer = [](int number) {
    return "setmaxnreg.dec.sync.aligned.u32 " + test::number(number) + ";\n";
  };
  const std::string tooMany = "for registers that other warpgroups release";
  EXPECT_EQ(with(fewer(40), more(232)), "");
  EXPECT_EQ(with(fewer(24), more(240)), "");
  EXPECT_EQ(with(fewer(168), more(168)), "");
  EXPECT_PART(with(fewer(40), more(240)), tooMany);
  EXPECT_PART(with(fewer(48), more(232)), tooMany);
  EXPECT_PART(with("", more(176)), tooMany);
  EXPECT_PART(with(more(40), more(168)), "setmaxnreg.inc to 40 registers, but it has 168");
  EXPECT_PART(with(fewer(40), fewer(232)), "setmaxnreg.dec to 232 registers, but it has 168");
  EXPECT_PART(with(fewer(40) + fewer(48), ""), "setmaxnreg.dec to 48 registers, but it has 40");
  // What is released a second time can be had, too.
  const std::string barrier = "bar.sync 1;\n";
  EXPECT_EQ(with(fewer(40) + barrier + more(168), more(232) + barrier + fewer(168)), "");
  EXPECT_PART(with(fewer(40) + barrier + more(176), more(232) + barrier + fewer(168)), tooMany);
  // All four warps, and at one place.
  const std::string byOne = "setp.lt.u32 %p2, %r0, 160;\n@%p2 ";
  EXPECT_PART(with(fewer(40), byOne + more(232)), "deadlock");
  EXPECT_PART(with(fewer(40), byOne + more(232) + "@!%p2 " + more(232)),
              "but threads of the warpgroup are at line");
  // Two blocks of a processor have 65536 / 768, in portions 80; .maxnreg says how many there are.
  const std::string two = ".maxntid 384 .minnctapersm 2", fixed = ".maxnreg 125"; // taken as 128
  EXPECT_EQ(with(fewer(40), more(96), two), "");
  EXPECT_PART(with(fewer(40), more(104), two), tooMany);
  EXPECT_EQ(with(fewer(40), more(168), fixed), "");
  EXPECT_PART(with(fewer(40), more(176), fixed), tooMany);
}

TEST_F(WarpgroupTest, WhatIsNotKnown) {
  auto with = [&](auto change) {
    Parts parts;
    change(parts);
    return problem(parts);
  };
  const std::string none = "such a product of matrices is not known";
  EXPECT_PART(with([](Parts &p) { p.n = 12, p.sums = 6; }), none);
  EXPECT_PART(with([](Parts &p) { p.k = 8; }), none);
  EXPECT_PART(with([](Parts &p) { p.factors = ".f16.bf16.bf16"; }), none);
  EXPECT_PART(with([](Parts &p) { p.factors = ".f32.f16.bf16"; }), none);
  EXPECT_PART(with([](Parts &p) { p.factors = ".sp.f32.bf16.bf16"; }), "unknown modifier '.sp'");
  EXPECT_PART(with([](Parts &p) { p.sums = 7; }), "a vector of 8 registers");
  EXPECT_PART(with([](Parts &p) { p.tail = ", 2, 1, 0, 0"; }), "scales of 1 or -1");
  EXPECT_PART(with([](Parts &p) { p.tail = ", 1, 1"; }), "unexpected number of operands");
  EXPECT_PART(with([](Parts &p) { p.after = "setmaxnreg.inc.sync.aligned.u32 100;"; }),
              "a multiple of 8 from 24 to 256");
  EXPECT_EQ(with([](Parts &p) { p.after = "setmaxnreg.dec.sync.aligned.u32 104;"; }), "");
  EXPECT_PART(with([](Parts &p) {
                p.after = "setp.lt.u32 %p2, %r0, 32; @%p2 setmaxnreg.inc.sync.aligned.u32 104;";
              }),
              "has ended or never was");
  std::string old = Parts().text();
  old.replace(old.find("sm_90a"), 6, "sm_90");
  std::vector<uint8_t> output(16);
  EXPECT_PART(run(old, {}, {}, output), "only .target sm_90a has it");
}

} // namespace
