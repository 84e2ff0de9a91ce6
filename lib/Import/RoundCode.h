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

/// Of values that become codes times the scale, which is not 0. The errors are squared relative to
/// the power of two of the scale: squares of f32 are infinite from 1.8e19 on.
inline double squaredError(llvm::ArrayRef<float> values, float scale, CodeRange range) {
  constexpr size_t width = 16;
  float inverse = 1 / scale;
  int power = std::clamp(std::ilogb(scale), -126, 126);
  float unit = std::ldexp(1.0f, -power);
  auto square = [&](float value) {
    float error = (value - scale * roundCode(value, inverse, range)) * unit;
    return error * error;
  };
  // Blocks keep the sums of f32 exact enough, and the loops those of vectors.
  double total = 0;
  for (size_t first = 0; first < values.size(); first += 256) {
    llvm::ArrayRef<float> block = values.slice(first, std::min<size_t>(256, values.size() - first));
    float parts[width] = {};
    size_t i = 0;
    for (; i + width <= block.size(); i += width)
      for (size_t j = 0; j < width; ++j)
        parts[j] += square(block[i + j]);
    for (; i < block.size(); ++i)
      parts[0] += square(block[i]);
    for (size_t half = width / 2; half > 0; half /= 2)
      for (size_t j = 0; j < half; ++j)
        parts[j] += parts[j + half];
    total += double(parts[0]);
  }
  return std::ldexp(total, 2 * power);
}

} // namespace weft

#endif // WEFT_LIB_IMPORT_ROUNDCODE_H
