//===- Elements.cpp - elements of all types in memory ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Elements.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

using namespace llvm;

namespace weft {

//===----------------------------------------------------------------------------------------===//
// Reals of less than 32 bits
//===----------------------------------------------------------------------------------------===//

/// Exact: every such value is a 32-bit real.
static float decode(const ElementTypeInfo &info, uint32_t bits) {
  unsigned mantissa = info.mantissaBits(), bias = (1u << (info.exponentBits - 1)) - 1;
  uint32_t sign = bits >> (info.bits - 1), magnitude = bits & ((1u << (info.bits - 1)) - 1);
  uint32_t infinity = ((1u << info.exponentBits) - 1) << mantissa;
  uint32_t result = magnitude << (23 - mantissa);
  if (magnitude >= infinity) // or not a number
    result |= 0x7f800000;
  else if (info.exponentBits < 8 && magnitude < 1u << mantissa) // counts the least value
    result =
        bit_cast<uint32_t>(float(magnitude) * bit_cast<float>((127 + 1 - bias - mantissa) << 23));
  else
    result += (127 - bias) << 23;
  return bit_cast<float>(sign << 31 | result);
}

static uint32_t encode(const ElementTypeInfo &info, double value) {
  int mantissa = int(info.mantissaBits()), bias = (1 << (info.exponentBits - 1)) - 1;
  uint32_t infinity = ((1u << info.exponentBits) - 1) << mantissa;
  uint32_t sign = uint32_t(std::signbit(value)) << (info.bits - 1);
  if (std::isnan(value))
    return sign | infinity | 1u << (mantissa - 1);
  uint64_t bits = bit_cast<uint64_t>(std::fabs(value));
  int exponent = std::max(int(bits >> 52) - 1023, 1 - bias);
  if (exponent > bias)
    return sign | infinity;
  // The mantissa in units of the result's last bit; subnormal reals have fewer of them.
  uint64_t significand = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(bits >> 52 != 0) << 52;
  int shift = 52 - mantissa + exponent - (int(bits >> 52) - 1023);
  if (shift > 54)
    return sign;
  uint64_t even = (significand >> shift) & 1;
  uint64_t units = (significand + (uint64_t(1) << (shift - 1)) - 1 + even) >> shift;
  return sign | uint32_t((uint64_t(exponent + bias - 1) << mantissa) + units);
}

//===----------------------------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------------------------===//

/// Calls `visit` with a zero of the C type that holds an element.
template <typename Visit> static auto visitType(ElementType type, Visit visit) {
  // NOLINTBEGIN(bugprone-branch-clone): types that are held alike
  switch (type) {
#define WEFT_FILE_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME)                               \
  case ElementType::NAME:                                                                          \
    return visit(CTYPE());
#define WEFT_STORED_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, ...)                                   \
  case ElementType::NAME:                                                                          \
    return visit(CTYPE());
#include "weft/Support/ElementTypes.def"
  }
  // NOLINTEND(bugprone-branch-clone)
  llvm_unreachable("unknown type of elements");
}

template <typename T> static T read(const void *data, int64_t index) {
  const auto *place = static_cast<const uint8_t *>(data) + index * int64_t(sizeof(T));
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    return bit_cast<T>(support::endian::read<Bits, endianness::little>(place));
  } else {
    return support::endian::read<T, endianness::little>(place);
  }
}

template <typename T> static void write(void *data, int64_t index, T value) {
  auto *place = static_cast<uint8_t *>(data) + index * int64_t(sizeof(T));
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    support::endian::write<Bits, endianness::little>(place, bit_cast<Bits>(value));
  } else {
    support::endian::write<T, endianness::little>(place, value);
  }
}

template <typename T>
static int64_t readInt(const ElementTypeInfo &info, const void *data, int64_t index) {
  auto value = int64_t(read<T>(data, index)); // NOLINT(bugprone-signed-char-misuse): a number
  return info.kind == ElementKind::Bool ? value != 0 : value;
}

