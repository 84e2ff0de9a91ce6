//===- TensorType.cpp - Element types of stored tensors -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/TensorType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;

namespace weft {

/// In the order of the types.
static constexpr StringLiteral names[] = {"F64", "F32", "F16", "BF16", "I64",
                                          "I32", "I16", "I8",  "U8",   "BOOL"};

StringRef tensorTypeName(TensorType type) { return names[unsigned(type)]; }

std::optional<TensorType> tensorTypeFromName(StringRef name) {
  const auto *found = find(names, name);
  return found == std::end(names) ? std::nullopt
                                  : std::optional(TensorType(found - std::begin(names)));
}

std::string tensorTypeNames() { return join(ArrayRef<StringLiteral>(names), ", "); }

unsigned tensorTypeBytes(TensorType type) {
  switch (type) {
  case TensorType::F64:
  case TensorType::I64:
    return 8;
  case TensorType::F32:
  case TensorType::I32:
    return 4;
  case TensorType::F16:
  case TensorType::BF16:
  case TensorType::I16:
    return 2;
  case TensorType::I8:
  case TensorType::U8:
  case TensorType::Bool:
    return 1;
  }
  llvm_unreachable("all types have a size");
}

bool isRealType(TensorType type) { return type <= TensorType::BF16; }

std::string shapeString(ArrayRef<int64_t> shape) {
  return "[" + join(map_range(shape, [](int64_t size) { return std::to_string(size); }), ", ") +
         "]";
}

float bfloatToFloat(uint16_t bits) { return bit_cast<float>(uint32_t(bits) << 16); }

float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  if (exponent == 31) // infinity or NaN
    return bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0)
    return bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  // Zero or subnormal: the mantissa counts units of 2^-24.
  float magnitude = float(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

/// Converts every element with `convert(T)`.
template <typename T, typename Out, typename Convert>
static void convertEach(const uint8_t *data, MutableArrayRef<Out> out, Convert convert) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = convert(support::endian::read<T, endianness::little>(data + i * sizeof(T)));
}

/// The element types whose values are plain C++ numbers.
template <typename Out, typename Convert>
static bool convertIntegers(TensorType type, const uint8_t *data, MutableArrayRef<Out> out,
                            Convert convert) {
  switch (type) {
  case TensorType::I64:
    return convertEach<int64_t>(data, out, convert), true;
  case TensorType::I32:
    return convertEach<int32_t>(data, out, convert), true;
  case TensorType::I16:
    return convertEach<int16_t>(data, out, convert), true;
  case TensorType::I8:
    return convertEach<int8_t>(data, out, convert), true;
  case TensorType::U8:
    return convertEach<uint8_t>(data, out, convert), true;
  case TensorType::Bool:
    return convertEach<uint8_t>(data, out, [&](uint8_t byte) { return convert(byte != 0); }), true;
  default:
    return false;
  }
}

void convertToFloat(TensorType type, const uint8_t *data, MutableArrayRef<float> out) {
  switch (type) {
  case TensorType::F32:
    if (sys::IsLittleEndianHost)
      std::memcpy(out.data(), data, out.size() * sizeof(float));
    else
      convertEach<uint32_t>(data, out, [](uint32_t bits) { return bit_cast<float>(bits); });
    return;
  case TensorType::F64:
    return convertEach<uint64_t>(data, out,
                                 [](uint64_t bits) { return float(bit_cast<double>(bits)); });
  case TensorType::F16:
    return convertEach<uint16_t>(data, out, halfToFloat);
  case TensorType::BF16:
    return convertEach<uint16_t>(data, out, bfloatToFloat);
  default:
    convertIntegers(type, data, out, [](auto value) { return float(value); });
  }
}

int64_t findBeyondFloat(TensorType type, const uint8_t *data, int64_t count) {
  if (type != TensorType::F64)
    return -1;
  for (int64_t i = 0; i != count; ++i) {
    double value = bit_cast<double>(
        support::endian::read<uint64_t, endianness::little>(data + i * sizeof(double)));
    if (std::isfinite(value) && !std::isfinite(float(value)))
      return i;
  }
  return -1;
}

bool convertToInt(TensorType type, const uint8_t *data, MutableArrayRef<int32_t> out) {
  bool fits = true;
  bool known = convertIntegers(type, data, out, [&](auto value) {
    fits &= int64_t(value) == int32_t(value);
    return int32_t(value);
  });
  return known && fits;
}

} // namespace weft
