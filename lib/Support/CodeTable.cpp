//===- CodeTable.cpp - codes that stand for reals of a table --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/CodeTable.h"

#include "NamedTables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace weft;

/// In ascending order.
static constexpr float normalFloats[16] = {
    -1.0f,
    -0.6961928009986877f,
    -0.5250730514526367f,
    -0.39491748809814453f,
    -0.28444138169288635f,
    -0.18477343022823334f,
    -0.09105003625154495f,
    0.0f,
    0.07958029955625534f,
    0.16093020141124725f,
    0.24611230194568634f,
    0.33791524171829224f,
    0.44070982933044434f,
    0.5626170039176941f,
    0.7229568362236023f,
    1.0f,
};
/// Bit 3 is the sign.
static constexpr float shortFloats[16] = {0,     0.5f,  1,  1.5f,  2,  3,  4,  6,
                                          -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};

/// The mantissa of E4M3, the least exponent, and the bias of its exponents.
static constexpr int kMantissa = 3, kLeastExponent = -6, kBias = 7;

static constexpr CodeTableInfo tables[] = {
    {CodeTable::Int8, "int8", 8, 0, ElementType::F32, 127, nullptr, CodeTable::Int8},
    {CodeTable::Fp8, "fp8", 8, 0, ElementType::F32, 448, nullptr, CodeTable::Fp8},
    {CodeTable::NF4, "nf4", 4, 64, ElementType::F32, 1, normalFloats, CodeTable::NF4},
    {CodeTable::MXFP4, "mxfp4", 4, 32, ElementType::BF16, 6, shortFloats, CodeTable::MXFP4},
};

llvm::ArrayRef<CodeTableInfo> weft::codeTables() { return tables; }

const CodeTableInfo &weft::infoOf(CodeTable table) {
  size_t number = size_t(table) - 1;
  return number < std::size(tables) ? tables[number] : getNamedTable(number - std::size(tables));
}

std::optional<CodeTable> weft::findCodeTable(llvm::StringRef name) {
  for (const CodeTableInfo &info : tables)
    if (info.name == name)
      return info.table;
  std::optional<size_t> number = findNamedTable(name);
  return number ? std::optional(CodeTable(*number + std::size(tables) + 1)) : std::nullopt;
}

static float decodeE4M3(uint8_t code) {
  int exponent = code >> kMantissa & 15, mantissa = code & ((1 << kMantissa) - 1);
  float magnitude =
      exponent == 0 ? std::ldexp(float(mantissa), kLeastExponent - kMantissa)
                    : std::ldexp(float(mantissa + (1 << kMantissa)), exponent - kBias - kMantissa);
  return code & 0x80 ? -magnitude : magnitude;
}

static uint8_t encodeE4M3(float value) {
  float magnitude = std::fabs(value);
  int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), kLeastExponent) : kLeastExponent;
  // Counted in units of the last place; a carry is that of the exponent, which lies above it.
  int units = int(std::nearbyint(std::ldexp(magnitude, kMantissa - exponent)));
  int code = units + (exponent - kLeastExponent) * (1 << kMantissa);
  return uint8_t(code | (std::signbit(value) ? 0x80 : 0));
}

float weft::decodeCode(CodeTable table, uint8_t code) {
  const CodeTableInfo &info = infoOf(table);
  if (info.numbers == CodeTable::Int8)
    return float(int8_t(code));
  return info.numbers == CodeTable::Fp8 ? decodeE4M3(code) : info.values[code & 15];
}

std::optional<WholeNumbers> weft::findWholeNumbers(CodeTable table) {
  if (table == CodeTable::None)
    return std::nullopt;
  const CodeTableInfo &info = infoOf(table);
  if (info.numbers == CodeTable::Int8)
    return WholeNumbers();
  if (info.bits != 4)
    return std::nullopt;
  for (float unit : {1.0f, 0.5f}) {
    WholeNumbers whole{unit, {}};
    auto isWhole = [&](size_t code) {
      float number = info.values[code] / unit;
      bool fits = number >= -128 && number <= 127 && number == std::nearbyint(number);
      whole.values[code] = fits ? int8_t(number) : int8_t(0);
      return fits;
    };
    if (llvm::all_of(llvm::seq<size_t>(16), isWhole))
      return unit == 1 || info.shift == CodeShift::None ? std::optional(whole) : std::nullopt;
  }
  return std::nullopt;
}

uint8_t weft::encodeReal(CodeTable table, float value) {
  if (infoOf(table).numbers == CodeTable::Int8)
    return uint8_t(int8_t(std::nearbyint(value)));
  if (infoOf(table).numbers == CodeTable::Fp8)
    return encodeE4M3(value);
  uint8_t code = 0;
  NearestNumbers(llvm::ArrayRef(infoOf(table).values, 16)).encode(value, code);
  return code;
}

NearestNumbers::NearestNumbers(llvm::ArrayRef<float> numbers) {
  for (size_t code = 0; code != codes.size(); ++code)
    codes[code] = uint8_t(code);
  llvm::sort(codes, [&](uint8_t a, uint8_t b) {
    return std::pair(numbers[a], a) < std::pair(numbers[b], b);
  });
  // A number that is there twice, as 0 and -0 are, keeps its lower code.
  auto *end = std::unique(codes.begin(), codes.end(),
                          [&](uint8_t a, uint8_t b) { return numbers[a] == numbers[b]; });
  ends.fill(INFINITY);
  for (auto *code = codes.begin(); code + 1 != end; ++code) {
    float middle = (numbers[code[0]] + numbers[code[1]]) / 2;
    bool isOfLower = code[0] < code[1];
    ends[size_t(code - codes.begin())] = isOfLower ? middle : std::nextafter(middle, -INFINITY);
  }
}

void NearestNumbers::encode(llvm::ArrayRef<float> values,
                            llvm::MutableArrayRef<uint8_t> result) const {
  // Two loops, as compilers make vectors of the first one.
  constexpr size_t block = 64;
  std::array<int32_t, block> places;
  for (size_t first = 0; first < values.size(); first += block) {
    size_t count = std::min(block, values.size() - first);
    for (size_t i = 0; i != count; ++i) {
      int32_t place = 0;
      for (float end : ends)
        place += values[first + i] > end ? 1 : 0;
      places[i] = place;
    }
    for (size_t i = 0; i != count; ++i)
      result[first + i] = codes[size_t(places[i])];
  }
}
