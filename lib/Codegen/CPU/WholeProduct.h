//===- WholeProduct.h - integers times codes of whole numbers -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of a row a of integers and a column of codes c of whole numbers T[c], with what a group g of
// neighbours shares, the sum is
//
//   sum(g) (D_g + zero_g * A_g) * scale_g   or   sum(g) D_g * scale_g + offset_g * A_g
//
// D_g = sum(k in g) a[k] * T[c[k]] and A_g = sum(k in g) a[k] are exact; the rest is f32, group
// after group. How many rows there are changes nothing of that.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_WHOLEPRODUCT_H
#define WEFT_LIB_CODEGEN_CPU_WHOLEPRODUCT_H

#include "MicroKernel.h"
#include "weft/Support/CodeTable.h"

namespace weft {

/// What a row's A_g take, and writing them: what D_g begins with, and, if groups have shifts, A_g
/// in f32.
int64_t getGroupSumBytes(const ScaledPanel &panel);
void sumGroups(LaneBuilder &lanes, const ScaledPanel &panel, bool inWords, mlir::Value row,
               mlir::Value target);

struct WholeFactors : CodeFactors {
  llvm::ArrayRef<mlir::Value> sums; ///< pointers to what `sumGroups` wrote of the rows
};

/// sums[i * vectors of a panel + v] += the products of row i with the block's columns.
llvm::SmallVector<mlir::Value> multiplyWhole(LaneBuilder &lanes, const ScaledPanel &panel,
                                             const WholeFactors &factors, mlir::ValueRange sums);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_WHOLEPRODUCT_H
