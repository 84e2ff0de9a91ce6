//===- NibbleProduct.h - codes times codes of 4 bits as they are ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_NIBBLEPRODUCT_H
#define WEFT_LIB_CODEGEN_CPU_NIBBLEPRODUCT_H

#include "MicroKernel.h"
#include "weft/Support/CodeFormat.h"

namespace weft {

/// Whether its rows are whole pairs of steps, which share bytes.
bool canMultiplyNibbles(const NibblePanel &panel);

/// Whether zeros can be left out of the dots of a few rows: what they take from a group's sum is
/// the zero times what the row's codes of the group add up to, which has 15 bits.
bool canSumNibbles(const NibblePanel &panel);

/// Bytes of what the groups of a row add up to. `sumNibbleRow` writes them of the codes at `row`,
/// for all columns: eight times the sums of second steps' codes, i32 `[group]`, behind them the
/// sums of all codes, i16 `[group]`.
int64_t getNibbleSumBytes(const NibblePanel &panel);
void sumNibbleRow(LaneBuilder &lanes, const NibblePanel &panel, mlir::Value row,
                  mlir::Value target);

struct NibbleFactors : CodeFactors {
  mlir::Value numbers; ///< the block's numbers without their zeros, if they have been expanded
  llvm::SmallVector<mlir::Value> sums; ///< of each row's groups, if zeros are left out
};

/// sums[i * vectors of a panel + v] += the products of row i with the block's columns, where
/// `canMultiplyNibbles` holds.
llvm::SmallVector<mlir::Value> multiplyNibbles(LaneBuilder &lanes, const NibblePanel &panel,
                                               const NibbleFactors &factors, mlir::ValueRange sums);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_NIBBLEPRODUCT_H
