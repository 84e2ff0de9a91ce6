//===- Codes.cpp - weights as whole numbers with scales -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Import/Codes.h"

#include "MatrixPlaces.h"
#include "RoundCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Parallel.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace weft {

/// Scales that are tried: the largest one, and each by this much of it smaller than the last.
static constexpr int kTries = 20;
static constexpr float kStep = 0.02f;

/// The least scale with which nothing is cut off.
static float getWholeScale(ArrayRef<float> values, CodeLimits limits) {
  float largest = 0, both = 0;
  for (float value : values)
    largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; limits.areNarrow && i + 1 < values.size(); i += 2)
    both = std::max(both, std::fabs(values[i] / kNarrowSum + values[i + 1] / kNarrowSum));
  return std::max(largest / float(limits.largest), both);
}

float chooseScale(ArrayRef<float> values, CodeLimits limits) {
  float whole = getWholeScale(values, limits);
  if (!(whole > 0) || !std::isfinite(1 / whole))
    return 0;
  CodeRange range{-float(limits.largest), float(limits.largest)};
  std::vector<float> firsts, seconds;
  for (size_t i = 0; limits.areNarrow && i < values.size(); i += 2) {
    firsts.push_back(values[i]);
    seconds.push_back(i + 1 < values.size() ? values[i + 1] : 0);
  }
  auto getError = [&](float scale) {
    return limits.areNarrow ? squaredError(firsts, seconds, scale, range)
                            : squaredError(values, scale, range);
  };
  float best = whole;
  double least = getError(whole);
  for (int i = 1; i != kTries; ++i) {
    float scale = whole * (1 - kStep * float(i));
    if (double error = getError(scale); error < least) {
      least = error;
      best = scale;
    }
  }
  return best;
}

void encode(ArrayRef<float> values, float scale, MutableArrayRef<int8_t> codes, CodeLimits limits) {
  float inverse = scale > 0 ? 1 / scale : 0;
  CodeRange range{-float(limits.largest), float(limits.largest)};
  size_t i = 0;
  for (; limits.areNarrow && i + 1 < values.size(); i += 2) {
    auto [first, second] = roundNeighbours(values[i], values[i + 1], inverse, range);
    codes[i] = int8_t(first);
    codes[i + 1] = int8_t(second);
  }
  for (; i < values.size(); ++i)
    codes[i] = int8_t(roundCode(values[i], inverse, range));
}

/// Elements of the rows that are read before they are encoded, by several threads.
static constexpr size_t kBlock = 1 << 18;

/// The codes of one row into their places.
static void encodeRow(ArrayRef<float> row, ArrayRef<int64_t> places, size_t number,
                      const CodeFormat &format, CodedTensor &result, int8_t *target) {
  std::vector<int8_t> codes(row.size());
  if (format.bits == 4) {
    size_t count = result.groups.size() / result.scales.size();
    MutableArrayRef<CodeGroup> groups(result.groups);
    result.scales[number] =
        encodeShort(row, format.asymmetric, codes, groups.slice(number * count, count));
  } else {
    CodeLimits limits{kLargestCode, format.narrow};
    result.scales[number] = chooseScale(row, limits);
    encode(row, result.scales[number], codes, limits);
  }
  int32_t sum = 0;
  for (auto [place, code] : zip_equal(places, codes)) {
    target[place] = code;
    sum += code;
  }
  result.sums[number] = sum;
}

CodedTensor encode(WeightSource source, ArrayRef<int64_t> shape, ArrayRef<unsigned> along,
                   const CodeFormat &format) {
  std::vector<int64_t> inside = getPlaces(shape, along);
  std::vector<int64_t> rows = getPlaces(shape, getOtherDims(shape.size(), along));
  std::vector<Run> runs = findRuns(inside, 0, inside.size());
  size_t size = inside.size(), block = std::max<size_t>(1, kBlock / std::max<size_t>(1, size));
  CodedTensor result;
  result.codes.resize(size_t(*elementCount(shape)));
  result.scales.resize(rows.size());
  result.sums.resize(rows.size());
  if (format.bits == 4 && size != 0)
    result.groups.resize(rows.size() * (size / size_t(format.getGroupSize(int64_t(size)))));
  std::vector<float> lines(block * size);
  for (size_t first = 0; first < rows.size(); first += block) {
    size_t count = std::min(block, rows.size() - first);
    for (size_t i = 0; i < count; ++i)
      for (const Run &run : runs)
        source(rows[first + i] + run.place, {&lines[i * size + run.begin], run.size});
    MutableArrayRef<float> read(lines.data(), count * size);
    result.isFinite &= all_of(read, [](float value) { return std::isfinite(value); });
    if (!result.isFinite)
      return result;
    parallelFor(0, count, [&](size_t i) {
      encodeRow(read.slice(i * size, size), inside, first + i, format, result,
                &result.codes[size_t(rows[first + i])]);
    });
  }
  return result;
}

std::vector<double> decode(const CodedTensor &coded, ArrayRef<int64_t> shape,
                           ArrayRef<unsigned> along) {
  std::vector<int64_t> inside = getPlaces(shape, along);
  std::vector<double> values(coded.codes.size());
  for (auto [row, start] : enumerate(getPlaces(shape, getOtherDims(shape.size(), along))))
    for (int64_t place : inside)
      values[size_t(start + place)] =
          double(coded.codes[size_t(start + place)]) * coded.scales[row];
  return values;
}

} // namespace weft
