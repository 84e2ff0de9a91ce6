//===- Packer.cpp - weights as they lie in the weights file ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A Source gives the reals of a view in row-major order, any range at a time. Packing a panel reads
// the source in runs: the last dimension of the view belongs either to K or to N, and along it the
// source is contiguous.
//
//===----------------------------------------------------------------------------------------===//

#include "Packer.h"

#include "KeptCodes.h"
#include "MatrixPlaces.h"
#include "NibblePacker.h"
#include "weft/Import/ScaledCodes.h"
#include "weft/Runtime/weft_model_info.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace weft {

Error refuseInfinite(const PackedWeight &weight, StringRef path) {
  return createStringError(path + ": error: tensor '" + weight.source.names.front() +
                           "' has an element that is not finite, which cannot be a code");
}

void Packer::header(const WeightsFile &file) {
  weft_weights_header header = {};
  std::memcpy(header.magic, WEFT_WEIGHTS_MAGIC, sizeof(header.magic));
  header.fingerprint = file.fingerprint;
  header.total_bytes = file.totalBytes();
  put(ArrayRef(header));
}

void Packer::seek(uint64_t offset) {
  assert(offset >= position && "weights overlap or are out of order");
  os.write_zeros(unsigned(offset - position));
  position = offset;
}

void Packer::putReals(ElementType type, ArrayRef<float> values) {
  if (type == ElementType::F32)
    return put(values);
  std::vector<uint8_t> bytes(values.size() * infoOf(type).bytes());
  convertFromFloat(type, values, bytes.data());
  put(ArrayRef<uint8_t>(bytes));
}

void Packer::putIntegers(ElementType type, ArrayRef<int32_t> values) {
  if (type == ElementType::I32)
    return put(values);
  std::vector<uint8_t> bytes(values.size() * infoOf(type).bytes());
  for (auto [i, value] : enumerate(values))
    storeInt(type, bytes.data(), int64_t(i), value);
  put(ArrayRef<uint8_t>(bytes));
}

void Packer::rowMajor(ElementType type, int64_t count, WeightSource source) {
  std::vector<float> buffer(std::min<int64_t>(count, 1 << 16));
  for (int64_t first = 0; first < count; first += int64_t(buffer.size())) {
    MutableArrayRef<float> part(buffer);
    part = part.take_front(size_t(std::min<int64_t>(count - first, int64_t(buffer.size()))));
    source(first, part);
    putReals(type, part);
  }
}

/// Calls `write` for all panels of the matrix whose first element is at `start`; `read` gives the
/// elements `first`, `first + 1`, ... of the view. `write` is told the panel's first column.
template <typename T>
static void writePanels(const PackedWeight &weight, const MatrixPlaces &at, int64_t start,
                        function_ref<void(int64_t first, MutableArrayRef<T> out)> read,
                        function_ref<void(ArrayRef<T>, size_t column)> write) {
  size_t nr = size_t(weight.nr), kr = size_t(weight.kr), sizeK = at.k.size(), sizeN = at.n.size();
  std::vector<T> panel(divideCeil(sizeK, kr) * kr * nr), column(sizeK);
  for (size_t first = 0; first < sizeN; first += nr) {
    size_t last = std::min(first + nr, sizeN);
    if (last - first < nr)
      std::fill(panel.begin(), panel.end(), T(0));
    if (at.byColumns) {
      for (size_t j = first; j < last; ++j) {
        for (const Run &run : at.kRuns)
          read(start + at.n[j] + run.place, {&column[run.begin], run.size});
        for (size_t i = 0; i < sizeK; ++i)
          panel[(i / kr * nr + (j - first)) * kr + i % kr] = column[i];
      }
    } else {
      const std::vector<Run> &nRuns = at.nRuns[first / nr];
      for (size_t i = 0; i < sizeK; ++i)
        for (const Run &run : nRuns)
          read(start + at.k[i] + run.place, {&panel[i * nr + (run.begin - first)], run.size});
    }
    write(panel, first);
  }
}

void Packer::reals(const PackedWeight &weight, WeightSource source) {
  int64_t count = *elementCount(weight.source.shape);
  if (count == 0)
    return;
  if (weight.nr == 0)
    return rowMajor(weight.source.type, count, source);
  MatrixPlaces at(weight);
  for (int64_t start : getPlaces(weight.source.shape, weight.batchDims))
    writePanels<float>(weight, at, start, source,
                       [&](ArrayRef<float> panel, size_t) { putReals(weight.source.type, panel); });
}

