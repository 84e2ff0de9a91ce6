//===- ProductTest.cpp - wgmma: types, sizes and layouts ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Fragments are read by the formulas for single elements of PTX ISA 9.7.15.5.
//
//===----------------------------------------------------------------------------------------===//

#include "WarpgroupKernel.h"

using namespace weft;
using namespace weft::test;

namespace {

class ProductTest : public EmulatorTest {
protected:
  /// Compares all sums; `one` is the code of 1 that D starts with, if it counts.
  void check(Parts parts, const Format &a, const Format &b, const std::string &sum,
             bool aInRegisters = false, bool adds = true) {
    parts.factors = "." + sum + "." + a.name + "." + b.name;
    SCOPED_TRACE(parts.factors + " " + number(parts.n) + " " + number(parts.layoutA.span) + " " +
                 number(parts.layoutB.span));
    parts.k = a.k;
    parts.sums = parts.n / (sum == "f16" ? 4 : 2);
    parts.adds = adds ? "1" : "0";
    bool hasSigns = sum != "s32";
    parts.tail = hasSigns ? ", 1, -1" : "";
    if (a.bytes == 2 && !aInRegisters)
      parts.tail += parts.layoutA.transposed ? ", 1" : ", 0";
    if (a.bytes == 2)
      parts.tail += parts.layoutB.transposed ? ", 1" : ", 0";
    if (aInRegisters)
      parts.a = "{%a0, %a1, %a2, %a3}";
    std::vector<uint8_t> input = fill(parts, a, b), output(threads * parts.sums * 4);
    uint32_t one = sum == "f32" ? 0x3f800000 : sum == "f16" ? 0x3c003c00 : 1;
    std::memcpy(&input[67584], &one, 4);
    ASSERT_EQ(run(parts.text(), {{1, 1, 1}, {threads, 1, 1}}, input, output), "");
    for (int t = 0; t < threads; ++t)
      for (int i = 0; i < parts.n / 2; ++i) {
        // d_i of PTX ISA 9.7.15.5.1: the row by i % 4, the column by i / 4.
        int row = 16 * (t / 32) + t % 32 / 4 + (i % 4 < 2 ? 0 : 8);
        int column = 8 * (i / 4) + t % 4 * 2 + (i & 1), whole = 0;
        for (int k = 0; k < a.k; ++k)
          whole += valueOf(a, 1, row, k) * valueOf(b, 6, column, k);
        whole = (hasSigns ? -whole : whole) + adds;
        ASSERT_EQ(sumAt(output, sum, t * parts.n / 2 + i), whole) << t << " " << i;
      }
  }

private:
  static std::vector<uint8_t> fill(const Parts &parts, const Format &a, const Format &b) {
    std::vector<uint8_t> input(2 * tileBytes + 2048 + 4, 0xff);
    for (int row = 0; row < 256; ++row)
      for (int k = 0; k < a.k; ++k) {
        uint32_t codeA = codeOf(a, 1, row, k), codeB = codeOf(b, 6, row, k);
        if (row < 64)
          std::memcpy(&input[parts.layoutA.place(a, row, k)], &codeA, a.bytes);
        if (row < parts.n)
          std::memcpy(&input[tileBytes + parts.layoutB.place(b, row, k)], &codeB, b.bytes);
      }
    // A in registers: the element j of register r of a thread.
    int elements = 4 / a.bytes;
    for (int t = 0; t < threads; ++t)
      for (int i = 0; i < 4 * elements; ++i) {
        int r = i / elements, j = i % elements;
        int row = 16 * (t / 32) + t % 32 / 4 + (r == 1 || r == 3 ? 8 : 0);
        int k = t % 4 * elements + j + (r >= 2 ? a.k / 2 : 0);
        uint32_t code = codeOf(a, 1, row, k);
        std::memcpy(&input[2 * tileBytes + 16 * t + i * a.bytes], &code, a.bytes);
      }
    return input;
  }

  static int sumAt(const std::vector<uint8_t> &output, const std::string &type, int i) {
    uint32_t word = 0;
    std::memcpy(&word, &output[i * (type == "f16" ? 2 : 4)], type == "f16" ? 2 : 4);
    if (type == "s32")
      return int(word);
    if (type == "f32")
      return int(llvm::bit_cast<float>(word));
    int exponent = word >> 10 & 31; // whole numbers up to 2048
    int size = exponent ? ((word & 0x3ff) | 0x400) << 5 >> (30 - exponent) : 0;
    return word & 0x8000 ? -size : size;
  }
};

TEST_F(ProductTest, Types) {
  Parts parts;
  check(parts, bf16, bf16, "f32");
  check(parts, f16, f16, "f32");
  check(parts, f16, f16, "f16");
  check(parts, tf32, tf32, "f32");
  check(parts, e4m3, e4m3, "f32");
  check(parts, e4m3, e5m2, "f32");
  check(parts, e5m2, e4m3, "f16");
  check(parts, s8, s8, "s32");
  check(parts, s8, u8, "s32");
  check(parts, u8, u8, "s32");
  check(parts, bf16, bf16, "f32", false, /*adds=*/false);
}

TEST_F(ProductTest, Sizes) {
  for (int n : {8, 24, 48, 64, 136, 192, 256}) {
    Parts parts;
    parts.n = n;
    check(parts, bf16, bf16, "f32");
    check(parts, bf16, bf16, "f32", /*aInRegisters=*/true);
  }
}

TEST_F(ProductTest, FactorsInRegisters) {
  Parts parts;
  check(parts, f16, f16, "f16", true);
  check(parts, tf32, tf32, "f32", true);
  check(parts, e4m3, e5m2, "f32", true);
  check(parts, s8, u8, "s32", true, false);
}

TEST_F(ProductTest, Layouts) {
  Parts parts;
  parts.n = 64;
  for (Layout layout : {Layout{0}, Layout{32}, Layout{64, false, 1}, Layout{128, false, 3}}) {
    parts.layoutA = layout;
    parts.layoutB = Layout{128, false, 1};
    check(parts, f16, f16, "f32");
    check(parts, tf32, tf32, "f32");
    check(parts, s8, s8, "s32");
    std::swap(parts.layoutA, parts.layoutB);
    check(parts, bf16, bf16, "f32");
    check(parts, e5m2, e5m2, "f32");
  }
  for (int span : {0, 32, 64, 128}) {
    parts.layoutA = parts.layoutB = Layout{span, true};
    check(parts, bf16, bf16, "f32");
    parts.layoutA = Layout{};
    check(parts, f16, f16, "f32");
  }
  // A tile that starts in the middle of eight lines.
  parts.layoutA = Layout{128, false, 2, 3};
  parts.layoutB = Layout{64, false, 1, 1};
  check(parts, bf16, bf16, "f32");
}

TEST_F(ProductTest, NaNsStay) {
  Parts parts;
  std::vector<uint8_t> input(2 * tileBytes + 2048 + 4, 0), output(threads * 32);
  input[1] = 0x7f; // one element of A is 2^127 * 1.99, and another one a NaN
  input[128 * 8] = input[128 * 8 + 1] = 0x7f;
  input[128 * 8] = 0xff;
  ASSERT_EQ(run(parts.text(), {{1, 1, 1}, {threads, 1, 1}}, input, output), "");
  uint32_t zero, nan;
  std::memcpy(&zero, &output[0], 4);
  std::memcpy(&nan, &output[8], 4);
  EXPECT_EQ(zero, 0u);
  EXPECT_EQ(nan, 0x7fffffffu);
}

} // namespace
