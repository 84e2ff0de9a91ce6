//===- KeptCodes.cpp - codes of a checkpoint in panels --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KeptCodes.h"

#include "weft/Support/Elements.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace weft {

bool isKept(const CodeFormat &format, const StoredWeight &stored) {
  std::optional<StoredCodes> codes = stored ? stored.findCodes() : std::nullopt;
  return codes && codes->table == format.table;
}

/// The codes of a group's rows.
void KeptCodes::packCodes(ArrayRef<float> numbers, int64_t group, uint8_t *bytes) const {
  numbers = numbers.slice(size_t(group * shape.group * shape.nr), size_t(shape.group * shape.nr));
  int64_t step = shape.getDepth();
  for (int64_t row = 0; row != shape.group; ++row) {
    uint8_t *line = bytes + shape.getCodePlace(row, /*column=*/0);
    auto bit = int(shape.getCodeBit(row));
    for (int64_t column = 0; column != shape.nr; ++column)
      line[column * step] |= uint8_t(int(numbers[size_t(row * shape.nr + column)]) << bit);
  }
}

/// What the groups of one column share, or its spans, whose first element is at `place`: from byte
/// `before` of the panel on, every `step` bytes.
bool KeptCodes::packShared(const Shared &shared, const MatrixPlaces &at, int64_t place,
                           int64_t column, MutableArrayRef<uint8_t> panel) const {
  int64_t storedGroup = codes.group * (shared.isOuter ? shape.getSpan() : 1);
  int64_t group = shape.group * (shared.isOuter ? shape.getSpan() : 1);
  int64_t first = place / storedGroup, last = (place + at.k.back()) / storedGroup;
  std::vector<float> values(size_t(last - first + 1));
  stored.readCodes(shared.part, first, values);
  for (int64_t number = 0; number * group < shape.k; ++number) {
    int64_t element = place + at.k[size_t(number * group)];
    int64_t start = shared.isOuter ? number * shape.getSpanBytes() : shape.getPlace(number);
    uint8_t *target = panel.data() + start + shared.before;
    float value = values[size_t(element / storedGroup - first)];
    if (shared.type == ElementType::I8)
      target[column] = uint8_t(int8_t(value));
    else
      storeReal(shared.type, target, column, value);
  }
  return all_of(values, [](float value) { return std::isfinite(value); });
}

SmallVector<KeptCodes::Shared> KeptCodes::listShared() const {
  const CodeTableInfo &info = infoOf(shape.table);
  int64_t scales = shape.getCodeBytes(), outer = shape.getSpan() * shape.getGroupBytes();
  bool hasShifts = info.shift != CodeShift::None;
  SmallVector<Shared> list = {{CodesPart::Scales, info.scale, scales, false}};
  if (hasShifts)
    list.push_back({CodesPart::Shifts, info.shiftType, scales + shape.getScaleBytes(), false});
  if (info.span)
    list.push_back({CodesPart::OuterScales, info.outer, outer, true});
  if (info.span && hasShifts)
    list.push_back({CodesPart::OuterShifts, info.outer, outer + shape.getOuterBytes(), true});
  return list;
}

std::vector<uint8_t> KeptCodes::pack(ArrayRef<float> numbers, const MatrixPlaces &at, int64_t start,
                                     size_t column, bool &isFinite) const {
  std::vector<uint8_t> panel(static_cast<size_t>(shape.getBytes()));
  for (int64_t group = 0; group != shape.getGroups(); ++group)
    packCodes(numbers, group, panel.data() + shape.getPlace(group));
  // E4M3 has a pattern that is no number.
  if (infoOf(shape.table).numbers == CodeTable::Fp8)
    isFinite &= none_of(numbers, [](float code) { return (int(code) & 127) == 127; });
  for (size_t n = column; n != std::min(column + size_t(shape.nr), at.n.size()); ++n) {
    int64_t place = start + at.n[n], inside = int64_t(n - column);
    for (const Shared &shared : listShared())
      isFinite &= packShared(shared, at, place, inside, panel);
  }
  return panel;
}

} // namespace weft
