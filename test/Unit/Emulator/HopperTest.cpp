//===- HopperTest.cpp - a product of matrices by all that Hopper has, and mutations ---------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorTest.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr int rows = 64, inner = 128;

// Small integers: every sum is exact.
int valueOf(int seed, int row, int column) { return (seed + 7 * row + 3 * column) % 11 - 5; }

std::string kernelText() {
  const char *source = std::getenv("WEFT_SOURCE_DIR");
  std::string path = std::string(source ? source : ".") + "/test/Fuzz/Corpus/Ptx/hopper.ptx";
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

class HopperTest : public EmulatorTest {
protected:
  HopperTest() : input(2 * rows * inner * 2) {
    for (int matrix = 0; matrix < 2; ++matrix)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < inner; ++column) {
          auto code = uint16_t(bits(float(valueOf(5 * matrix + 1, row, column))) >> 16);
          std::memcpy(&input[2 * ((matrix * rows + row) * inner + column)], &code, 2);
        }
  }

  static BufferMap factor(int matrix, uint32_t swizzle) {
    emulator::TensorMap map;
    map.address = uint64_t(matrix) * rows * inner * 2;
    map.rank = 2;
    map.elementBytes = 2;
    map.sizes = {inner, rows};
    map.strides = {2, inner * 2};
    map.box = {32, rows};
    map.swizzle = swizzle;
    return {map, false};
  }
  static BufferMap result() {
    emulator::TensorMap map;
    map.rank = 2;
    map.elementBytes = 4;
    map.sizes = {rows, rows};
    map.strides = {4, rows * 4};
    map.box = {rows, rows};
    return {map, true};
  }

  /// What is wrong with the product under a schedule.
  std::string problem(const std::string &text, uint64_t seed, uint32_t swizzle = 64) {
    std::vector<uint8_t> output(rows * rows * 4);
    emulator::MachineOptions options;
    options.seed = seed;
    std::string fault = run(text, {{1, 1, 1}, {256, 1, 1}}, input, output, options,
                            {factor(0, swizzle), factor(1, swizzle), result()});
    if (!fault.empty())
      return fault;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < rows; ++column) {
        int sum = 0;
        for (int k = 0; k < inner; ++k)
          sum += valueOf(1, row, k) * valueOf(6, column, k);
        uint32_t word;
        std::memcpy(&word, &output[4 * (row * rows + column)], 4);
        if (word != uint32_t(bits(float(sum)))) // NaNs differ too
          return "wrong result";
      }
    return "";
  }

  /// The same with a part replaced, under several schedules.
  std::string with(const std::string &from, const std::string &to) {
    std::string text = kernelText(), found;
    size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    if (place == std::string::npos)
      return "";
    text.replace(place, from.size(), to);
    for (uint64_t seed = 0; seed < 6 && found.empty(); ++seed)
      found = problem(text, seed);
    return found;
  }
  std::string without(const std::string &part) { return with(part, ""); }

  std::vector<uint8_t> input;
};

TEST_F(HopperTest, IsRight) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(problem(kernelText(), seed), "");
}

TEST_F(HopperTest, WaitsAndArrivals) {
  EXPECT_NE(without("@!%p5 bra $L_empty;"), "");
  EXPECT_PART(without("@!%p5 bra $L_full;"), "a bulk copy");
  EXPECT_PART(without("mbarrier.arrive.shared.b64 _, [%r10];"), "deadlock");
  EXPECT_PART(without("mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 8192;"), "deadlock");
  EXPECT_PART(with("[%r9], 8192", "[%r9], 8208"), "misses 0 arrivals and 16 bytes");
  EXPECT_PART(with("[%r9], 8192", "[%r9], 8176"), "bulk copies of 8192 bytes to an mbarrier that");
  EXPECT_PART(with("[full], 1", "[full], 2"), "deadlock");
  EXPECT_NE(with("[empty], 1", "[empty], 2"), "");
  EXPECT_NE(with("xor.b32 %r11, %r11, 1;", ""), "");
  EXPECT_NE(with("@%p7 bra $L_next;", ""), ""); // all threads arrive
  EXPECT_NE(without("bar.sync 0;"), "");
  EXPECT_NE(without("bar.sync 1, 128;"), "");
  EXPECT_PART(without("cp.async.bulk.commit_group;"), "it ends before this copy has read");
  EXPECT_PART(without("cp.async.bulk.wait_group.read 0;"), "it ends before this copy has read");
}

