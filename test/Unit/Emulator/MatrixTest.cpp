//===- MatrixTest.cpp - fragments, asynchronous copies, and mutations -----------------------===//
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

using Words = std::vector<uint32_t>;

std::vector<uint8_t> bytesOf(const Words &words) {
  std::vector<uint8_t> bytes(4 * words.size());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}
Words wordsOf(const std::vector<uint8_t> &bytes) {
  Words words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}
// Small integers, which all formats have; different in every place.
int valueOf(int seed, int row, int column) { return (seed + 7 * row + 3 * column) % 11 - 5; }
uint32_t bfloat(int value) { return llvm::bit_cast<uint32_t>(float(value)) >> 16; }
uint32_t half(int value) {
  static const uint32_t codes[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};
  return codes[std::abs(value)] | (value < 0 ? 0x8000 : 0);
}
uint32_t tfloat(int value) {
  return llvm::bit_cast<uint32_t>(float(value)) | 0xabc;
} // not looked at

class MatrixTest : public EmulatorTest {
protected:
  /// `place(i, lane, isA)`: row and column of element i, as the manual's formulas say.
  void checkProduct(const std::string &shape, const std::string &type, int k, bool pairs,
                    uint32_t (*code)(int), std::pair<int, int> (*place)(int, int, bool)) {
    int aWords = k * 16 / 32 / (pairs ? 2 : 1), bWords = k * 8 / 32 / (pairs ? 2 : 1);
    Words input;
    for (int lane = 0; lane < 32; ++lane)
      for (bool isA : {true, false})
        for (int w = 0; w < (isA ? aWords : bWords); ++w) {
          uint32_t word = 0;
          for (int part = 0; part < (pairs ? 2 : 1); ++part) {
            auto [row, column] = place(pairs ? 2 * w + part : w, lane, isA);
            word |= code(valueOf(isA ? 1 : 6, row, column)) << (16 * part);
          }
          input.push_back(word);
        }
    std::string a, b;
    for (int i = 0; i < aWords; ++i)
      a += (i ? ", %r" : "%r") + std::to_string(10 + i);
    for (int i = 0; i < bWords; ++i)
      b += (i ? ", %r" : "%r") + std::to_string(20 + i);
    std::string text =
        "mul.wide.u32 %rd3, %r0, " + std::to_string(4 * (aWords + bWords)) +
        "; add.s64 %rd3, %rd1, %rd3; mul.wide.u32 %rd4, %r0, 16; add.s64 %rd4, %rd2, %rd4;";
    for (int i = 0; i < aWords + bWords; ++i)
      text += "ld.global.b32 %r" + std::to_string(i < aWords ? 10 + i : 20 + i - aWords) +
              ", [%rd3+" + std::to_string(4 * i) + "];";
    text += "mov.b32 %r1, 0f3F800000; mma.sync.aligned." + shape + ".row.col.f32." + type + "." +
            type + ".f32 {%r2, %r3, %r4, %r5}, {" + a + "}, {" + b +
            "}, {%r1, %r1, %r1, %r1};"
            "st.global.v4.b32 [%rd4], {%r2, %r3, %r4, %r5};";
    std::vector<uint8_t> output(512);
    ASSERT_EQ(run(kernelText(text), {{1, 1, 1}, {32, 1, 1}}, bytesOf(input), output), "");
    Words result = wordsOf(output);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        int row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + (i & 1), sum = 1;
        for (int inner = 0; inner < k; ++inner)
          sum += valueOf(1, row, inner) * valueOf(6, inner, column);
        EXPECT_EQ(result[4 * lane + i], uint32_t(bits(float(sum)))) << shape << type << lane << i;
      }
  }
};

