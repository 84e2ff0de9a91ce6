//===- CodedColumns.h - a factor of a product that is stored as codes -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The weight of a product, one row of it for each column of the product, as `#weft.layout` with
// panels of one column has it: codes of 4 or 8 bits, and words of four bytes that groups of
// neighbours share.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_CODEDCOLUMNS_H
#define WEFT_LIB_CODEGEN_GPU_CODEDCOLUMNS_H

#include "weft/Codegen/Common/TableCode.h"
#include "weft/Dialect/Weft/IR/Product.h"

namespace weft {

/// Groups of numbers of 4 bits that share a word: a byte each.
inline constexpr int64_t kWordGroups = 4;

/// Codes of rows of k numbers.
class CodedColumns {
public:
  /// Of a buffer with such a layout; nothing where codes are as long as what is multiplied.
  static std::optional<CodedColumns> get(mlir::MemRefType type);

  int64_t getBits() const { return isNumbers() ? 4 : infoOf(table).bits; }
  int64_t getRowBytes() const { return isNumbers() ? numbers.getBytes() : scaled.getBytes(); }
  /// Whether codes are numbers of 4 bits that become whole numbers, not reals of a table.
  bool isNumbers() const { return table == CodeTable::None; }
  CodeTable getTable() const { return table; }

  /// Groups that `depth` neighbours from a multiple of it on belong to.
  int64_t getGroupsOf(int64_t depth) const {
    return group == sizeK || group >= depth ? 1 : depth / group;
  }
  /// Whether steps of `depth` are whole groups or parts of one, and products of `unit` have one.
  bool canStep(int64_t depth, int64_t unit) const;
  /// Bytes of codes that lie side by side, and are aligned so, in steps of `depth`: 16, 8 or 4.
  int64_t getCopyBytes(int64_t depth) const;
  /// Of number k, in bytes of the row.
  Lanes getCodePlace(LaneBuilder &lanes, const Lanes &k) const;

  /// What a group shares: numbers have a byte in a word of four groups; reals a scale, and a shift,
  /// and what these are multiplied with.
  int64_t getNumWords() const;
  Lanes getGroup(LaneBuilder &lanes, const Lanes &k) const;
  Lanes getWordPlace(LaneBuilder &lanes, const Lanes &number, int64_t word) const;
  /// The scale or the shift of a group of reals. `load` reads a word as far as it has that type.
  using LoadWord = llvm::function_ref<mlir::Value(int64_t word, mlir::Type type)>;
  mlir::Value loadShared(LaneBuilder &lanes, bool isShift, LoadWord load) const;

private:
  CodeTable table = CodeTable::None;
  int64_t sizeK = 0, group = 0;
  NibblePanel numbers = {};
  ScaledPanel scaled = {};
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_CODEDCOLUMNS_H
