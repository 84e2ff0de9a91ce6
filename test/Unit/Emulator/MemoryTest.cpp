//===- MemoryTest.cpp - spaces, vectors, calls, and accesses that are wrong -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorTest.h"

using namespace weft;
using namespace weft::test;

namespace {

class MemoryTest : public EmulatorTest {
protected:
  /// The first words of the output of one thread; the input holds 0, 1, 2, ...
  std::vector<uint32_t> words(llvm::StringRef body, size_t count, llvm::StringRef before = "") {
    std::vector<uint8_t> input(256), output(4 * count);
    for (uint32_t i = 0; i < 64; ++i)
      std::memcpy(&input[4 * i], &i, 4);
    EXPECT_EQ(run(kernelText(body, before), {}, input, output), "");
    std::vector<uint32_t> result(count);
    std::memcpy(result.data(), output.data(), output.size());
    return result;
  }
  /// What is wrong with the body, run by a thread with 64 bytes of input and output.
  std::string problem(llvm::StringRef body, llvm::StringRef before = "") {
    std::vector<uint8_t> input(64), output(64);
    return run(kernelText(body, before), {}, input, output);
  }
};

using Words = std::vector<uint32_t>;

TEST_F(MemoryTest, Vectors) {
  EXPECT_EQ(words("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+16];"
                  "st.global.v4.b32 [%rd2], {%r4, %r3, %r2, %r1};",
                  4),
            (Words{7, 6, 5, 4}));
  EXPECT_EQ(
      words("ld.global.nc.v2.u16 {%h1, %h2}, [%rd1+4]; st.global.v2.u16 [%rd2], {%h2, %h1};", 1),
      (Words{0x10000}));
  EXPECT_EQ(words("ld.global.v2.b64 {%rd3, %rd4}, [%rd1+16]; st.global.b64 [%rd2], %rd4;", 2),
            (Words{6, 7}));
}

TEST_F(MemoryTest, NarrowValuesInWiderRegisters) {
  EXPECT_EQ(
      words("mov.b32 %r1, -2; st.global.b8 [%rd2], %r1; ld.global.s8 %r2, [%rd2];"
            "ld.global.u8 %r3, [%rd2]; st.global.b32 [%rd2], %r2; st.global.b32 [%rd2+4], %r3;",
            2),
      (Words{0xfffffffe, 0xfe}));
}

TEST_F(MemoryTest, SharedAndLocalMemory) {
  const char *shared = ".shared .align 16 .b8 tile[64];\n.extern .shared .align 16 .b8 rest[];\n";
  EXPECT_EQ(
      words("mov.b32 %r1, 11; st.shared.b32 [tile+60], %r1; mov.b64 %rd3, tile;"
            "cvta.shared.u64 %rd4, %rd3; ld.b32 %r2, [%rd4+60]; cvta.to.shared.u64 %rd5, %rd4;"
            "ld.shared.b32 %r3, [%rd5+60]; add.s32 %r4, %r2, %r3; st.global.b32 [%rd2], %r4;"
            "cvt.u32.u64 %r5, %rd3; ld.shared.b32 %r6, [%r5+60]; st.global.b32 [%rd2+4], %r6;",
            2, shared),
      (Words{22, 11}));
  EXPECT_EQ(words(".local .align 16 .b8 depot[32]; mov.b64 %rd3, depot; cvta.local.u64 %rd4, %rd3;"
                  "mov.b32 %r1, 5; st.local.b32 [%rd3+4], %r1; ld.b32 %r2, [%rd4+4];"
                  "ld.local.b32 %r3, [depot+8]; st.global.v2.b32 [%rd2], {%r2, %r3};",
                  2),
            (Words{5, 0xffffffff})); // what was not written is a NaN
}

TEST_F(MemoryTest, VariablesWithValues) {
  const char *variables = ".global .align 4 .b32 table[4] = {1, 2, 0f3F800000};\n"
                          ".const .align 2 .b8 bytes[4] = {9, 8};\n"
                          ".global .align 8 .u64 where[2] = {table, generic(table)+4};\n";
  EXPECT_EQ(words("ld.global.b32 %r1, [table+8]; ld.global.b32 %r2, [table+12];"
                  "ld.const.b16 %h1, [bytes]; cvt.u32.u16 %r3, %h1; ld.global.b64 %rd3, [where+8];"
                  "ld.b32 %r4, [%rd3]; st.global.v4.b32 [%rd2], {%r1, %r2, %r3, %r4};",
                  4, variables),
            (Words{0x3f800000, 0, 0x0809, 2}));
}

TEST_F(MemoryTest, ParametersByAddress) {
  EXPECT_EQ(words("mov.b64 %rd3, p1; ld.param.b64 %rd4, [%rd3]; mov.b32 %r1, 3;"
                  "st.global.b32 [%rd4], %r1; cvta.param.u64 %rd5, %rd3; ld.b64 %rd6, [%rd5];"
                  "st.global.b32 [%rd6+4], %r1;",
                  2),
            (Words{3, 3}));
}

TEST_F(MemoryTest, Atomics) {
  EXPECT_EQ(
      words("mov.b32 %r1, 0; st.global.b32 [%rd2], %r1; atom.global.cas.b32 %r2, [%rd2], 0, 7;"
            "atom.relaxed.sys.global.cas.b32 %r3, [%rd2], 0, 8; st.global.b32 [%rd2+4], %r3;"
            "atom.global.add.u32 %r4, [%rd2], 5; red.global.max.s32 [%rd2], -9;"
            "atom.global.exch.b32 %r5, [%rd2], 40; st.global.b32 [%rd2+8], %r5;"
            "atom.global.inc.u32 %r6, [%rd2], 40; ld.global.b32 %r7, [%rd2];"
            "st.global.b32 [%rd2+12], %r7;",
            4),
      (Words{0, 7, 12, 0}));
}

TEST_F(MemoryTest, Calls) {
  const char *twice =
      ".func (.param .b32 result) twice(.param .b32 x, .param .align 4 .b8 y[8]) {\n"
      ".reg .b32 %r<4>; ld.param.b32 %r1, [x]; ld.param.b32 %r2, [y+4];\n"
      "add.s32 %r3, %r1, %r2; st.param.b32 [result], %r3; ret; }\n";
  EXPECT_EQ(
      words("mov.b32 %r1, 30; { .param .b32 a; st.param.b32 [a], %r1; .param .align 4 .b8 b[8];"
            "st.param.b32 [b+4], 12; .param .b32 c; call.uni (c), twice, (a, b);"
            "ld.param.b32 %r2, [c]; } st.global.b32 [%rd2], %r2;",
            1, twice),
      (Words{42}));
}

TEST_F(MemoryTest, Bounds) {
  EXPECT_EQ(problem("ld.global.b32 %r1, [%rd1+60];"), "");
  std::string behind = problem("ld.global.b32 %r1, [%rd1+64];");
  EXPECT_PART(behind, "test.ptx:");
  EXPECT_PART(behind, "kernel 'f', block (0, 0, 0), thread (0, 0, 0): reads 4 bytes at 0x");
  EXPECT_PART(behind, "it is 0 bytes behind the end of an allocation of 64 bytes");
  EXPECT_PART(problem("st.global.b64 [%rd2+-8], %rd1;"), "writes 8 bytes at 0x");
  EXPECT_PART(problem("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+64];"), "reads 16 bytes");
  EXPECT_PART(problem("mov.b64 %rd3, 0; ld.b32 %r1, [%rd3];"), "no allocation is near");
  EXPECT_PART(problem("ld.shared.b32 %r1, [t+8];", ".shared .b8 t[8];"), "of shared memory");
  EXPECT_PART(problem("mov.b64 %rd3, 0; st.shared.b32 [%rd3], %r1;", ".shared .b8 t[8];"),
              "of shared memory");
  EXPECT_PART(problem(".local .b32 x; mov.b64 %rd3, x; ld.local.b32 %r1, [%rd3+128];"),
              "of local memory");
  EXPECT_PART(problem("mov.b64 %rd3, p1; ld.param.b64 %rd4, [%rd3+8];"), "parameters");
  EXPECT_PART(problem("st.global.b8 [c], 1;", ".const .b8 c[4];"), "which is constant");
}

TEST_F(MemoryTest, Alignment) {
  EXPECT_PART(problem("ld.global.b32 %r1, [%rd1+2];"), "which is not aligned");
  EXPECT_PART(problem("ld.global.v2.b32 {%r1, %r2}, [%rd1+4];"), "reads 8 bytes");
  EXPECT_EQ(problem("ld.global.b16 %h1, [%rd1+2];"), "");
}

TEST_F(MemoryTest, ReleasedMemory) {
  auto gpu = machine();
  uint32_t module = llvm::cantFail(
      gpu->load(kernelText("ld.global.b32 %r1, [%rd1]; st.global.b32 [%rd2], %r1;"), "x"));
  emulator::Kernel *kernel = llvm::cantFail(gpu->findKernel(module, "f"));
  uint64_t in = gpu->allocate(64), out = gpu->allocate(64);
  EXPECT_FALSE(gpu->launch(*kernel, {1, 1, 1}, {1, 1, 1}, {&in, &out}));
  EXPECT_TRUE(gpu->release(in));
  EXPECT_FALSE(gpu->release(in));
  std::optional<emulator::Fault> fault = gpu->launch(*kernel, {1, 1, 1}, {1, 1, 1}, {&in, &out});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, emulator::FaultKind::Address);
  EXPECT_PART(fault->message, "it was released");
}

