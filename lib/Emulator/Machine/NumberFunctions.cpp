//===- NumberFunctions.cpp - arithmetic, as kernels call it ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Enumerations are passed as 32 bits. The approximations of the hardware are computed as exactly as
// libm can.
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Numbers.h"
#include "Machine/Runtime.h"

#include <cmath>

using namespace weft::emulator;

static uint32_t roundToSmall(double value, uint32_t type, uint32_t rounding) {
  return roundSmall(value, SmallReal(type), Rounding(rounding));
}

static float fromHalf(uint32_t bits) { return halfToFloat(uint16_t(bits)); }

static uint32_t multiplyAddSmall(uint32_t a, uint32_t b, uint32_t c, uint32_t type) {
  return fmaSmall(a, b, c, SmallReal(type));
}

static float toFloat(double value, uint32_t rounding) {
  return roundToFloat(value, Rounding(rounding));
}

static float fromInteger(uint64_t bits, uint32_t isSigned, uint32_t rounding) {
  return integerToFloat(bits, isSigned, Rounding(rounding));
}

static double fromIntegerToDouble(uint64_t bits, uint32_t isSigned, uint32_t rounding) {
  return integerToDouble(bits, isSigned, Rounding(rounding));
}

static uint64_t toInteger(double value, uint32_t bits, uint32_t isSigned, uint32_t nanIsHighBit) {
  return realToInteger(value, bits, isSigned, nanIsHighBit);
}

static uint64_t extract(uint64_t value, uint32_t position, uint32_t length, uint32_t bits,
                        uint32_t isSigned) {
  return extractField(value, position, length, bits, isSigned);
}

static float exp2Approx(float x) { return std::exp2(x); }
static float log2Approx(float x) { return std::log2(x); }
static float sinApprox(float x) { return std::sin(x); }
static float cosApprox(float x) { return std::cos(x); }
static float tanhApprox(float x) { return std::tanh(x); }

llvm::ArrayRef<RuntimeFunction> weft::emulator::numberFunctions() {
  static const RuntimeFunction functions[] = {
      {"round_small", roundToSmall, false},
      {"from_half", fromHalf, false},
      {"fma_small", multiplyAddSmall, false},
      {"to_float", toFloat, false},
      {"integer_to_float", fromInteger, false},
      {"integer_to_double", fromIntegerToDouble, false},
      {"to_integer", toInteger, false},
      {"extract", extract, false},
      {"insert", insertField, false},
      {"permute", permuteBytes, false},
      {"dot_bytes", dotBytes, false},
      {"ex2", exp2Approx, false},
      {"lg2", log2Approx, false},
      {"sin", sinApprox, false},
      {"cos", cosApprox, false},
      {"tanh", tanhApprox, false},
  };
  return functions;
}