// PTX ISA 9.7.14.5.8: fragments of m16n8k16 of 16 bits.
std::pair<int, int> place16816(int i, int lane, bool isA) {
  int group = lane >> 2, member = lane % 4;
  if (!isA)
    return {member * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
  bool upper = (i >= 0 && i < 2) || (i >= 4 && i < 6);
  return {upper ? group : group + 8, member * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
// 9.7.14.5.7: m16n8k8, of 16 bits and of tf32.
std::pair<int, int> place1688(int i, int lane, bool isA) {
  int group = lane >> 2, member = lane % 4;
  if (!isA)
    return {member * 2 + i, group};
  return {i < 2 ? group : group + 8, member * 2 + (i & 1)};
}
std::pair<int, int> place1688Tf32(int i, int lane, bool isA) {
  int group = lane >> 2, member = lane % 4;
  if (!isA)
    return {i == 0 ? member : member + 4, group};
  return {i == 0 || i == 2 ? group : group + 8, i < 2 ? member : member + 4};
}
std::pair<int, int> place1684Tf32(int i, int lane, bool isA) {
  int group = lane >> 2, member = lane % 4;
  return isA ? std::pair(i == 0 ? group : group + 8, member) : std::pair(member, group);
}
// 9.7.14.5.11: m16n8k32 of 8 bits.
std::pair<int, int> place16832(int i, int lane, bool isA) {
  int group = lane >> 2, member = lane % 4;
  if (!isA)
    return {member * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
  bool upper = i < 4 || (i >= 8 && i < 12);
  return {upper ? group : group + 8, member * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}

TEST_F(MatrixTest, Products) {
  checkProduct("m16n8k16", "bf16", 16, true, bfloat, place16816);
  checkProduct("m16n8k16", "f16", 16, true, half, place16816);
  checkProduct("m16n8k8", "bf16", 8, true, bfloat, place1688);
  checkProduct("m16n8k8", "f16", 8, true, half, place1688);
  checkProduct("m16n8k8", "tf32", 8, false, tfloat, place1688Tf32);
  checkProduct("m16n8k4", "tf32", 4, false, tfloat, place1684Tf32);
}

// Bytes without a sign by bytes with one, of any size; sums begin at the largest whole number,
// which goes around.
TEST_F(MatrixTest, WholeNumbers) {
  auto a = [](int row, int k) { return uint8_t(31 * row + 87 * k + 200); };
  auto b = [](int k, int column) { return int8_t(53 * k + 29 * column + 3); };
  Words input(32 * 6);
  std::string text = "mul.wide.u32 %rd3, %r0, 24; add.s64 %rd3, %rd1, %rd3; mul.wide.u32 %rd4, "
                     "%r0, 16; add.s64 %rd4, %rd2, %rd4; mov.b32 %r1, 0x7fffffff;";
  for (int i = 0; i < 6; ++i)
    text += "ld.global.b32 %r" + std::to_string(10 + i) + ", [%rd3+" + std::to_string(4 * i) + "];";
  text += "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%r2, %r3, %r4, %r5}, {%r10, %r11, "
          "%r12, %r13}, {%r14, %r15}, {%r1, %r1, %r1, %r1};"
          "st.global.v4.b32 [%rd4], {%r2, %r3, %r4, %r5};";
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 24; ++i) {
      bool isA = i < 16;
      auto [row, column] = place16832(isA ? i : i - 16, lane, isA);
      uint32_t byte = isA ? a(row, column) : uint8_t(b(row, column));
      input[6 * lane + i / 4] |= byte << (8 * (i % 4));
    }
  std::vector<uint8_t> output(512);
  ASSERT_EQ(run(kernelText(text), {{1, 1, 1}, {32, 1, 1}}, bytesOf(input), output), "");
  Words result = wordsOf(output);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      int row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + (i & 1);
      uint32_t sum = 0x7fffffff;
      for (int k = 0; k < 32; ++k)
        sum += uint32_t(a(row, k) * b(k, column));
      EXPECT_EQ(result[4 * lane + i], sum) << lane << " " << i;
    }
}

TEST_F(MatrixTest, NaNsStay) {
  std::vector<uint8_t> output(4);
  std::string text = "mov.b32 %r1, 0; mov.b32 %r2, 0x7fff7fff; mov.b32 %r3, 0x3f803f80;"
                     "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r4, %r5, %r6, %r7},"
                     "{%r2, %r2, %r2, %r2}, {%r3, %r3}, {%r1, %r1, %r1, %r1};"
                     "setp.eq.u32 %p1, %r0, 0; @%p1 st.global.b32 [%rd2], %r4;";
  EXPECT_EQ(run(kernelText(text), {{1, 1, 1}, {32, 1, 1}}, {}, output), "");
  EXPECT_EQ(wordsOf(output)[0], 0x7fffffffu);
}

TEST_F(MatrixTest, StoredAndLoaded) {
  // Matrices of the elements 0, 1, ... are loaded, transposed, stored and read again.
  const char *text =
      "shl.b32 %r2, %r0, 4; mov.b32 %r3, tile; add.s32 %r4, %r3, %r2; mul.wide.u32 %rd3, %r0, 16;"
      "add.s64 %rd4, %rd1, %rd3; ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd4];"
      "st.shared.v4.b32 [%r4], {%r5, %r6, %r7, %r8}; bar.warp.sync -1;"
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r5, %r6, %r7, %r8}, [%r4];"
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r4], {%r8, %r7, %r6, %r5}; bar.warp.sync -1;"
      "ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r4]; add.s64 %rd5, %rd2, %rd3;"
      "st.global.v4.b32 [%rd5], {%r5, %r6, %r7, %r8};";
  std::vector<uint16_t> elements(256), result(256);
  for (int i = 0; i < 256; ++i)
    elements[i] = uint16_t(i);
  std::vector<uint8_t> input(512), output(512);
  std::memcpy(input.data(), elements.data(), 512);
  ASSERT_EQ(run(kernelText(text, ".shared .align 16 .b8 tile[512];\n", "sm_90"),
                {{1, 1, 1}, {32, 1, 1}}, input, output),
            "");
  std::memcpy(result.data(), output.data(), 512);
  for (int matrix = 0; matrix < 4; ++matrix)
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column)
        EXPECT_EQ(result[64 * matrix + 8 * row + column], 64 * (3 - matrix) + 8 * column + row);
}

