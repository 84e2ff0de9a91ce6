//===- Numbers.cpp - conversions and functions as the PTX manual has them -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Numbers.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weft::emulator;

namespace {

/// The numbers m * 2^e with fewer than 2^digits in m, down to the smallest e.
struct Format {
  int digits, leastExponent;
  double largest;
};

} // namespace

static constexpr Format formats[] = {
    {11, -24, 65504.0}, {8, -133, 0x1.fep127}, {11, -136, 0x1.ffcp127}};
static constexpr Format floatFormat = {24, -149, 0x1.fffffep127};

static double roundInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  case Rounding::Away:
    return std::round(value);
  }
  return value;
}

// Scaling by powers of two is exact in a double for all formats.
static double roundTo(double value, const Format &format, Rounding rounding) {
  if (!std::isfinite(value) || value == 0)
    return value;
  int exponent = std::max(std::ilogb(value) - format.digits + 1, format.leastExponent);
  double rounded = std::ldexp(roundInteger(std::ldexp(value, -exponent), rounding), exponent);
  if (std::fabs(rounded) <= format.largest)
    return std::copysign(rounded, value);
  bool away = rounding == Rounding::Nearest || rounding == Rounding::Away ||
              rounding == (value > 0 ? Rounding::Up : Rounding::Down);
  return std::copysign(away ? std::numeric_limits<double>::infinity() : format.largest, value);
}

static uint32_t halfBits(double value) {
  uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  if (std::isinf(value))
    return sign | 0x7c00;
  if (value < 0x1p-14)
    return sign | uint32_t(std::ldexp(value, 24));
  int exponent = std::ilogb(value);
  return sign | (uint32_t(exponent + 15) << 10) |
         (uint32_t(std::ldexp(value, 10 - exponent)) & 0x3ff);
}

uint32_t weft::emulator::roundSmall(double value, SmallReal type, Rounding rounding) {
  if (std::isnan(value))
    return type == SmallReal::TFloat ? 0x7fffffff : 0x7fff;
  double rounded = roundTo(value, formats[uint32_t(type)], rounding);
  if (type == SmallReal::Half)
    return halfBits(rounded);
  uint32_t bits = llvm::bit_cast<uint32_t>(float(rounded));
  return type == SmallReal::BFloat ? bits >> 16 : bits;
}

float weft::emulator::halfToFloat(uint16_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  float value = exponent == 31  ? (fraction ? std::numeric_limits<float>::quiet_NaN()
                                            : std::numeric_limits<float>::infinity())
                : exponent == 0 ? std::ldexp(float(fraction), -24)
                                : std::ldexp(float(fraction | 0x400), int(exponent) - 25);
  return bits & 0x8000 ? -value : value;
}

static double smallToDouble(uint32_t bits, SmallReal type) {
  return type == SmallReal::Half ? halfToFloat(uint16_t(bits)) : llvm::bit_cast<float>(bits << 16);
}

// The product is exact in a double. A sum that is not gets an odd last bit, so that rounding it to
// far fewer bits is rounding the exact sum.
uint32_t weft::emulator::fmaSmall(uint32_t a, uint32_t b, uint32_t c, SmallReal type) {
  double product = smallToDouble(a, type) * smallToDouble(b, type);
  double addend = smallToDouble(c, type), sum = product + addend;
  double part = sum - product;
  double rest = (product - (sum - part)) + (addend - part);
  if (std::isfinite(sum) && rest != 0 && !(llvm::bit_cast<uint64_t>(sum) & 1)) {
    bool up = (rest > 0) == (sum > 0);
    sum = llvm::bit_cast<double>(llvm::bit_cast<uint64_t>(sum) + (up ? 1 : -1));
  }
  return roundSmall(sum, type, Rounding::Nearest);
}

float weft::emulator::roundToFloat(double value, Rounding rounding) {
  return float(roundTo(value, floatFormat, rounding));
}

