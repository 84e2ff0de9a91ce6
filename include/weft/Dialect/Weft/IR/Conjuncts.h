//===- Conjuncts.h - what a condition says -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_CONJUNCTS_H
#define WEFT_DIALECT_WEFT_IR_CONJUNCTS_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// One conjunct: `condition`, or its negation.
struct Conjunct {
  mlir::Value condition;
  bool negated = false;
};

/// Appends the conjuncts of `value` (of its negation); false if the value is the constant false.
void collectConjuncts(mlir::Value value, bool negated, mlir::SmallVectorImpl<Conjunct> &conjuncts);

/// What is not negative where an inequality of indices holds, and negative elsewhere, as an affine
/// expression of the formula's indices and of the symbols that `symbolOf` gives sizes; null for
/// other conditions.
mlir::AffineExpr getMargin(Conjunct conjunct,
                           llvm::function_ref<mlir::AffineExpr(SizeOp)> symbolOf);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_CONJUNCTS_H
