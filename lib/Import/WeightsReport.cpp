//===- WeightsReport.cpp - what the weights of a model are stored as ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Import/WeightsReport.h"

#include "KeptCodes.h"

#include "weft/Import/Codes.h"
#include "weft/Import/ScaledCodes.h"
#include "weft/Support/Format.h"
#include "weft/Support/Precision.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace llvm;

namespace weft {

/// What the file's reals are, for those of the checkpoint.
static std::vector<double> restore(const PackedWeight &weight, const StoredWeight &stored,
                                   ArrayRef<float> values) {
  if (weight.coded && isKept(weight.coded->format, stored))
    return {values.begin(), values.end()};
  if (weight.coded && weight.coded->part == WeightCoding::Reals) {
    const auto &[part, along, format] = *weight.coded;
    std::vector<float> restored = restoreScaled(values, weight.source.shape, along, format);
    return {restored.begin(), restored.end()};
  }
  if (weight.coded) {
    auto read = [&](int64_t first, MutableArrayRef<float> out) { stored.readReals(first, out); };
    ArrayRef<int64_t> shape = weight.source.shape;
    const auto &[part, along, format] = *weight.coded;
    return decode(encode(read, shape, along, format), shape, along);
  }
  std::vector<double> restored(values.begin(), values.end());
  for (double &value : restored)
    value = roundReal(weight.source.type, value);
  return restored;
}

static StoredWeight findStored(const PackedWeight &weight, const Checkpoint *checkpoint) {
  StoredWeight stored;
  for (const std::string &name : weight.source.names)
    if (!stored && checkpoint)
      stored = checkpoint->findWeight(name);
  return stored;
}

/// "Q4_K, 4.5 bits" of blocks; empty of plain numbers.
static std::string formatOf(const StoredWeight &stored) {
  if (!stored || stored.parts.front()->format.empty())
    return "";
  const StoredTensor &tensor = *stored.parts.front();
  double bits = 8.0 * double(tensor.storedBytes()) / double(std::max<int64_t>(tensor.numbers(), 1));
  return fmt::format("{}, {:.4g} bits", tensor.format, bits);
}

/// Fills `error` and `notFinite`.
static void measure(const PackedWeight &weight, const StoredWeight &stored, WeightReport &report) {
  if (!infoOf(weight.source.type).isReal())
    return;
  if (!stored || stored.count() != *elementCount(weight.source.shape))
    return;
  std::vector<float> values(size_t(stored.count()));
  stored.readReals(0, values);
  double lost = 0, all = 0;
  for (auto [value, other] : zip_equal(values, restore(weight, stored, values))) {
    bool isSame = other == value || (std::isnan(value) && std::isnan(other));
    double error = value - other;
    if (!isSame)
      lost += std::isfinite(error) ? error * error : INFINITY;
    if (std::isfinite(value))
      all += double(value) * value;
    else
      ++report.notFinite;
  }
  report.error = lost > 0 ? std::sqrt(lost / all) : 0;
}

static std::string typeOf(const PackedWeight &weight) {
  if (weight.coded && weight.coded->format.table != CodeTable::None)
    return infoOf(weight.coded->format.table).name.str();
  if (weight.coded)
    return weight.coded->format.bits == 4 ? "int4" : precisionName(ElementType::I8).str();
  ElementType type = weight.source.type;
  return infoOf(type).isReal() ? precisionName(type).str() : infoOf(type).name.str();
}

std::vector<WeightReport> reportWeights(const WeightsFile &file, const Checkpoint *checkpoint) {
  std::vector<WeightReport> reports;
  StringMap<size_t> known;
  for (const PackedWeight &weight : file.weights) {
    auto [slot, isNew] = known.try_emplace(weight.source.names.front(), reports.size());
    if (isNew) {
      WeightReport &report = reports.emplace_back();
      report.name = weight.source.names.front();
      report.shape = weight.source.shape;
      report.type = typeOf(weight);
      report.elements = *elementCount(weight.source.shape);
      StoredWeight stored = findStored(weight, checkpoint);
      measure(weight, stored, report);
      report.format = formatOf(stored);
    }
    reports[slot->second].bytes += weight.bytes();
  }
  return reports;
}

void printWeights(ArrayRef<WeightReport> weights, raw_ostream &os) {
  uint64_t bytes = 0;
  int64_t elements = 0;
  os << "weights:\n         bytes  bits  error    type  name\n";
  for (const WeightReport &weight : weights) {
    bytes += weight.bytes;
    elements += weight.elements;
    std::string error = weight.error ? fmt::format("{:.1e}", *weight.error) : "-";
    std::string shape = shapeString(weight.shape);
    double bits = weight.bitsPerWeight();
    std::string from = weight.format.empty() ? "" : " of " + weight.format;
    std::string bad = weight.notFinite ? fmt::format(", {} not finite", weight.notFinite) : "";
    print(os, "  {:>12}  {:>4.1f}  {:>7}  {:<4}  {} {}{}{}\n", weight.bytes, bits, error,
          weight.type, weight.name, shape, from, bad);
  }
  if (elements)
    print(os, "  {:>12}  {:>4.1f}  all\n", bytes, 8.0 * double(bytes) / double(elements));
}

} // namespace weft
