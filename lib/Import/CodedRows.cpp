//===- CodedRows.cpp - weights as codes, a row at a time ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CodedRows.h"

#include "weft/Import/Codes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace weft {

namespace {

/// Reads the elements of one row after the other.
class RowReader {
public:
  RowReader(const PackedWeight &weight, WeightSource source)
      : runs(findRuns(weight)), source(source) {
    line.resize(runs.empty() ? 0 : runs.back().begin + runs.back().size);
  }

  /// The row whose first element is at `start`.
  ArrayRef<float> read(int64_t start) {
    for (const Run &run : runs)
      source(start + run.place, {&line[run.begin], run.size});
    return line;
  }

private:
  static std::vector<Run> findRuns(const PackedWeight &weight) {
    PackedWeight lines = weight;
    lines.kDims = weight.coded->along;
    lines.nDims.clear();
    lines.nr = lines.kr = 1;
    return MatrixPlaces(lines).kRuns;
  }

  std::vector<Run> runs;
  WeightSource source;
  std::vector<float> line;
};

} // namespace

const CodedRows &CodedRowsCache::get(const PackedWeight &weight, WeightSource source) {
  auto [slot, isNew] = known.try_emplace({weight.source.names.front(), weight.coded->along});
  CodedRows &rows = slot->second;
  if (!isNew)
    return rows;
  RowReader reader(weight, source);
  std::vector<int8_t> codes;
  for (int64_t start : getPlaces(weight.source.shape, keptDims(weight))) {
    ArrayRef<float> line = reader.read(start);
    rows.isFinite &= all_of(line, [](float value) { return std::isfinite(value); });
    float scale = rows.isFinite ? chooseScale(line) : 0;
    codes.resize(line.size());
    encode(line, scale, codes);
    int32_t sum = 0;
    for (int8_t code : codes)
      sum += code;
    rows.scales.push_back(scale);
    rows.sums.push_back(sum);
  }
  return rows;
}

/// The codes of the whole tensor in row-major order: rows lie across each other in general.
static std::vector<int8_t> encodeAll(const PackedWeight &weight, const CodedRows &rows,
                                     WeightSource source) {
  std::vector<int64_t> starts = getPlaces(weight.source.shape, keptDims(weight));
  std::vector<int64_t> inside = getPlaces(weight.source.shape, weight.coded->along);
  std::vector<int8_t> codes(starts.size() * inside.size()), line(inside.size());
  RowReader reader(weight, source);
  for (auto [start, scale] : zip_equal(starts, rows.scales)) {
    encode(reader.read(start), scale, line);
    for (auto [place, code] : zip_equal(inside, line))
      codes[size_t(start + place)] = code;
  }
  return codes;
}

void writeCodes(const PackedWeight &weight, const CodedRows &rows, WeightSource source,
                function_ref<void(ArrayRef<int8_t>)> put) {
  std::vector<int8_t> codes = encodeAll(weight, rows, source);
  if (weight.nr == 0)
    return put(codes);
  MatrixPlaces at(weight);
  size_t nr = size_t(weight.nr), kr = size_t(weight.kr), sizeK = at.k.size(), sizeN = at.n.size();
  std::vector<int8_t> panel(divideCeil(sizeK, kr) * kr * nr);
  for (int64_t matrix : getPlaces(weight.source.shape, weight.batchDims))
    for (size_t first = 0; first < sizeN; first += nr) {
      std::fill(panel.begin(), panel.end(), int8_t(0));
      for (size_t j = 0; j != std::min(nr, sizeN - first); ++j) {
        const int8_t *column = &codes[size_t(matrix + at.n[first + j])];
        for (size_t i = 0; i < sizeK; ++i)
          panel[(i / kr * nr + j) * kr + i % kr] = column[at.k[i]];
      }
      put(panel);
    }
}

} // namespace weft
