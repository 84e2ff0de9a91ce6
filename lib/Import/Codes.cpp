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

float chooseScale(ArrayRef<float> values, int limit) {
  float largest = 0;
  for (float value : values)
    largest = std::max(largest, std::fabs(value));
  float whole = largest / float(limit);
  if (!(whole > 0) || !std::isfinite(1 / whole))
    return 0;
  CodeRange range{-float(limit), float(limit)};
  float best = whole;
  double least = squaredError(values, whole, range);
  for (int i = 1; i != kTries; ++i) {
    float scale = whole * (1 - kStep * float(i));
    if (double error = squaredError(values, scale, range); error < least) {
      least = error;
      best = scale;
    }
  }
  return best;
}

void encode(ArrayRef<float> values, float scale, MutableArrayRef<int8_t> codes, int limit) {
  float inverse = scale > 0 ? 1 / scale : 0;
  CodeRange range{-float(limit), float(limit)};
  for (size_t i = 0; i < values.size(); ++i)
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
    result.scales[number] = chooseScale(row);
    encode(row, result.scales[number], codes);
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
