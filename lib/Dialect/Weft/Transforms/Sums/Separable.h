//===- Separable.h - the steps of weft-split-separable --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_SUMS_SEPARABLE_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_SUMS_SEPARABLE_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// Whether it is a sum of reals, under no condition and stored in its own order. Null is none.
bool isPlainSum(ReduceOp op);

/// Splits a sum some of whose terms lack an index (the score of a concatenation, relative keys
/// added to keys) into one sum for each term. Appends the new sums to `sums`; false if there is
/// nothing to split.
bool splitTerms(mlir::RewriterBase &rewriter, ReduceOp sum, llvm::SmallVectorImpl<ReduceOp> &sums);

/// Makes a sum of a product of three factors or more a sum of two, by forming the product (or the
/// sum over the indices only they have) of the two with the fewest elements first.
bool splitFactors(mlir::RewriterBase &rewriter, ReduceOp sum,
                  llvm::SmallVectorImpl<ReduceOp> &sums);

/// Makes a sum of products with a row of a table that indices of the result choose,
/// `sum(c) q[t, c] * r[f(t, s), c]`, a sum for each row, which each result looks up:
/// `p[t, f(t, s)]` of `p[t, n] = sum(c) q[t, c] * r[n, c]`. False if it is none, or would have more
/// than half as many numbers, of distances more than twice as many.
bool lookUpSum(mlir::RewriterBase &rewriter, ReduceOp sum);

/// Makes a sum of products with a sum, of pairs of positions, one over the indices of both:
/// `sum(h) m[g, h] sum(c) q[h, t, c] k[h, s, c]`. False if it is none, or would have many terms.
bool mergeSums(mlir::RewriterBase &rewriter, ReduceOp sum);

/// Drops an output index on which nothing in the formula depends; its readers then read the
/// tensor without it.
bool dropUnusedIndex(mlir::RewriterBase &rewriter, FormulaOpInterface formula);

/// Makes a costly part of the formula's code that depends on some of its indices only a formula
/// of its own. Returns how many parts.
unsigned hoistInvariants(mlir::RewriterBase &rewriter, FormulaOpInterface formula);

} // namespace weft

#endif
