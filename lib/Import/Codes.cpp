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

/// Calls `visit` with the number of each row and the place of its first element.
static void forEachRow(ArrayRef<int64_t> shape, ArrayRef<unsigned> along,
                       function_ref<void(size_t row, int64_t start)> visit) {
  for (auto [row, start] : enumerate(getPlaces(shape, getOtherDims(shape.size(), along))))
    visit(row, start);
}

CodedTensor encode(WeightSource source, ArrayRef<int64_t> shape, ArrayRef<unsigned> along,
                   const CodeFormat &format) {
  std::vector<int64_t> inside = getPlaces(shape, along);
  std::vector<Run> runs = findRuns(inside, 0, inside.size());
  std::vector<float> line(inside.size());
  std::vector<int8_t> codes(inside.size());
  size_t group = format.group ? size_t(format.group) : inside.size();
  std::vector<CodeGroup> groups(format.bits == 4 ? inside.size() / group : 0);
  CodedTensor result;
  result.codes.resize(size_t(*elementCount(shape)));
  forEachRow(shape, along, [&](size_t, int64_t start) {
    for (const Run &run : runs)
      source(start + run.place, {&line[run.begin], run.size});
    result.isFinite &= all_of(line, [](float value) { return std::isfinite(value); });
    if (!result.isFinite)
      return;
    float scale =
        groups.empty() ? chooseScale(line) : encodeShort(line, format.asymmetric, codes, groups);
    if (groups.empty())
      encode(line, scale, codes);
    append_range(result.groups, groups);
    int32_t sum = 0;
    for (auto [place, code] : zip_equal(inside, codes)) {
      result.codes[size_t(start + place)] = code;
      sum += code;
    }
    result.scales.push_back(scale);
    result.sums.push_back(sum);
  });
  return result;
}

std::vector<double> decode(const CodedTensor &coded, ArrayRef<int64_t> shape,
                           ArrayRef<unsigned> along) {
  std::vector<int64_t> inside = getPlaces(shape, along);
  std::vector<double> values(coded.codes.size());
  forEachRow(shape, along, [&](size_t row, int64_t start) {
    for (int64_t place : inside)
      values[size_t(start + place)] =
          double(coded.codes[size_t(start + place)]) * coded.scales[row];
  });
  return values;
}

} // namespace weft
