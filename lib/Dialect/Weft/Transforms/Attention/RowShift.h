//===- RowShift.h - the largest exponent of a row -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `exp(x[t, s] - m[t])` with m the largest x of the row, or the larger one of that and of others (a
// sink, the largest exponent of other weights).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWSHIFT_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWSHIFT_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// What exponentials are relative to.
struct RowShift {
  unsigned input; ///< of the weights
  mlir::Value m;
  double rate; ///< of the factor exp(rate * m)
  /// The rows' largest exponent: m, or what m is made of.
  ReduceOp largest;
  /// Of the sum of values, where both are read.
  llvm::SmallVector<unsigned> indices, largestIndices;

  bool isLargest() const { return m == largest->getResult(0); }
};

/// The shift of weights, which `consumer` sums as its input `operand`.
std::optional<RowShift> matchShift(FormulaOpInterface consumer, unsigned operand);

/// Whether `largest` is the largest one of the exponents x themselves, over the keys that the sum
/// sees, no others: the largest score of an attention that has x as its scores.
bool isLargestSeen(const RowShift &shift, FormulaOpInterface consumer, unsigned operand);

} // namespace weft

#endif
