//===- ShortCodes.cpp - weights as codes of 4 bits ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A value x becomes (u - z) * m * s: u its own, m and z its group's, s its row's. Of some scales s
// the one is taken that loses least with factors near the whole ranges of groups, then for each
// group the best factor and zero. At last s is made the one with the least squared error for the
// codes as they are.
//
//===----------------------------------------------------------------------------------------===//

#include "RoundCode.h"
#include "weft/Import/Codes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cmath>

using namespace llvm;

namespace weft {

static constexpr int kLargestNumber = 15, kLargestFactor = 15;
/// The least factor that is tried, of the one that cuts nothing off.
static constexpr float kLeastFactor = 0.7f;

namespace {

/// Chooses the codes of a row.
class ShortRow {
public:
  ShortRow(ArrayRef<float> values, size_t numGroups, bool asymmetric)
      : values(values), size(values.size() / numGroups), asymmetric(asymmetric),
        largestFactor(numGroups == 1 ? 1 : kLargestFactor), groups(numGroups) {
    for (size_t i = 0; i < numGroups; ++i) {
      auto [least, largest] =
          std::minmax_element(values.begin() + i * size, values.begin() + (i + 1) * size);
      ranges.push_back({*least, *largest});
    }
  }

  float choose();
  ArrayRef<CodeGroup> getGroups() const { return groups; }

private:
  ArrayRef<float> getValues(size_t group) const { return values.slice(group * size, size); }
  /// The step of numbers with which nothing is cut off.
  static float getStep(CodeRange range, int zero);
  SmallVector<int> getZeros(CodeRange range, float step) const;
  int getFactorLimit(int zero) const {
    return std::min(largestFactor, kLargestCode / std::max(zero, kLargestNumber - zero));
  }
  float getWholeScale() const;
  double getError(size_t group, float scale, CodeGroup shared) const;
  double guessGroup(size_t group, float scale) const;
  CodeGroup chooseGroup(size_t group, float scale) const;

  ArrayRef<float> values;
  size_t size; ///< of a group
  bool asymmetric;
  int largestFactor; ///< of one group the scale is all there need be
  SmallVector<CodeRange> ranges;
  std::vector<CodeGroup> groups;
};

} // namespace

float ShortRow::getStep(CodeRange range, int zero) {
  float below = zero == 0 ? (range.least < 0 ? INFINITY : 0) : -range.least / float(zero);
  int above = kLargestNumber - zero;
  float beyond = above == 0 ? (range.largest > 0 ? INFINITY : 0) : range.largest / float(above);
  return std::max({below, beyond, 0.0f});
}

/// With numbers a step apart: those whose range has the middle of the values near its own.
SmallVector<int> ShortRow::getZeros(CodeRange range, float step) const {
  if (!asymmetric)
    return {8, 7};
  float middle = (range.least + range.largest) / 2;
  float exact = std::clamp(float(kLargestNumber) / 2 - middle / step, 0.0f, float(kLargestNumber));
  int below = int(exact);
  return {below, std::min(below + 1, kLargestNumber)};
}

/// The scale with which no group need cut off anything.
float ShortRow::getWholeScale() const {
  float scale = 0;
  for (const CodeRange &range : ranges) {
    float span = (std::max(range.largest, 0.0f) - std::min(range.least, 0.0f)) / kLargestNumber;
    float least = INFINITY;
    if (!(span > 0))
      continue;
    for (int zero : getZeros(range, span))
      least = std::min(least, getStep(range, zero) / float(getFactorLimit(zero)));
    scale = std::max(scale, std::isfinite(least) ? least : span);
  }
  return scale;
}

double ShortRow::getError(size_t group, float scale, CodeGroup shared) const {
  return squaredError(getValues(group), scale * float(shared.factor),
                      {-float(shared.zero), float(kLargestNumber - shared.zero)});
}

/// What is lost with a factor that cuts a little off.
double ShortRow::guessGroup(size_t group, float scale) const {
  CodeRange range = ranges[group];
  float span = std::max((range.largest - range.least) / float(kLargestNumber), scale);
  auto zeros = getZeros(range, span);
  int zero = getStep(range, zeros[0]) < getStep(range, zeros[1]) ? zeros[0] : zeros[1];
  float exact = 0.9f * std::min(getStep(range, zero) / scale, 2.0f * kLargestFactor);
  int factor = std::clamp(int(std::lround(exact)), 1, getFactorLimit(zero));
  return getError(group, scale, {uint8_t(factor), uint8_t(zero)});
}

CodeGroup ShortRow::chooseGroup(size_t group, float scale) const {
  CodeRange range = ranges[group];
  CodeGroup best;
  double least = INFINITY;
  float span = std::max((range.largest - range.least) / float(kLargestNumber), scale);
  for (int zero : getZeros(range, span)) {
    float whole = std::ceil(std::min(getStep(range, zero) / scale, float(kLargestFactor)));
    int last = std::clamp(int(whole), 1, getFactorLimit(zero));
    for (int factor = std::max(1, int(kLeastFactor * float(last))); factor <= last; ++factor) {
      CodeGroup tried{uint8_t(factor), uint8_t(zero)};
      if (double error = getError(group, scale, tried); error < least) {
        least = error;
        best = tried;
      }
    }
  }
  return best;
}

float ShortRow::choose() {
  float whole = getWholeScale();
  if (!(whole > 0) || !std::isfinite(1 / whole))
    return 0;
  // A factor for each group is finer than that; a row of one group has the scale alone.
  bool isOne = groups.size() == 1;
  int tries = isOne ? 20 : 4;
  float step = isOne ? 0.025f : 0.1f, best = whole;
  double least = INFINITY;
  for (int i = 0; i != tries; ++i) {
    float scale = whole * (1 - step * float(i));
    double error = isOne ? getError(0, scale, chooseGroup(0, scale)) : 0;
    for (size_t group = 0; group < groups.size() && !isOne; ++group)
      error += guessGroup(group, scale);
    if (error < least) {
      least = error;
      best = scale;
    }
  }
  for (size_t group = 0; group < groups.size(); ++group)
    groups[group] = chooseGroup(group, best);
  return best;
}

float encodeShort(ArrayRef<float> values, bool asymmetric, MutableArrayRef<int8_t> codes,
                  MutableArrayRef<CodeGroup> groups) {
  // From the least number to the largest must be a number, too.
  if (any_of(values, [](float value) { return std::fabs(value) > 0x1p126f; })) {
    std::vector<float> quarters(values);
    for (float &value : quarters)
      value /= 4;
    return 4 * encodeShort(quarters, asymmetric, codes, groups);
  }
  ShortRow row(values, groups.size(), asymmetric);
  float scale = row.choose();
  double product = 0, square = 0;
  for (auto [i, group] : enumerate(row.getGroups())) {
    size_t size = values.size() / groups.size();
    CodeRange range{-float(group.zero), float(kLargestNumber - group.zero)};
    float inverse = scale > 0 ? 1 / (scale * float(group.factor)) : 0;
    for (size_t k = i * size; k < (i + 1) * size; ++k) {
      codes[k] = int8_t(roundCode(values[k], inverse, range) * float(group.factor));
      product += double(values[k]) * codes[k];
      square += double(codes[k]) * codes[k];
    }
    groups[i] = group;
  }
  return square > 0 ? float(product / square) : 0;
}

} // namespace weft
