//===- WeightTotals.h - sums of the weights alone -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What divides the sum of values is a sum of the same weights: whoever reads the weights beside the
// sum of values has to be one.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_WEIGHTTOTALS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_WEIGHTTOTALS_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// `sum(s) w[..., s]`, over the keys that the sum of values sees.
struct WeightTotal {
  ReduceOp op;
  llvm::SmallVector<unsigned> indices; ///< of the sum of values, one for each output index of `op`
};

/// All readers of the weights, input `operand` of `consumer`, beside it; false if one is no total.
bool matchTotals(FormulaOpInterface consumer, unsigned operand,
                 llvm::SmallVectorImpl<WeightTotal> &totals);

/// Whether `ops` read what is made of the results of `sources`, but for what they make themselves.
bool readWhatIsMadeOf(llvm::ArrayRef<mlir::Operation *> ops,
                      llvm::ArrayRef<mlir::Operation *> sources);

} // namespace weft

#endif