TEST_F(HopperTest, Fences) {
  EXPECT_PART(without("fence.mbarrier_init.release.cluster;"), "without a fence.mbarrier_init");
  EXPECT_PART(without("fence.proxy.async.shared::cta;"), "without a fence.proxy.async");
  EXPECT_PART(without("wgmma.fence.sync.aligned;"), "a wgmma.fence is missing");
}

TEST_F(HopperTest, Products) {
  EXPECT_NE(without("wgmma.commit_group.sync.aligned;"), "");
  EXPECT_NE(without("wgmma.wait_group.sync.aligned 0;"), "");
  EXPECT_NE(with("wait_group.sync.aligned 0", "wait_group.sync.aligned 1"), "");
  // Who arrives before the wait gives up what is still read.
  std::string text = kernelText();
  EXPECT_NE(with("wgmma.wait_group.sync.aligned 0;\n\t@%p7 bra $L_next;\n"
                 "\tmbarrier.arrive.shared.b64 _, [%r10];\n$L_next:",
                 "@%p7 bra $L_next;\n\tmbarrier.arrive.shared.b64 _, [%r10];\n$L_next:\n"
                 "\twgmma.wait_group.sync.aligned 0;"),
            "");
  // Places: the swizzle, distances, steps of k, the first scale, signs, bounds of loops.
  EXPECT_NE(with("0x8000002000010000", "0x4000002000010000"), "");
  EXPECT_EQ(with("0x8000002000010000", "0x0000002000010000"), "wrong result");
  EXPECT_EQ(with("0x8000002000010000", "0x8000001000010000"), "wrong result");
  EXPECT_EQ(with("0x8000002000010000", "0x8002002000010000"), "wrong result"); // the first line
  EXPECT_PART(with("0x8000002000010000", "0x8100002000010000"), "bits without a meaning are set");
  EXPECT_EQ(with("add.s64 %rd6, %rd4, 2;", "add.s64 %rd6, %rd4, 4;"), "wrong result");
  EXPECT_EQ(with("%rd5, %p8, 1, 1, 0, 0", "%rd5, 0, 1, 1, 0, 0"), "wrong result");
  EXPECT_EQ(with("%rd5, %p8, 1, 1, 0, 0", "%rd5, 1, 1, 1, 0, 0"), "wrong result");
  EXPECT_EQ(with("%rd5, %p8, 1, 1, 0, 0", "%rd5, %p8, 1, -1, 0, 0"), "wrong result");
  EXPECT_NE(with("%rd5, %p8, 1, 1, 0, 0", "%rd5, %p8, 1, 1, 0, 1"), "");
  EXPECT_EQ(problem(text, 0, 0), "wrong result"); // maps without a swizzle
  size_t last = text.rfind("setp.lt.u32 %p6, %r1, 4;");
  EXPECT_EQ(problem(std::string(text).replace(last, 24, "setp.lt.u32 %p6, %r1, 3;"), 0),
            "test.ptx:60: error: kernel 'f', block (0, 0, 0), thread (239, 0, 0): the block ends "
            "while this copy to its shared memory is under way");
  EXPECT_PART(problem(std::string(text).replace(last, 24, "setp.lt.u32 %p6, %r1, 5;"), 0),
              "deadlock");
  EXPECT_PART(with("setp.lt.u32 %p6, %r1, 4;", "setp.lt.u32 %p6, %r1, 3;"), "deadlock");
}

} // namespace