TEST_F(MatrixTest, Transposed) {
  // Lane l has the elements 2 l and 2 l + 1 of the matrix.
  std::vector<uint8_t> output(128);
  const char *text = "shl.b32 %r1, %r0, 1; add.s32 %r2, %r1, 1; shl.b32 %r2, %r2, 16; or.b32 %r1, "
                     "%r1, %r2; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;"
                     "mul.wide.u32 %rd3, %r0, 4; add.s64 %rd3, %rd2, %rd3;"
                     "st.global.b32 [%rd3], %r1;";
  ASSERT_EQ(run(kernelText(text), {{1, 1, 1}, {32, 1, 1}}, {}, output), "");
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(output[2 * (8 * row + column)], 8 * column + row);
}

TEST_F(MatrixTest, MatrixMistakes) {
  auto problem = [&](const std::string &body) {
    return runAll(kernelText(body, ".shared .align 16 .b8 tile[512];\n"), {{1, 1, 1}, {32, 1, 1}});
  };
  EXPECT_PART(problem("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [tile+8];"), "not aligned");
  EXPECT_PART(problem("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [tile+512];"),
              "of shared memory");
  EXPECT_PART(problem("setp.lt.u32 %p1, %r0, 9;"
                      "@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [tile];"),
              "deadlock");
  EXPECT_PART(problem("setp.lt.u32 %p1, %r0, 9;"
                      "@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [tile];\n"
                      "@!%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [tile];"),
              "but lanes of it are at line");
}

TEST_F(MatrixTest, Copies) {
  const std::string tile = ".shared .align 16 .b8 tile[64];\n";
  auto word = [&](const std::string &body) {
    std::vector<uint8_t> input = bytesOf({1, 2, 3, 4, 5, 6, 7, 8}), output(4);
    std::string problem = run(kernelText(body + " ld.shared.b32 %r1, [tile+8];"
                                                "st.global.b32 [%rd2], %r1;",
                                         tile),
                              {}, input, output);
    return problem.empty() ? std::to_string(wordsOf(output)[0]) : problem;
  };
  const std::string copy = "cp.async.ca.shared.global [tile], [%rd1+16], 16;";
  const std::string commit = "cp.async.commit_group;", wait = "cp.async.wait_group 0;";
  EXPECT_EQ(word(copy + commit + wait), "7");
  EXPECT_EQ(word(copy + "cp.async.wait_all;"), "7");
  EXPECT_EQ(word(copy + commit + commit + "cp.async.wait_group 1;"), "7");
  EXPECT_EQ(word("cp.async.cg.shared.global [tile], [%rd1+16], 16, 8;" + commit + wait), "0");
  EXPECT_EQ(word("cp.async.ca.shared.global.L2::128B [tile+8], [%rd1+4], 4;" + commit + wait), "2");
  EXPECT_PART(word(copy + commit), "that an asynchronous copy of thread 0 writes");
  EXPECT_PART(word(copy + wait), "that an asynchronous copy");
  EXPECT_PART(word(copy + commit + "cp.async.wait_group 1;"), "that an asynchronous copy");
  EXPECT_PART(word(copy + copy + commit + wait), "that an asynchronous copy");
  EXPECT_PART(word("cp.async.ca.shared.global [tile], [%rd1+20], 16;"), "which is not aligned");
  EXPECT_PART(word("cp.async.ca.shared.global [tile+56], [%rd1], 16;"), "which is not aligned");
  EXPECT_PART(word("cp.async.ca.shared.global [tile], [%rd1+32], 16;"), "outside every allocation");
  EXPECT_PART(word("cp.async.ca.shared.global [tile], [%rd1+32], 16, 0;" + commit + wait), "0");
  // The source is overwritten before it has surely been read.
  EXPECT_PART(word(copy + "st.global.b32 [%rd1+16], %r0;" + commit + wait + "add.s32 %r1, %r1, 1;"),
              "that an asynchronous copy of thread 0 reads");
}

