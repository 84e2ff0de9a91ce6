//===- RowFactors.h - what multiplies weights for all keys alike -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `sum(s) e[t, s] / n[t] * v[s, c]` is `(sum(s) e[t, s] * v[s, c]) / n[t]`, and e is what n sums,
// too.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWFACTORS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWFACTORS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// Weights that are exponentials, multiplied and divided by what is the same for all keys.
class RowFactors {
public:
  explicit RowFactors(MapOp weights) : weights(weights), formula(weights) {}

  /// Whether others read the exponentials, too.
  bool match();
  /// Moves the factors behind the sum of values.
  void move(mlir::RewriterBase &rewriter);

private:
  mlir::Operation *buildBehind(mlir::RewriterBase &rewriter, mlir::Value bareSum);

  MapOp weights;
  FormulaOpInterface formula, sum;
  mlir::BlockArgument exponential;
  unsigned key = 0;   ///< of the weights' indices
  mlir::AffineMap at; ///< where the sum reads the weights
};

} // namespace weft

#endif
