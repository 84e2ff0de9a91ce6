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
  if (infoOf(shape.table).bits == 8)
    return decodeCode(shape.table, group[row * shape.nr + n]) * scale;
  return decodeCode(shape.table, uint8_t(group[row / 2 * shape.nr + n] >> (row % 2 * 4) & 15)) *
         scale;
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