template <typename T>
static double readReal(const ElementTypeInfo &info, const void *data, int64_t index) {
  if constexpr (std::is_floating_point_v<T>)
    return double(read<T>(data, index));
  else
    return info.isReal() ? double(decode(info, uint32_t(read<T>(data, index))))
                         : double(readInt<T>(info, data, index));
}

template <typename T>
static void writeReal(const ElementTypeInfo &info, void *data, int64_t index, double value) {
  if constexpr (std::is_floating_point_v<T>)
    write(data, index, T(value));
  else
    write(data, index, T(encode(info, value)));
}

double loadReal(ElementType type, const void *data, int64_t index) {
  return visitType(type, [&](auto zero) -> double {
    return readReal<decltype(zero)>(infoOf(type), data, index);
  });
}

int64_t loadInt(ElementType type, const void *data, int64_t index) {
  assert(!infoOf(type).isReal() && "a real tensor has no integer elements");
  return visitType(type, [&](auto zero) -> int64_t {
    return readInt<decltype(zero)>(infoOf(type), data, index);
  });
}

void storeReal(ElementType type, void *data, int64_t index, double value) {
  assert(infoOf(type).isReal() && "an integer tensor has no real elements");
  visitType(type, [&](auto zero) { writeReal<decltype(zero)>(infoOf(type), data, index, value); });
}

void storeInt(ElementType type, void *data, int64_t index, int64_t value) {
  assert(!infoOf(type).isReal() && "a real tensor has no integer elements");
  int64_t kept = infoOf(type).kind == ElementKind::Bool ? value != 0 : value;
  visitType(type, [&](auto zero) { write(data, index, decltype(zero)(kept)); });
}

double roundReal(ElementType type, double value) {
  uint8_t element[8];
  storeReal(type, element, 0, value);
  return loadReal(type, element, 0);
}

int64_t wrapInt(ElementType type, int64_t value) {
  uint8_t element[8];
  storeInt(type, element, 0, value);
  return loadInt(type, element, 0);
}

//===----------------------------------------------------------------------------------------===//
// Many elements
//===----------------------------------------------------------------------------------------===//

void convertToFloat(ElementType type, const uint8_t *data, MutableArrayRef<float> out) {
  const ElementTypeInfo &info = infoOf(type);
  visitType(type, [&](auto zero) {
    for (auto [i, value] : enumerate(out))
      value = float(readReal<decltype(zero)>(info, data, int64_t(i)));
  });
}

bool convertToInt(ElementType type, const uint8_t *data, MutableArrayRef<int32_t> out) {
  const ElementTypeInfo &info = infoOf(type);
  if (info.isReal())
    return false;
  return visitType(type, [&](auto zero) {
    bool fits = true;
    for (auto [i, element] : enumerate(out)) {
      int64_t value = readInt<decltype(zero)>(info, data, int64_t(i));
      fits &= isInt<32>(value);
      element = int32_t(value);
    }
    return fits;
  });
}

void convertFromFloat(ElementType type, ArrayRef<float> values, uint8_t *out) {
  const ElementTypeInfo &info = infoOf(type);
  visitType(type, [&](auto zero) {
    for (auto [i, value] : enumerate(values))
      writeReal<decltype(zero)>(info, out, int64_t(i), value);
  });
}

int64_t findBeyond(ElementType wanted, ElementType type, const uint8_t *data, int64_t count) {
  const ElementTypeInfo &from = infoOf(type), &to = infoOf(wanted);
  if (!from.isReal() ||
      (from.exponentBits <= to.exponentBits && from.mantissaBits() <= to.mantissaBits()))
    return -1;
  for (int64_t i = 0; i != count; ++i) {
    double value = loadReal(type, data, i);
    if (std::isfinite(value) && !std::isfinite(roundReal(wanted, value)))
      return i;
  }
  return -1;
}

} // namespace weft
