//===- NibbleProduct.h - codes times codes of 4 bits as they are ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_NIBBLEPRODUCT_H
#define WEFT_LIB_CODEGEN_CPU_NIBBLEPRODUCT_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Support/CodeFormat.h"

namespace weft {

/// Whether its rows are whole pairs of steps, which share bytes.
bool canMultiplyNibbles(const NibblePanel &panel);

/// The factors of a register tile: some rows, and a block of a panel.
struct NibbleFactors {
  llvm::ArrayRef<mlir::Value> rows; ///< pointers to codes, side by side, from the block's first on
  mlir::Value panel;                ///< its first byte
  mlir::Value numbers;  ///< the block's numbers without their zeros, if they have been expanded
  Lanes firstK, sizeK;  ///< whole groups, or some of one
  int64_t ahead = 0;    ///< what lies so many bytes behind is fetched; 0: nothing
  bool inWords = false; ///< products are added up in words of 16 bits first
};

/// sums[i * vectors of a panel + v] += the products of row i with the block's columns, where
/// `canMultiplyNibbles` holds.
llvm::SmallVector<mlir::Value> multiplyNibbles(LaneBuilder &lanes, const NibblePanel &panel,
                                               const NibbleFactors &factors, mlir::ValueRange sums);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_NIBBLEPRODUCT_H
