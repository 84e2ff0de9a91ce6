//===- CodeTable.h - codes that stand for reals of a table ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A weight is table[code] * scale, rounded to f32: the code of 4 or 8 bits is its own, the scale is
// shared by a group of neighbours along its row. Products are those of f32: what a code stands for
// is looked up where a factor is read.
//
//   int8    code, -127 to 127
//   fp8     E4M3, the finite numbers of "FP8 Formats for Deep Learning" (Micikevicius et al., 2022)
//   nf4     quantiles of a normal distribution: "QLoRA" (Dettmers et al., 2023), appendix E
//   mxfp4   E2M1 with powers of two as scales: "OCP Microscaling Formats (MX)" 1.0
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_CODETABLE_H
#define WEFT_SUPPORT_CODETABLE_H

#include "weft/Support/ElementType.h"

#include "llvm/Support/MathExtras.h"

namespace weft {

enum class CodeTable { None, Int8, Fp8, NF4, MXFP4 };

/// What is known of a table.
struct CodeTableInfo {
  CodeTable table;
  llvm::StringLiteral name; ///< a word of --store
  int bits;
  int64_t group;       ///< neighbours that share a scale, if nothing is said; 0: all of a row
  ElementType scale;   ///< what scales are stored as
  float largest;       ///< that a code stands for
  const float *values; ///< of 16 codes, where they are no formula
};

/// All but None.
llvm::ArrayRef<CodeTableInfo> codeTables();
const CodeTableInfo &infoOf(CodeTable table);
std::optional<CodeTable> findCodeTable(llvm::StringRef name);

/// What a code stands for.
float decodeCode(CodeTable table, uint8_t code);
/// The nearest code, ties to even of fp8; of a value that is no larger than the largest.
uint8_t encodeReal(CodeTable table, float value);

/// A panel of `nr` columns of `k` rows: of each group of rows the codes, those of 4 bits in byte
/// [row / 2][column], the even row's in its lower half, those of 8 bits in byte [row][column]; then
/// the scale of each column, filled up to whole words.
struct ScaledPanel {
  int64_t nr, k, group;
  CodeTable table;

  /// Rows whose codes share bytes.
  int64_t getRowsOfByte() const { return 8 / infoOf(table).bits; }
  int64_t getGroups() const { return int64_t(llvm::divideCeil(k, group)); }
  /// Bytes of a group: its codes, and with its scales.
  int64_t getCodeBytes() const {
    return int64_t(llvm::alignTo(llvm::divideCeil(group, getRowsOfByte()) * nr, 4));
  }
  int64_t getGroupBytes() const {
    return getCodeBytes() +
           int64_t(llvm::alignTo(nr * int64_t(infoOf(infoOf(table).scale).bytes()), 4));
  }
  int64_t getBytes() const { return getGroups() * getGroupBytes(); }
};

} // namespace weft

#endif // WEFT_SUPPORT_CODETABLE_H
