//===- SharedExponentials.h - exponentials that are written several times ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of `exp(z[t, s] - m[t]) / (sum(u) exp(z[t, u] - m[t]))` both exponentials are one formula.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_SHAREDEXPONENTIALS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_SHAREDEXPONENTIALS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// An exponential in the body of a formula.
struct Exponential {
  FormulaOpInterface owner;
  mlir::Value value;
  llvm::SmallVector<unsigned> used; ///< the indices of `owner` on which it depends
};

/// The exponential that a sum adds up, or that a map of weights divides.
std::optional<Exponential> findExponential(mlir::Operation *op);

/// Whether both are the same code over the same ranges, whatever their indices are called.
bool areEqual(const Exponential &a, const Exponential &b);

/// Makes equal exponentials of sums and of weights one formula. Returns how many formulas it made.
unsigned shareExponentials(mlir::RewriterBase &rewriter, mlir::Block &block);

} // namespace weft

#endif