TEST_F(MemoryTest, NewMemoryIsNaN) {
  auto gpu = machine();
  uint64_t address = gpu->allocate(8);
  EXPECT_EQ(*gpu->translate(address, 8), 0xff);
  EXPECT_EQ(gpu->translate(address + 1, 8), nullptr);
  EXPECT_EQ(gpu->allocate(gpu->totalMemory()), 0u);
}

TEST_F(MemoryTest, BadLaunches) {
  auto gpu = machine();
  uint32_t module = llvm::cantFail(gpu->load(
      ".version 7.0 .target sm_80 .address_size 64 .visible .entry f() .maxntid 64 { ret; }", "x"));
  emulator::Kernel *kernel = llvm::cantFail(gpu->findKernel(module, "f"));
  auto launch = [&](emulator::Dimensions grid, emulator::Dimensions threads, uint32_t shared = 0) {
    std::optional<emulator::Fault> fault = gpu->launch(*kernel, grid, threads, {}, shared);
    return fault ? fault->message : "";
  };
  EXPECT_EQ(launch({1, 1, 1}, {64, 1, 1}), "");
  EXPECT_PART(launch({1, 1, 1}, {65, 1, 1}), "a block of 65 threads, but it may have 64");
  EXPECT_PART(launch({0, 1, 1}, {1, 1, 1}), "no device has such a grid");
  EXPECT_PART(launch({1, 1, 1}, {1, 1, 1}, 1 << 20), "shared memory");
  EXPECT_PART(llvm::toString(gpu->findKernel(module, "g").takeError()), "no kernel 'g'");
}

} // namespace
