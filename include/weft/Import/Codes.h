//===- Codes.h - weights as whole numbers with scales ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A list of reals w becomes codes c with |c| <= limit and one scale s: w ~ c * s. Rounding the
// largest one exactly is not what loses least: a smaller scale cuts some large numbers off and is
// finer for all others. So some scales below the one without loss at the end are tried. Codes that
// are narrow (weft/Support/CodeFormat.h) are cut off in pairs, too.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_CODES_H
#define WEFT_IMPORT_CODES_H

#include "weft/Support/CodeFormat.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <vector>

namespace weft {

/// The largest code of 8 bits.
inline constexpr int kLargestCode = 127;

/// Which codes there are.
struct CodeLimits {
  int largest = kLargestCode;
  bool areNarrow = false; ///< what two neighbours come to is at most 128, too
};

/// The scale with the least squared error; 0 where all values are 0. Values are finite.
float chooseScale(llvm::ArrayRef<float> values, CodeLimits limits = {});

/// The codes nearest to the values, ties to even, with the largest where there is none so large.
void encode(llvm::ArrayRef<float> values, float scale, llvm::MutableArrayRef<int8_t> codes,
            CodeLimits limits = {});

/// What codes of 4 bits, `(u - zero) * factor` with u of 0 to 15, share.
struct CodeGroup {
  uint8_t factor = 0, zero = 0;
};

/// The codes of a row of groups of equal sizes, the groups, and the row's scale, 0 where all values
/// are 0. Factors, zeros (7 or 8 unless `asymmetric`) and the scale are those that lose least of
/// some: a smaller factor cuts off what is large in its group, a smaller scale in all of them.
float encodeShort(llvm::ArrayRef<float> values, bool asymmetric,
                  llvm::MutableArrayRef<int8_t> codes, llvm::MutableArrayRef<CodeGroup> groups);

/// A tensor coded along some of its dimensions.
struct CodedTensor {
  std::vector<int8_t> codes;     ///< in row-major order
  std::vector<float> scales;     ///< of the dimensions that are not among these, in row-major order
  std::vector<int32_t> sums;     ///< the same, of the codes
  std::vector<CodeGroup> groups; ///< of 4 bits: of each row in this order
  bool isFinite = true;          ///< else there are not all rows
};

/// Reads the elements `first`, `first + 1`, ... of a row-major tensor.
using WeightSource = llvm::function_ref<void(int64_t first, llvm::MutableArrayRef<float> out)>;

/// The codes of a tensor of this shape, of which some rows of reals are in memory at a time. Rows
/// are encoded by several threads.
CodedTensor encode(WeightSource source, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<unsigned> along, const CodeFormat &format = {});

/// What they stand for.
std::vector<double> decode(const CodedTensor &coded, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<unsigned> along);

} // namespace weft

#endif // WEFT_IMPORT_CODES_H
