//===- ScaledCodesTest.cpp - weights as codes of a table with scales ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/ScaledCodes.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace llvm;
using namespace weft;

namespace {

/// What LLVM takes the bits for.
float readE4M3(uint8_t code) {
  return APFloat(APFloat::Float8E4M3FN(), APInt(8, code)).convertToFloat();
}

TEST(ScaledCodes, EightBitsAreThoseOfE4M3) {
  for (int code = 0; code != 256; ++code) {
    if ((code & 0x7f) == 0x7f) // no number
      continue;
    float value = decodeCode(CodeTable::Fp8, uint8_t(code));
    EXPECT_EQ(value, readE4M3(uint8_t(code))) << code;
    EXPECT_EQ(encodeReal(CodeTable::Fp8, value), code);
  }
}

// Numbers between two codes, halves included, where LLVM rounds to the even one.
TEST(ScaledCodes, RealsBecomeTheNearestE4M3) {
  for (float value = -448; value <= 448; value += 0.0009765625f) {
    APFloat rounded(value);
    bool lost;
    rounded.convert(APFloat::Float8E4M3FN(), APFloat::rmNearestTiesToEven, &lost);
    EXPECT_EQ(encodeReal(CodeTable::Fp8, value), rounded.bitcastToAPInt().getZExtValue()) << value;
  }
}

TEST(ScaledCodes, TablesOfSixteenTakeTheNearest) {
  for (CodeTable table : {CodeTable::NF4, CodeTable::MXFP4})
    for (float value = -1.5f; value <= 1.5f; value += 0.001f) {
      float chosen = decodeCode(table, encodeReal(table, value));
      for (int code = 0; code != 16; ++code)
        EXPECT_LE(std::fabs(chosen - value), std::fabs(decodeCode(table, uint8_t(code)) - value));
    }
  EXPECT_EQ(decodeCode(CodeTable::MXFP4, 0xd), -3);
  EXPECT_EQ(decodeCode(CodeTable::NF4, 7), 0);
}

// Between two numbers the lower code is taken: towards 0, and 0 for -0.
TEST(ScaledCodes, TiesTakeTheLowerCode) {
  for (auto [value, code] : {std::pair(0.25f, 0), {0.75f, 1}, {2.5f, 4}, {5.0f, 6}, {7.0f, 7}})
    for (float sign : {1.0f, -1.0f}) {
      int expected = code == 0 || sign > 0 ? code : code | 8;
      EXPECT_EQ(encodeReal(CodeTable::MXFP4, sign * value), expected) << sign * value;
    }
}

// Blocks of any size, of which none is a multiple of what is encoded at once.
TEST(ScaledCodes, ManyValuesAreEncodedAsEachOfThem) {
  for (CodeTable table : {CodeTable::NF4, CodeTable::MXFP4})
    for (size_t size : {1, 13, 97, 1000}) {
      std::vector<float> values(size);
      for (auto [i, value] : llvm::enumerate(values))
        value = float(i % 61) / 30.0f - 1;
      std::vector<uint8_t> codes(size);
      NearestNumbers(llvm::ArrayRef(infoOf(table).values, 16)).encode(values, codes);
      for (auto [value, code] : llvm::zip_equal(values, codes))
        EXPECT_EQ(code, encodeReal(table, value)) << value;
    }
}

// What tables of a checkpoint's codes are called says all of them.
TEST(ScaledCodes, NamesSayWhatTablesAreMadeOf) {
  const CodeTableInfo &zeros = infoOf(*findCodeTable("(uint4+f16)*bf16"));
  EXPECT_EQ(zeros.bits, 4);
  EXPECT_EQ(zeros.shift, CodeShift::Zero);
  EXPECT_EQ(zeros.scale, ElementType::BF16);
  EXPECT_EQ(zeros.shiftType, ElementType::F16);
  EXPECT_EQ(decodeCode(zeros.table, 15), 15);
  const CodeTableInfo &spans = infoOf(*findCodeTable("int8*i8+i8 of f16/8"));
  EXPECT_EQ(spans.bits, 8);
  EXPECT_EQ(spans.shift, CodeShift::Offset);
  EXPECT_EQ(spans.span, 8);
  EXPECT_EQ(decodeCode(spans.table, 0xff), -1);
  EXPECT_EQ(findCodeTable("int8*i8+i8 of f16/8"), spans.table);
  EXPECT_NE(findCodeTable("int8*i8+i8 of f16/16"), spans.table);
  for (const char *wrong :
       {"", "int4", "int4*", "int5*f16", "int4*f16+", "int4*f17", "(int4+f16)f16", "[1 x]*f16",
        "[1 2*f16", "int4*f16 of f16", "int4*f16 of f16/1", "(int4+f16)*f16 of f16/8",
        "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16]*f32"})
    EXPECT_EQ(findCodeTable(wrong), std::nullopt) << wrong;
}

TEST(ScaledCodes, NamesOfNumbersAreRead) {
  SharedTypes shared;
  shared.scale = ElementType::F16;
  std::vector<float> squares = {0, 1, 4, 9, 0.1f};
  std::string name = nameCodeTable(squares, shared);
  EXPECT_EQ(name, "[0 1 4 9 0.1]*f16");
  for (size_t code = 0; code != 16; ++code)
    EXPECT_EQ(decodeCode(*findCodeTable(name), uint8_t(code)), code < 5 ? squares[code] : 0);
  std::vector<float> signs = {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};
  shared.shift = CodeShift::Offset;
  EXPECT_EQ(nameCodeTable(signs, shared), "int4*f16+f32");
  EXPECT_EQ(nameCodeTable(CodeTable::Fp8, SharedTypes()), "fp8*f32");
}

// Two spans of three groups of 8 codes of 4 bits, whose scales and offsets have factors.
TEST(ScaledCodes, SpansOfPanelsHaveTheirFactorsBehind) {
  ScaledPanel panel{4, 48, 8, *findCodeTable("uint4*i8+i8 of f16/3")};
  EXPECT_EQ(panel.getCodeBytes(), 16);
  EXPECT_EQ(panel.getGroupBytes(), 16 + 4 + 4);
  EXPECT_EQ(panel.getSpanBytes(), 3 * 24 + 2 * 8);
  EXPECT_EQ(panel.getPlace(4), 88 + 24);
  EXPECT_EQ(panel.getBytes(), 2 * 88);
  EXPECT_TRUE(panel.isWhole());
  EXPECT_FALSE((ScaledPanel{4, 32, 8, panel.table}.isWhole()));
}

// What integers can be multiplied with.
TEST(ScaledCodes, WholeNumbersAreFound) {
  auto find = [](const char *name) { return findWholeNumbers(*findCodeTable(name)); };
  EXPECT_EQ(find("int4*f16")->values[0], -8);
  EXPECT_EQ(find("(uint4+f16)*f16")->values[15], 15);
  EXPECT_EQ(find("int8*f32")->unit, 1);
  EXPECT_EQ(find("[-127 128 1]*f16"), std::nullopt);
  EXPECT_EQ(find("[-128 127 1]*f16")->values[0], -128);
  EXPECT_EQ(find("mxfp4*bf16")->unit, 0.5f);
  EXPECT_EQ(find("mxfp4*bf16")->values[15], -12);
  for (const char *other : {"mxfp4*f16+f16", "nf4*f32", "fp8*f32", "[0.25]*f32"})
    EXPECT_EQ(find(other), std::nullopt) << other;
}

TEST(ScaledCodes, ZerosHaveNoScale) {
  for (const CodeTableInfo &info : codeTables()) {
    std::vector<uint8_t> codes(8, 99);
    EXPECT_EQ(encodeGroup(std::vector<float>(8, 0.0f), info.table, codes), 0);
    for (uint8_t code : codes)
      EXPECT_EQ(decodeCode(info.table, code), 0);
    EXPECT_EQ(encodeGroup(std::vector<float>(8, 1e-45f), info.table, codes), 0)
        << "the inverse of the scale would be infinite";
  }
}

TEST(ScaledCodes, ScalesOfMXFP4ArePowersOfTwo) {
  std::vector<float> values{0.3f, -0.11f, 0.02f, 0.29f};
  std::vector<uint8_t> codes(4);
  float scale = encodeGroup(values, CodeTable::MXFP4, codes);
  EXPECT_EQ(std::exp2(std::round(std::log2(scale))), scale);
  EXPECT_LE(std::fabs(decodeCode(CodeTable::MXFP4, codes[0]) * scale - 0.3f), 0.06f);
}

std::vector<float> makePanel(int64_t k, int64_t nr) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 0.02f);
  std::vector<float> panel(size_t(k * nr));
  for (float &value : panel)
    value = normal(random);
  return panel;
}