// In the integer: the bits below the last one of the result say how it is rounded.
static double roundDigits(uint64_t magnitude, bool negative, int digits, Rounding rounding) {
  int shift = magnitude ? std::max(0, 64 - int(llvm::countl_zero(magnitude)) - digits) : 0;
  uint64_t kept = shift ? magnitude >> shift : magnitude;
  uint64_t rest = shift ? magnitude & ((uint64_t(1) << shift) - 1) : 0;
  uint64_t half = shift ? uint64_t(1) << (shift - 1) : 0;
  if (rounding == Rounding::Nearest)
    kept += rest > half || (rest == half && shift && (kept & 1));
  else
    kept += rest && rounding == (negative ? Rounding::Down : Rounding::Up);
  double value = std::ldexp(double(kept), shift);
  return negative ? -value : value;
}

double weft::emulator::integerToDouble(uint64_t bits, bool isSigned, Rounding rounding) {
  bool negative = isSigned && int64_t(bits) < 0;
  return roundDigits(negative ? 0 - bits : bits, negative, 53, rounding);
}

float weft::emulator::integerToFloat(uint64_t bits, bool isSigned, Rounding rounding) {
  bool negative = isSigned && int64_t(bits) < 0;
  return float(roundDigits(negative ? 0 - bits : bits, negative, 24, rounding));
}

uint64_t weft::emulator::realToInteger(double value, uint32_t bits, bool isSigned,
                                       bool nanIsHighBit) {
  uint64_t high = uint64_t(1) << (bits - 1);
  if (std::isnan(value))
    return nanIsHighBit ? high : 0;
  double limit = std::ldexp(1.0, int(isSigned ? bits - 1 : bits));
  if (value >= limit)
    return isSigned ? high - 1 : (high - 1) | high;
  if (isSigned)
    return value <= -limit ? high : uint64_t(int64_t(value));
  return value <= 0 ? 0 : uint64_t(value);
}

uint64_t weft::emulator::extractField(uint64_t value, uint32_t position, uint32_t length,
                                      uint32_t bits, bool isSigned) {
  position &= 0xff;
  length &= 0xff;
  if (length == 0)
    return 0;
  uint32_t last = std::min(position + length - 1, bits - 1);
  bool fill = isSigned && (value >> last & 1);
  uint64_t result = 0;
  for (uint32_t i = 0; i < bits; ++i) {
    bool inside = i < length && position + i < bits;
    result |= uint64_t(inside ? value >> (position + i) & 1 : fill) << i;
  }
  return result;
}

uint64_t weft::emulator::insertField(uint64_t field, uint64_t into, uint32_t position,
                                     uint32_t length, uint32_t bits) {
  position &= 0xff;
  length &= 0xff;
  for (uint32_t i = 0; i < length && position + i < bits; ++i) {
    uint64_t bit = uint64_t(1) << (position + i);
    into = (field >> i & 1) ? into | bit : into & ~bit;
  }
  return into;
}

// The bytes that the other modes choose for each value of the selector's two low bits, the highest
// byte first (PTX ISA 9.7.9.7).
static constexpr uint16_t byteChoices[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};

uint32_t weft::emulator::permuteBytes(uint32_t a, uint32_t b, uint32_t selector, uint32_t mode) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  if (mode != 0)
    selector = byteChoices[mode - 1][selector & 3];
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t choice = selector >> (4 * i) & 15;
    uint32_t byte = bytes >> (8 * (choice & 7)) & 0xff;
    if (choice & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

uint32_t weft::emulator::dotBytes(uint32_t a, uint32_t b, uint32_t c, uint32_t isSigned) {
  auto byte = [](uint32_t word, unsigned i, bool asSigned) {
    uint8_t bits = uint8_t(word >> (8 * i));
    return asSigned ? int32_t(int8_t(bits)) : int32_t(bits);
  };
  for (unsigned i = 0; i < 4; ++i)
    c += uint32_t(byte(a, i, isSigned & 1) * byte(b, i, isSigned & 2));
  return c;
}
