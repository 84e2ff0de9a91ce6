//===- NibblePacker.cpp - codes of 4 bits in panels -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "NibblePacker.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace weft {

NibblePacker::NibblePacker(const PackedWeight &weight, const CodedTensor &coded)
    : coded(coded), nr(weight.nr), group(weight.nibbles) {
  ArrayRef<int64_t> shape = weight.source.shape;
  SmallVector<unsigned> others = getOtherDims(shape.size(), weight.coded->along);
  for (auto [row, place] : enumerate(getPlaces(shape, others)))
    rows[place] = row;
}

std::vector<uint8_t> NibblePacker::pack(ArrayRef<int8_t> codes, const MatrixPlaces &at,
                                        int64_t start, size_t first) const {
  auto size = int64_t(at.k.size());
  NibblePanel panel{nr, size, group};
  std::vector<uint8_t> bytes(size_t(panel.getBytes()));
  int64_t columns = std::min(nr, int64_t(at.n.size() - first));
  for (int64_t column = 0; column != columns; ++column) {
    size_t row = rows.lookup(start + at.n[first + size_t(column)]);
    ArrayRef<CodeGroup> groups(coded.groups);
    groups = groups.slice(row * size_t(panel.getGroups()), size_t(panel.getGroups()));
    for (auto [i, shared] : enumerate(groups))
      bytes[size_t(panel.getSharedPlace(int64_t(i)) + column)] =
          uint8_t(shared.factor | shared.zero << 4);
    for (int64_t k = 0; k != size; ++k) {
      const CodeGroup &shared = groups[size_t(k / group)];
      int8_t code = codes[size_t((k / 4 * nr + column) * 4 + k % 4)];
      int number = shared.factor ? code / shared.factor + shared.zero : 0;
      int64_t place = (k % group / 8 * nr + column) * 4 + k % 4;
      bytes[size_t(panel.getNumbersPlace(k / group) + place)] |= uint8_t(number << (k / 4 % 2 * 4));
    }
  }
  return bytes;
}

} // namespace weft