std::string productText() {
  const char *source = std::getenv("WEFT_SOURCE_DIR");
  std::string path = std::string(source ? source : ".") + "/test/Fuzz/Corpus/Ptx/products.ptx";
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

class MutationTest : public EmulatorTest {
protected:
  /// What is wrong with the product of two matrices, under a schedule.
  std::string problem(const std::string &text, uint64_t seed) {
    std::vector<uint8_t> input(4096), output(1024);
    for (int i = 0; i < 1024; ++i) {
      uint16_t a = uint16_t(bfloat(valueOf(1, i / 64, i % 64)));
      uint16_t b = uint16_t(bfloat(valueOf(6, i / 16, i % 16)));
      std::memcpy(&input[2 * i], &a, 2);
      std::memcpy(&input[2048 + 2 * i], &b, 2);
    }
    emulator::MachineOptions options;
    options.seed = seed;
    std::string fault = run(text, {{1, 1, 1}, {64, 1, 1}}, input, output, options);
    if (!fault.empty())
      return fault;
    Words result = wordsOf(output);
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 16; ++column) {
        int sum = 0;
        for (int inner = 0; inner < 64; ++inner)
          sum += valueOf(1, row, inner) * valueOf(6, inner, column);
        if (result[16 * row + column] != uint32_t(bits(float(sum)))) // NaNs differ too
          return "wrong result";
      }
    return "";
  }
  std::string problem(const std::string &text) {
    std::string found;
    for (uint64_t seed = 0; seed < 4 && found.empty(); ++seed)
      found = problem(text, seed);
    return found;
  }
  static std::string replace(std::string text, const std::string &from, const std::string &to) {
    size_t place = text.rfind(from);
    EXPECT_NE(place, std::string::npos) << from;
    return place == std::string::npos ? text : text.replace(place, from.size(), to);
  }
};

TEST_F(MutationTest, ProductIsRight) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(problem(productText(), seed), "");
}

TEST_F(MutationTest, MutationsAreRefused) {
  const std::string text = productText();
  ASSERT_FALSE(text.empty());
  // A wait, barrier or commit less.
  EXPECT_PART(problem(replace(text, "cp.async.wait_group 0;", "")), "an asynchronous copy");
  EXPECT_PART(problem(replace(text, "cp.async.wait_group 0;", "cp.async.wait_group 1;")),
              "an asynchronous copy");
  EXPECT_PART(problem(replace(text, "bar.sync 0;", "")), "in the same launch");
  EXPECT_PART(problem(replace(text, "bar.sync 0;", "bar.warp.sync -1;")), "in the same launch");
  EXPECT_PART(problem(replace(text, "cp.async.commit_group;", "")), "an asynchronous copy");
  // The wait behind the barrier: others' copies may not have arrived.
  EXPECT_PART(problem(replace(replace(text, "cp.async.wait_group 0;\n", ""), "bar.sync 0;",
                              "bar.sync 0; cp.async.wait_group 0;")),
              "an asynchronous copy");
  // The next step goes where this one is read, or one is read before it is there.
  EXPECT_NE(problem(replace(text, "xor.b32 %r16, %r15, 1024;", "mov.b32 %r16, %r15;")), "");
  EXPECT_NE(problem(replace(text, "add.s32 %r18, %r10, %r15;", "add.s32 %r18, %r10, %r16;")), "");
  // Bounds of loops and places of elements.
  EXPECT_EQ(problem(replace(text, "setp.lt.u32 %p3, %r14, 4;", "setp.lt.u32 %p3, %r14, 3;")),
            "wrong result");
  EXPECT_NE(problem(replace(text, "setp.lt.u32 %p2, %r14, 3;", "setp.lt.u32 %p2, %r14, 4;")), "");
  EXPECT_EQ(problem(replace(text, ".x2.trans.", ".x2.")), "wrong result");
  EXPECT_EQ(problem(replace(text, "shl.b32 %r9, %r7, 4;", "shl.b32 %r9, %r7, 5;")), "wrong result");
  EXPECT_EQ(
      problem(replace(text, "{%r24, %r25, %r26, %r27}, {%r28", "{%r24, %r26, %r25, %r27}, {%r28")),
      "wrong result");
  EXPECT_PART(problem(replace(text, "[%rd9+512]", "[%rd9+4]")), "not aligned");
  EXPECT_PART(problem(replace(text, "[%rd9+512]", "[%rd9+8]")), "in the same launch");
}

} // namespace
