//===- ElementsTest.cpp - elements of all types in memory -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Elements.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <vector>

using namespace llvm;
using namespace weft;

namespace {

TEST(ElementTypes, AreFoundByEveryName) {
  for (const ElementTypeInfo &info : elementTypes()) {
    EXPECT_EQ(infoOf(info.type).fileName, info.fileName);
    EXPECT_EQ(elementTypeInFile(info.fileName), info.type);
    EXPECT_EQ(elementTypeInText(info.name),
              info.isStored() ? std::optional(info.type) : std::nullopt);
    if (info.isStored())
      EXPECT_EQ(elementTypeOfCode(info.code), info.type);
  }
  EXPECT_FALSE(elementTypeInFile("bf16"));
  EXPECT_FALSE(elementTypeInText("f64"));
  EXPECT_FALSE(elementTypeOfCode(-1));
  EXPECT_EQ(infoOf(ElementType::BF16).mantissaBits(), 7u);
  for (ElementKind kind : {ElementKind::Real, ElementKind::Int, ElementKind::Bool})
    EXPECT_EQ(infoOf(computeType(kind)).kind, kind);
}

/// What LLVM says of the types.
const fltSemantics &semanticsOf(ElementType type) {
  return type == ElementType::F16 ? APFloat::IEEEhalf() : APFloat::BFloat();
}

TEST(Elements, SmallRealsAreExact) {
  for (ElementType type : {ElementType::F16, ElementType::BF16})
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      auto element = uint16_t(bits);
      double value = APFloat(semanticsOf(type), APInt(16, bits)).convertToDouble();
      double got = loadReal(type, &element, 0);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(got));
        continue;
      }
      ASSERT_EQ(bit_cast<uint64_t>(got), bit_cast<uint64_t>(value)) << bits;
      uint16_t again = 0;
      storeReal(type, &again, 0, got);
      ASSERT_EQ(again, element);
    }
}

/// The values next to every number of a type and in the middle of two.
TEST(Elements, RealsAreRoundedToNearestEven) {
  for (ElementType type : {ElementType::F16, ElementType::BF16})
    for (unsigned bits = 0; bits < 0x7f80; ++bits) {
      auto low = uint16_t(bits), high = uint16_t(bits + 1);
      double a = loadReal(type, &low, 0), b = loadReal(type, &high, 0);
      if (!std::isfinite(b))
        b = 2 * a - (a / 2); // as if there were one more
      double middle = (a + b) / 2;
      for (double value : {middle, std::nextafter(middle, a), std::nextafter(middle, b), -middle}) {
        APFloat expected(value);
        bool losesInfo;
        expected.convert(semanticsOf(type), APFloat::rmNearestTiesToEven, &losesInfo);
        uint16_t got = 0;
        storeReal(type, &got, 0, value);
        if (!std::isnan(value))
          ASSERT_EQ(got, expected.bitcastToAPInt().getZExtValue()) << value;
      }
    }
}

TEST(Elements, WhatIsNoNumber) {
  for (ElementType type : {ElementType::F16, ElementType::BF16, ElementType::F32}) {
    EXPECT_TRUE(std::isnan(roundReal(type, NAN)));
    EXPECT_EQ(roundReal(type, INFINITY), INFINITY);
    EXPECT_EQ(roundReal(type, -1e39), -INFINITY);
    EXPECT_EQ(roundReal(type, 1e-50), 0);
    EXPECT_TRUE(std::signbit(roundReal(type, -1e-50)));
  }
}

TEST(Elements, IntegersAreCut) {
  EXPECT_EQ(wrapInt(ElementType::I8, 200), -56);
  EXPECT_EQ(wrapInt(ElementType::U8, 200), 200);
  EXPECT_EQ(wrapInt(ElementType::U8, -1), 255);
  EXPECT_EQ(wrapInt(ElementType::I32, int64_t(1) << 31), INT32_MIN);
  EXPECT_EQ(wrapInt(ElementType::Bool, 2), 1);
}

TEST(Elements, FarLargerNumbersAreFound) {
  float reals[] = {1, 65519, 65520, INFINITY};
  const auto *data = reinterpret_cast<const uint8_t *>(reals);
  EXPECT_EQ(findBeyond(ElementType::F16, ElementType::F32, data, 4), 2);
  EXPECT_EQ(findBeyond(ElementType::F16, ElementType::F32, data, 2), -1);
  EXPECT_EQ(findBeyond(ElementType::BF16, ElementType::F32, data, 4), -1);
  double large[] = {1e300};
  EXPECT_EQ(findBeyond(ElementType::F32, ElementType::F64, reinterpret_cast<uint8_t *>(large), 1),
            0);
}

template <typename T> const uint8_t *bytesOf(const std::vector<T> &values) {
  return reinterpret_cast<const uint8_t *>(values.data());
}

TEST(Elements, ConvertToTheTypesOfTheCompiler) {
  std::vector<double> reals = {1.5, -2.0, 1e-300};
  std::vector<float> floats(3);
  convertToFloat(ElementType::F64, bytesOf(reals), floats);
  EXPECT_EQ(floats, (std::vector<float>{1.5f, -2.0f, 0.0f}));
  std::vector<uint16_t> halves(3);
  convertFromFloat(ElementType::F16, floats, reinterpret_cast<uint8_t *>(halves.data()));
  EXPECT_EQ(halves, (std::vector<uint16_t>{0x3e00, 0xc000, 0}));

  std::vector<int64_t> longs = {-1, 2147483647, 7};
  std::vector<int32_t> ints(3);
  EXPECT_TRUE(convertToInt(ElementType::I64, bytesOf(longs), ints));
  EXPECT_EQ(ints, (std::vector<int32_t>{-1, 2147483647, 7}));
  longs[1] = 2147483648;
  EXPECT_FALSE(convertToInt(ElementType::I64, bytesOf(longs), ints));
  EXPECT_FALSE(convertToInt(ElementType::F64, bytesOf(reals), ints));

  std::vector<uint8_t> bools = {0, 1, 255};
  EXPECT_TRUE(convertToInt(ElementType::Bool, bools.data(), ints));
  EXPECT_EQ(ints, (std::vector<int32_t>{0, 1, 1}));
  EXPECT_TRUE(convertToInt(ElementType::I8, bools.data(), ints));
  EXPECT_EQ(ints[2], -1);
}

} // namespace
