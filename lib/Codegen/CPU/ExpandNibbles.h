//===- ExpandNibbles.h - codes of 4 bits as bytes -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_EXPANDNIBBLES_H
#define WEFT_LIB_CODEGEN_CPU_EXPANDNIBBLES_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Support/CodeFormat.h"

namespace weft {

/// What `expandNibbles` writes of so many rows.
int64_t getExpandedBytes(const NibblePanel &panel, int64_t rows);

/// Writes the codes of the rows `firstK` to `firstK + sizeK - 1` of the panel at `source` to
/// `target`, in steps of four, as a panel of bytes has them. They are whole groups, or some of one.
void expandNibbles(LaneBuilder &lanes, const NibblePanel &panel, mlir::Value source,
                   mlir::Value target, const Lanes &firstK, const Lanes &sizeK);

/// Whether its rows are whole pairs of steps, which share bytes.
bool canMultiplyNibbles(const NibblePanel &panel);

/// sums[i * vectors of a panel + v] += the products of the codes of the same rows with `rows[i]`,
/// whose codes lie side by side, where `canMultiplyNibbles` holds. What lies `ahead` bytes behind
/// the codes is fetched beside them, if `ahead` is not 0.
llvm::SmallVector<mlir::Value> multiplyNibbles(LaneBuilder &lanes, const NibblePanel &panel,
                                               mlir::Value source, llvm::ArrayRef<mlir::Value> rows,
                                               const Lanes &firstK, const Lanes &sizeK,
                                               int64_t ahead, mlir::ValueRange sums);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_EXPANDNIBBLES_H
