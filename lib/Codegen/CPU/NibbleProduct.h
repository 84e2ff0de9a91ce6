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

struct NibbleFactors : CodeFactors {
  mlir::Value numbers; ///< the block's numbers without their zeros, if they have been expanded
};

/// sums[i * vectors of a panel + v] += the products of row i with the block's columns, where
/// `canMultiplyNibbles` holds.
llvm::SmallVector<mlir::Value> multiplyNibbles(LaneBuilder &lanes, const NibblePanel &panel,
                                               const NibbleFactors &factors, mlir::ValueRange sums);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_NIBBLEPRODUCT_H
