//===- AccessRange.h - where an affine access lands -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Two sides of constraint C4: a proof that an access stays inside its tensor for all values of
// the indices and of the run-time symbols, and a search for values for which it does not.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_ACCESSRANGE_H
#define WEFT_DIALECT_WEFT_IR_ACCESSRANGE_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// The least value of `expr` over all values of `indices`, of which a run-time one ends at any
/// value from 1 to its bound. Nothing if none is found, as for symbols in `expr` itself.
std::optional<int64_t> getMinimum(mlir::AffineExpr expr, llvm::ArrayRef<IndexAttr> indices);

/// True if 0 <= expr < extent of dimension `dim` of `type` follows for every value of `indices`
/// and every value from 1 to its bound of every symbol. False if it is not so or not found.
bool isProvenInRange(mlir::AffineExpr expr, llvm::ArrayRef<IndexAttr> indices,
                     mlir::ShapedType type, unsigned dim);

/// A value that `expr` takes outside the dimension.
struct OutOfRange {
  int64_t value; ///< of the expression
  int64_t size;  ///< of the dimension at that time
};

/// Looks where extremes are: at the ends of all ranges (and everywhere, if there are few points).
/// Finds every violation of a linear access of static ranges.
std::optional<OutOfRange> findOutOfRange(mlir::AffineExpr expr, llvm::ArrayRef<IndexAttr> indices,
                                         mlir::ShapedType type, unsigned dim);

/// Whether a check fails if any element of `tensor`, an integer, is not in 0 to before `bound`.
bool isCheckedBelow(mlir::Value tensor, int64_t bound);

} // namespace weft

#endif
