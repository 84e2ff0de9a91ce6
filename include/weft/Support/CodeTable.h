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

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

#include <array>
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

/// Numbers of a table that are whole, or halves of whole ones: `unit` times integers of 8 bits. Of
/// codes of 8 bits these are the codes.
struct WholeNumbers {
  float unit = 1;
  std::array<int8_t, 16> values = {};
};
/// None where they are anything else, or where what is added to halves had to be doubled, too.
std::optional<WholeNumbers> findWholeNumbers(CodeTable table);

/// What a code stands for.
float decodeCode(CodeTable table, uint8_t code);
/// The nearest code, ties to even of fp8; of a value that is no larger than the largest.
uint8_t encodeReal(CodeTable table, float value);

/// Which of the 16 numbers of a table is the nearest.
class NearestNumbers {
public:
  explicit NearestNumbers(llvm::ArrayRef<float> numbers);
  /// The codes of values; of two that are as near the lower one.
  void encode(llvm::ArrayRef<float> values, llvm::MutableArrayRef<uint8_t> codes) const;

private:
  std::array<uint8_t, 16> codes; ///< of the different numbers, in ascending order
  std::array<float, 15> ends;    ///< the largest values for which each but the last is the nearest
};

/// A panel of `nr` columns of `k` rows: of each group of rows the codes, in lines of so many rows
/// as fill a byte, or a word of 4 bytes, of each column; then the scale of each column, and its
/// shift if there are any, filled up to whole words each. Behind the groups of a span is the factor
/// of their scales, and that of their shifts.
struct ScaledPanel {
  int64_t nr, k, group;
  CodeTable table;

  /// Rows whose bytes of one column lie side by side: four, which units multiply at once and
  /// shifts take apart; one in panels of single columns and of E4M3, whose numbers are no integers.
  int64_t getDepth() const;
  /// Rows whose codes share bytes, and rows of a line.
  int64_t getRowsOfByte() const;
  int64_t getLineRows() const { return getDepth() * getRowsOfByte(); }
  int64_t getLineBytes() const { return getDepth() * nr; }
  /// Where in its group the byte of a code is, and where in the byte its lowest bit.
  int64_t getCodePlace(int64_t row, int64_t column) const {
    return row / getLineRows() * getLineBytes() + column * getDepth() + row % getDepth();
  }
  int64_t getCodeBit(int64_t row) const { return row / getDepth() % getRowsOfByte() * 4; }
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
  /// Whether groups are whole lines, however many columns panels have: so a weight can be stored
  /// for any processor.
  bool hasWholeLines() const;
  /// Whether rows are whole spans of such groups.
  bool isWhole() const { return hasWholeLines() && k % group == 0 && getGroups() % getSpan() == 0; }
};

} // namespace weft

#endif // WEFT_SUPPORT_CODETABLE_H
