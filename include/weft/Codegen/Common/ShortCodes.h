//===- ShortCodes.h - neighbouring codes of a row ---------------------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A table lies row by row, each row a panel of one column. A sum over a row that data choose, as
// over an expert's, reads neighbours of it: of 4 bits they come out of words, and what their group
// shares is read once.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_SHORTCODES_H
#define WEFT_CODEGEN_COMMON_SHORTCODES_H

#include "weft/Codegen/Common/Lanes.h"

namespace weft {

/// Codes of 4 bits in a word.
inline constexpr int64_t kWordCodes = 8;

/// Whether the lanes at `offset`, which counts the elements of rows of `row` in panels of `columns`
/// of them, are neighbours of one group, in half of a word or in whole ones.
bool areNeighbours(const LaneBuilder &lanes, int64_t columns, int64_t row, int64_t group,
                   const Lanes &offset);

/// The codes (i32) of neighbours from row `k` on, in the words from byte `place` on. Codes whose
/// numbers differ by `depth` share a byte: the lower half has the smaller one.
mlir::Value loadShortCodes(LaneBuilder &lanes, mlir::Value pointer, const Lanes &place,
                           const Lanes &k, int64_t depth);

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_SHORTCODES_H