/// The element of a panel of codes, read as the header says.
float readPanel(const std::vector<uint8_t> &bytes, const ScaledPanel &shape, int64_t k, int64_t n) {
  const uint8_t *group = bytes.data() + k / shape.group * shape.getGroupBytes();
  int64_t row = k % shape.group;
  float scale = 0;
  const uint8_t *scales = group + shape.getCodeBytes();
  if (infoOf(shape.table).scale == ElementType::F32) {
    std::memcpy(&scale, scales + 4 * n, 4);
  } else {
    uint32_t bits = uint32_t(scales[2 * n] | scales[2 * n + 1] << 8) << 16;
    std::memcpy(&scale, &bits, 4);
  }
  // Words hold four neighbours of 8 bits, or eight of 4; E4M3 lie row by row.
  if (shape.table == CodeTable::Fp8)
    return decodeCode(shape.table, group[row * shape.nr + n]) * scale;
  if (infoOf(shape.table).bits == 8)
    return decodeCode(shape.table, group[(row / 4 * shape.nr + n) * 4 + row % 4]) * scale;
  uint8_t byte = group[(row / 8 * shape.nr + n) * 4 + row % 4];
  return decodeCode(shape.table, uint8_t(row % 8 < 4 ? byte & 15 : byte >> 4)) * scale;
}

TEST(ScaledCodes, PanelsHoldWhatIsRestored) {
  constexpr int64_t k = 96, nr = 5;
  std::vector<float> panel = makePanel(k, nr);
  for (const CodeTableInfo &info : codeTables())
    for (int64_t group : {int64_t(32), k}) {
      ScaledPanel shape{nr, k, group, info.table};
      std::vector<uint8_t> bytes = packScaledPanel(panel, shape);
      ASSERT_EQ(int64_t(bytes.size()), shape.getBytes());
      std::vector<float> restored =
          restoreScaled(panel, {k, nr}, {0}, CodeFormat(info.table, group));
      double lost = 0, all = 0;
      for (int64_t i = 0; i != k; ++i)
        for (int64_t n = 0; n != nr; ++n) {
          float value = panel[size_t(i * nr + n)], kept = restored[size_t(i * nr + n)];
          EXPECT_EQ(readPanel(bytes, shape, i, n), kept);
          lost += (value - kept) * (value - kept);
          all += value * value;
        }
      EXPECT_LT(std::sqrt(lost / all), info.bits == 8 ? 0.04 : 0.16) << std::string(info.name);
    }
}

} // namespace