/// Returns whether all elements are finite; panels are written up to one that is not.
bool Packer::scaled(const PackedWeight &weight, WeightSource source) {
  MatrixPlaces at(weight);
  ScaledPanel shape = getScaledPanel(weight);
  bool isFinite = true;
  for (int64_t start : getPlaces(weight.source.shape, weight.batchDims))
    writePanels<float>(weight, at, start, source, [&](ArrayRef<float> panel, size_t) {
      isFinite &= all_of(panel, [](float value) { return std::isfinite(value); });
      if (isFinite)
        put(ArrayRef(packScaledPanel(panel, shape)));
    });
  return isFinite;
}

/// The same of codes that the checkpoint has.
bool Packer::kept(const PackedWeight &weight, const StoredWeight &stored) {
  MatrixPlaces at(weight);
  ScaledPanel shape = getScaledPanel(weight);
  KeptCodes codes(stored, shape);
  auto read = [&](int64_t first, MutableArrayRef<float> out) {
    stored.readCodes(CodesPart::Codes, first, out);
  };
  bool isFinite = true;
  for (int64_t start : getPlaces(weight.source.shape, weight.batchDims))
    writePanels<float>(weight, at, start, read, [&](ArrayRef<float> panel, size_t column) {
      std::vector<uint8_t> bytes = codes.pack(panel, at, start, column, isFinite);
      if (isFinite)
        put(ArrayRef(bytes));
    });
  return isFinite;
}

const CodedTensor &Packer::encoded(const PackedWeight &weight, WeightSource source) {
  std::tuple key(weight.source.names.front(), weight.coded->along, weight.coded->format);
  if (key != lastKey)
    lastCoded = encode(source, weight.source.shape, weight.coded->along, weight.coded->format);
  lastKey = std::move(key);
  return lastCoded;
}

void Packer::codePanels(const PackedWeight &weight, const CodedTensor &coded) {
  auto read = [&](int64_t first, MutableArrayRef<int8_t> out) {
    std::copy_n(coded.codes.begin() + first, out.size(), out.begin());
  };
  MatrixPlaces at(weight);
  std::optional<NibblePacker> nibbles;
  if (weight.nibbles)
    nibbles.emplace(weight, coded);
  for (int64_t start : getPlaces(weight.source.shape, weight.batchDims))
    writePanels<int8_t>(weight, at, start, read, [&](ArrayRef<int8_t> panel, size_t column) {
      if (nibbles)
        put(ArrayRef(nibbles->pack(panel, at, start, column)));
      else
        put(panel);
    });
}

Error Packer::coded(const PackedWeight &weight, WeightSource source, StringRef path) {
  // What groups share beside their scales is not searched for.
  const CodeTableInfo *table = isScaled(weight) ? &infoOf(weight.coded->format.table) : nullptr;
  if (table && (table->span || table->shift != CodeShift::None))
    return createStringError(path + ": error: tensor '" + weight.source.names.front() +
                             "' is to be stored as '" + table->name +
                             "', but the checkpoint has no such codes of it");
  if (isScaled(weight))
    return scaled(weight, source) ? Error::success() : refuseInfinite(weight, path);
  const CodedTensor &coded = encoded(weight, source);
  if (!coded.isFinite)
    return refuseInfinite(weight, path);
  switch (weight.coded->part) {
  case WeightCoding::Scales:
    return put(ArrayRef(coded.scales)), Error::success();
  case WeightCoding::Sums:
    return put(ArrayRef(coded.sums)), Error::success();
  case WeightCoding::Codes:
    if (weight.nr == 0)
      return put(ArrayRef(coded.codes)), Error::success();
    codePanels(weight, coded);
    return Error::success();
  case WeightCoding::Reals:
    break;
  }
  llvm_unreachable("all parts are written");
}

Error Packer::integers(const PackedWeight &weight, const StoredWeight &stored, StringRef path) {
  assert(weight.nr == 0 && "integers are stored row-major");
  std::vector<int32_t> values(size_t(stored.count()));
  if (const StoredTensor *bad = stored.readIntegers(values))
    return createStringError(path + ": error: tensor '" + bad->name +
                             "' has an integer beyond 32 bits");
  ElementType type = weight.source.type;
  auto bad = find_if(values, [&](int32_t value) { return wrapInt(type, value) != value; });
  if (bad != values.end())
    return createStringError(path + ": error: tensor '" + stored.parts.front()->name +
                             "' has the integer " + Twine(*bad) + ", which " + infoOf(type).name +
                             " does not hold");
  putIntegers(type, values);
  return Error::success();
}

void Packer::fill(const PackedWeight &weight) {
  ElementType type = weight.source.type;
  if (!infoOf(type).isReal())
    return putIntegers(
        type, std::vector<int32_t>(weight.bytes() / infoOf(type).bytes(), int32_t(*weight.fill)));
  reals(weight, [&](int64_t, MutableArrayRef<float> out) {
    std::fill(out.begin(), out.end(), float(*weight.fill));
  });
}

} // namespace weft
