//===- ScaledCodes.cpp - weights as codes of a table with scales ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Import/ScaledCodes.h"

#include "MatrixPlaces.h"
#include "weft/Support/Elements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Parallel.h"

#include <cmath>
#include <cstring>
#include <optional>

using namespace llvm;

namespace weft {

/// Scales that are tried, each by this much of the first smaller than the last.
static constexpr int kTries = 10;
static constexpr float kStep = 0.02f;

/// The scales to be tried for values of which this is the largest magnitude.
static SmallVector<float, kTries> getScales(CodeTable table, float largest) {
  float whole = largest / infoOf(table).largest;
  if (!(whole > 0) || !std::isfinite(1 / whole))
    return {};
  if (table == CodeTable::Fp8)
    return {whole};
  if (table == CodeTable::MXFP4) {
    float power = std::ldexp(1.0f, std::ilogb(whole));
    SmallVector<float, kTries> powers{power};
    // All codes are finite numbers.
    if (std::isfinite(2 * power * infoOf(table).largest))
      powers.push_back(2 * power);
    return powers;
  }
  SmallVector<float, kTries> scales;
  for (int i = 0; i != kTries; ++i)
    scales.push_back(whole * (1 - kStep * float(i)));
  return scales;
}

namespace {
/// Encodes groups of so many values.
class GroupEncoder {
public:
  GroupEncoder(CodeTable table, size_t size)
      : table(table), info(infoOf(table)), scaled(size), tried(size) {
    if (info.bits == 4)
      nearest.emplace(ArrayRef(info.values, 16));
  }

  /// Returns the scale that loses least, or 0 if all are codes of 0.
  float encode(ArrayRef<float> values, MutableArrayRef<uint8_t> codes);

private:
  double tryScale(ArrayRef<float> values, float scale);

  CodeTable table;
  const CodeTableInfo &info;
  std::optional<NearestNumbers> nearest;
  std::vector<float> scaled;
  std::vector<uint8_t> tried;
};
} // namespace

/// Encodes by a scale; returns what is lost.
double GroupEncoder::tryScale(ArrayRef<float> values, float scale) {
  for (auto [value, own] : zip_equal(values, scaled))
    own = std::clamp(value / scale, -info.largest, info.largest);
  if (nearest)
    nearest->encode(scaled, tried);
  else
    for (auto [value, code] : zip_equal(scaled, tried))
      code = encodeReal(table, value);
  double lost = 0;
  for (auto [value, code] : zip_equal(values, tried)) {
    double error = double(nearest ? info.values[code] : decodeCode(table, code)) * scale - value;
    lost += error * error;
  }
  return lost;
}

float GroupEncoder::encode(ArrayRef<float> values, MutableArrayRef<uint8_t> codes) {
  float largest = 0;
  for (float value : values)
    largest = std::max(largest, std::fabs(value));
  float best = 0;
  double least = INFINITY;
  for (float scale : getScales(table, largest))
    if (double lost = tryScale(values, scale); lost < least) {
      llvm::copy(tried, codes.begin());
      least = lost;
      best = scale;
    }
  if (best == 0)
    llvm::fill(codes, encodeReal(table, 0));
  return best;
}

float encodeGroup(ArrayRef<float> values, CodeTable table, MutableArrayRef<uint8_t> codes) {
  return GroupEncoder(table, values.size()).encode(values, codes);
}

/// The codes and scales of one column of a panel.
static void packColumn(ArrayRef<float> panel, const ScaledPanel &shape, int64_t column,
                       uint8_t *bytes) {
  std::vector<float> values(size_t(shape.group));
  std::vector<uint8_t> codes(values.size());
  const CodeTableInfo &info = infoOf(shape.table);
  GroupEncoder encoder(shape.table, values.size());
  for (int64_t number = 0; number != shape.getGroups(); ++number) {
    for (auto [i, value] : enumerate(values))
      value = panel[size_t((number * shape.group + int64_t(i)) * shape.nr + column)];
    float scale = encoder.encode(values, codes);
    uint8_t *group = bytes + number * shape.getGroupBytes();
    for (auto [i, code] : enumerate(codes)) {
      auto row = int64_t(i);
      uint8_t own = info.bits == 4 ? code & 15 : code;
      group[shape.getCodePlace(row, column)] |= uint8_t(own << shape.getCodeBit(row));
    }
    storeReal(info.scale, group + shape.getCodeBytes(), column, scale);
  }
}

std::vector<uint8_t> packScaledPanel(ArrayRef<float> panel, const ScaledPanel &shape) {
  std::vector<uint8_t> bytes(size_t(shape.getBytes()));
  parallelFor(0, size_t(shape.nr),
              [&](size_t column) { packColumn(panel, shape, int64_t(column), bytes.data()); });
  return bytes;
}

std::vector<float> restoreScaled(ArrayRef<float> values, ArrayRef<int64_t> shape,
                                 ArrayRef<unsigned> along, const CodeFormat &format) {
  std::vector<int64_t> inside = getPlaces(shape, along);
  auto group = size_t(format.getGroupSize(int64_t(inside.size())));
  std::vector<float> restored(values.size()), read(group);
  std::vector<uint8_t> codes(group);
  GroupEncoder encoder(format.table, group);
  for (int64_t start : getPlaces(shape, getOtherDims(shape.size(), along)))
    for (size_t first = 0; first + group <= inside.size(); first += group) {
      for (size_t i = 0; i != group; ++i)
        read[i] = values[size_t(start + inside[first + i])];
      float scale = encoder.encode(read, codes);
      for (size_t i = 0; i != group; ++i)
        restored[size_t(start + inside[first + i])] = decodeCode(format.table, codes[i]) * scale;
    }
  return restored;
}

} // namespace weft
