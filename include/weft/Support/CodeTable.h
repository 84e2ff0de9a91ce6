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
// Codes of a checkpoint are named by what they are made of. The numbers of 16 codes are one of
// these names, "int4" (-8 to 7), "uint4" (0 to 15) or a list of them; what groups share has a
// type.
//
//   int4*f16           table[code] * scale
//   (uint4+f16)*f32    (table[code] + zero) * scale
//   uint4*f32+f32      table[code] * scale + offset
//   [0 1 4]*f32        numbers that are not listed are 0
//   int8*i8 of f16/16  scales, and shifts, of 8 bits are multiplied by one f16 for 16 groups
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_CODETABLE_H
#define WEFT_SUPPORT_CODETABLE_H

#include "weft/Support/ElementType.h"

#include "llvm/Support/MathExtras.h"

#include <string>

namespace weft {

/// One of these, or the number of a table that was found by its own name.
enum class CodeTable { None, Int8, Fp8, NF4, MXFP4 };

/// What the members of a group share beside the scale: nothing, what is added to a number before it
/// is multiplied by the scale, or after that.
enum class CodeShift { None, Zero, Offset };

/// What is known of a table.
struct CodeTableInfo {
  CodeTable table;
  llvm::StringRef name; ///< a word of --store, or what the table is made of
  int bits;
  int64_t group;       ///< neighbours that share a scale, if nothing is said; 0: all of a row
  ElementType scale;   ///< what scales are stored as
  float largest;       ///< that a code stands for
  const float *values; ///< of 16 codes, where they are no formula
  /// What kind of numbers the codes are: the table itself, or Int8 or Fp8.
  CodeTable numbers;
  CodeShift shift = CodeShift::None;
  ElementType shiftType = ElementType::F32;
  /// Groups that share a factor of their scales, and one of their shifts; 0: there are none.
  int64_t span = 0;
  ElementType outer = ElementType::F32;
};

/// What the members of a group share.
struct SharedTypes {
  ElementType scale = ElementType::F32;
  CodeShift shift = CodeShift::None;
  ElementType shiftType = ElementType::F32;
  int64_t span = 0;
  ElementType outer = ElementType::F32;
};

/// Those that are words of --store, and Int8.
llvm::ArrayRef<CodeTableInfo> codeTables();
const CodeTableInfo &infoOf(CodeTable table);
/// The table of this name. There are as many as there are names, and all stay.
std::optional<CodeTable> findCodeTable(llvm::StringRef name);
/// The name of codes that stand for these numbers, at most 16, or of those of 8 bits.
std::string nameCodeTable(llvm::ArrayRef<float> values, const SharedTypes &shared);
std::string nameCodeTable(CodeTable numbers, const SharedTypes &shared);

/// What a code stands for.
float decodeCode(CodeTable table, uint8_t code);
/// The nearest code, ties to even of fp8; of a value that is no larger than the largest.
uint8_t encodeReal(CodeTable table, float value);

/// A panel of `nr` columns of `k` rows: of each group of rows the codes, those of 4 bits in byte
/// [row / 2][column], the even row's in its lower half, those of 8 bits in byte [row][column]; then
/// the scale of each column, and its shift if there are any, filled up to whole words each. Behind
/// the groups of a span is the factor of their scales, and that of their shifts.
struct ScaledPanel {
  int64_t nr, k, group;
  CodeTable table;

  /// Rows whose codes share bytes.
  int64_t getRowsOfByte() const;
  int64_t getGroups() const { return int64_t(llvm::divideCeil(k, group)); }
  /// Bytes of a group: its codes, its scales, its shifts, and all of them.
  int64_t getCodeBytes() const;
  int64_t getScaleBytes() const;
  int64_t getShiftBytes() const;
  int64_t getGroupBytes() const { return getCodeBytes() + getScaleBytes() + getShiftBytes(); }
  /// Groups of a span, all if there are no factors; bytes of the scales' factors, and of a span.
  int64_t getSpan() const;
  int64_t getOuterBytes() const;
  int64_t getSpanBytes() const;
  int64_t getBytes() const;
  /// Where a group begins.
  int64_t getPlace(int64_t number) const {
    return number / getSpan() * getSpanBytes() + number % getSpan() * getGroupBytes();
  }
  /// Whether rows are whole spans.
  bool isWhole() const { return k % group == 0 && getGroups() % getSpan() == 0; }
};

} // namespace weft

#endif // WEFT_SUPPORT_CODETABLE_H
