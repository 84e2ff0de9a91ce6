//===- ExpandParts.h - f32 as sums of numbers of bf16 ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_EXPANDPARTS_H
#define WEFT_LIB_CODEGEN_CPU_EXPANDPARTS_H

#include "weft/Codegen/Common/Lanes.h"

namespace weft {

/// A panel of f32, of which each becomes the sum of so many numbers of bf16: the first is the
/// element, rounded, each of the others what is left, rounded.
struct SplitPanel {
  int64_t nr, parts;
  mlir::Type element; ///< in memory: f32 or f16
};

/// The elements of a panel from `position` on, in the lanes of a vector, as f32.
mlir::Value loadReals(LaneBuilder &lanes, mlir::Value source, const Lanes &position,
                      mlir::Type element);

/// The parts of such a vector, each a number of bf16, as f32.
llvm::SmallVector<mlir::Value> splitReals(LaneBuilder &lanes, const SplitPanel &panel,
                                          mlir::Value reals);

/// What `expandParts` writes of so many rows.
int64_t getExpandedBytes(const SplitPanel &panel, int64_t rows);

/// Writes the `sizeK` rows at `source`, an even number, to `target` as
/// `[k / 2][part][column][k mod 2]`. Calls `fetch` for each pair of rows.
void expandParts(LaneBuilder &lanes, const SplitPanel &panel, mlir::Value source,
                 mlir::Value target, const Lanes &sizeK,
                 llvm::function_ref<void(const Lanes &pair)> fetch = nullptr);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_EXPANDPARTS_H
