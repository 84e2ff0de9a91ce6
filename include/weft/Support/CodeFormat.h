//===- CodeFormat.h - whole numbers that stand for weights, and how they are stored ---------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A weight is a code c of -127 to 127 times a scale of its row. One that is stored in 4 bits is
// c = (u - z) * m: the number u of 0 to 15 is its own, the factor m and the zero z, of 0 to 15 too,
// are shared by a group of neighbours along its row. So products are those of whole numbers, with
// nothing to be scaled before the row's end, and need not know of groups: a panel is expanded to
// bytes a block of rows at a time.
//
// Codes of 8 bits are narrow if the elements 2 i and 2 i + 1 of a row come to at most 128 together,
// of either sign: what bytes without a sign times these two add up to fits a word of 16 bits, in
// which processors without dots of four codes add it up (`vpmaddubsw`).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_CODEFORMAT_H
#define WEFT_SUPPORT_CODEFORMAT_H

#include "weft/Support/CodeTable.h"

#include <algorithm>

namespace weft {

/// What the codes of a tensor are.
struct CodeFormat {
  int bits = 8;            ///< 8 or 4
  int64_t group = 0;       ///< neighbours that share factor and zero, or a scale; 0: all of a row
  bool asymmetric = false; ///< of 4 bits: the zero is any; otherwise 7 or 8
  /// Not None: codes stand for reals of a table, and each group has a scale of its own.
  CodeTable table = CodeTable::None;
  bool narrow = false; ///< of 8 bits and no table

  CodeFormat() = default;
  CodeFormat(int bits, int64_t group, bool asymmetric)
      : bits(bits), group(group), asymmetric(asymmetric) {}
  explicit CodeFormat(CodeTable table, int64_t group)
      : bits(infoOf(table).bits), group(group), table(table) {}

  /// The codes of a group where rows have so many.
  int64_t getGroupSize(int64_t row) const { return group == 0 ? row : group; }
  /// Whether such rows are whole groups.
  bool dividesRow(int64_t row) const { return group == 0 || row % group == 0; }
  /// Whether codes are bytes that share nothing but the scale of a row.
  bool isBytes() const {
    return bits == 8 && group == 0 && !asymmetric && table == CodeTable::None;
  }
  bool operator==(const CodeFormat &other) const {
    return bits == other.bits && group == other.group && asymmetric == other.asymmetric &&
           table == other.table && narrow == other.narrow;
  }
};

/// A panel of `nr` columns of `k` codes, in runs of groups that follow one another along k. A run
/// is the bytes of its groups, `[group][column]` with m in the lower half and z in the upper, a
/// line of a cache if the panel has so many; then their numbers u, in byte `[k / 8][column][k %
/// 4]`, those of `k % 8 < 4` in the lower half. So one row of a product reads a panel from end to
/// end.
struct NibblePanel {
  int64_t nr, k, group;

  /// Of the numbers of 8 rows.
  int64_t getRowBytes() const { return 4 * nr; }
  int64_t getGroups() const { return int64_t(llvm::divideCeil(k, group)); }
  int64_t getRunGroups() const {
    constexpr int64_t line = 64;
    return std::clamp<int64_t>(line / nr, 1, int64_t(llvm::alignTo(getGroups(), 4)));
  }
  /// Of the numbers of a group, of the bytes of a run's groups, and of a run.
  int64_t getGroupBytes() const { return int64_t(llvm::divideCeil(group, 8)) * getRowBytes(); }
  int64_t getSharedBytes() const { return int64_t(llvm::alignTo(getRunGroups() * nr, 4)); }
  int64_t getRunBytes() const { return getSharedBytes() + getRunGroups() * getGroupBytes(); }
  /// The last run has no numbers but those of its groups.
  int64_t getBytes() const {
    int64_t runs = int64_t(llvm::divideCeil(getGroups(), getRunGroups()));
    return runs * getSharedBytes() + getGroups() * getGroupBytes();
  }
  /// Where the byte of a group is for column 0, and its first numbers.
  int64_t getSharedPlace(int64_t number) const {
    return number / getRunGroups() * getRunBytes() + number % getRunGroups() * nr;
  }
  int64_t getNumbersPlace(int64_t number) const {
    return number / getRunGroups() * getRunBytes() + getSharedBytes() +
           number % getRunGroups() * getGroupBytes();
  }
};

} // namespace weft

#endif // WEFT_SUPPORT_CODEFORMAT_H
