//===- RoundCode.h - what rounding to codes loses -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_IMPORT_ROUNDCODE_H
#define WEFT_LIB_IMPORT_ROUNDCODE_H

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft {

/// The whole numbers that values are rounded to.
struct CodeRange {
  float least, largest;
};

/// `value * inverse` to the nearest whole number of the range, ties to even. A loop of it is one
/// that compilers make vectors of: the last bit of the number that is added is 1.
inline float roundCode(float value, float inverse, CodeRange range) {
  constexpr float magic = 12582912.0f; // 1.5 * 2^23
  float clipped = std::min(std::max(value * inverse, range.least), range.largest);
  return (clipped + magic) - magic;
}

/// The most that two neighbours of narrow codes come to.
constexpr float kNarrowSum = 128;

/// The nearest two codes that are narrow. Where the nearest two are not, those of the largest sum
/// are the ones that differ most nearly as the values do; both are 1 to 127, or -127 to -1. (Loops
/// of calls are none of vectors.)
__attribute__((always_inline)) inline std::pair<float, float>
roundNeighbours(float first, float second, float inverse, CodeRange range) {
  constexpr float half = kNarrowSum / 2;
  float a = roundCode(first, inverse, range), b = roundCode(second, inverse, range);
  float apart = roundCode(first - second, inverse / 2, {1 - half, half - 1});
  float middle = a + b < 0 ? -half : half;
  bool isNarrow = std::fabs(a + b) <= kNarrowSum;
  return {isNarrow ? a : middle + apart, isNarrow ? b : middle - apart};
}

/// Sum of `square(0)` to `square(size - 1)`. Blocks keep the sums of f32 exact enough, and the
/// loops those of vectors.
template <typename Square> double sumSquares(size_t size, Square square) {
  constexpr size_t width = 16, block = 256;
  double total = 0;
  float squares[block];
  for (size_t first = 0; first < size; first += block) {
    size_t count = std::min(block, size - first), i = 0;
    for (size_t j = 0; j < count; ++j)
      squares[j] = square(first + j);
    float parts[width] = {};
    for (; i + width <= count; i += width)
      for (size_t j = 0; j < width; ++j)
        parts[j] += squares[i + j];
    for (; i < count; ++i)
      parts[0] += squares[i];
    for (size_t half = width / 2; half > 0; half /= 2)
      for (size_t j = 0; j < half; ++j)
        parts[j] += parts[j + half];
    total += double(parts[0]);
  }
  return total;
}

/// The squares of errors relative to the power of two of the scale, which is not 0: squares of f32
/// are infinite from 1.8e19 on.
struct ErrorScale {
  explicit ErrorScale(float scale)
      : scale(scale), inverse(1 / scale), power(std::clamp(std::ilogb(scale), -126, 126)),
        unit(std::ldexp(1.0f, -power)) {}

  float square(float value, float code) const {
    float error = (value - scale * code) * unit;
    return error * error;
  }
  double restore(double squares) const { return std::ldexp(squares, 2 * power); }

  float scale, inverse;
  int power;
  float unit;
};

/// Of values that become codes times the scale.
inline double squaredError(llvm::ArrayRef<float> values, float scale, CodeRange range) {
  ErrorScale errors(scale);
  const float *value = values.data();
  auto square = [=](size_t i) __attribute__((always_inline)) {
    return errors.square(value[i], roundCode(value[i], errors.inverse, range));
  };
  return errors.restore(sumSquares(values.size(), square));
}

/// The same of narrow ones: the first and the second of all neighbours.
inline double squaredError(llvm::ArrayRef<float> firsts, llvm::ArrayRef<float> seconds, float scale,
                           CodeRange range) {
  ErrorScale errors(scale);
  const float *first = firsts.data(), *second = seconds.data();
  auto square = [=](size_t i) __attribute__((always_inline)) {
    auto [a, b] = roundNeighbours(first[i], second[i], errors.inverse, range);
    return errors.square(first[i], a) + errors.square(second[i], b);
  };
  return errors.restore(sumSquares(firsts.size(), square));
}

} // namespace weft

#endif // WEFT_LIB_IMPORT_ROUNDCODE_H
