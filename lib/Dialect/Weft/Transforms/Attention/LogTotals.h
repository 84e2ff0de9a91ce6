//===- LogTotals.h - the logarithm of a sum of weights in their exponents ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `exp(z[t, s] - l[t])` with `l[t] = m[t] + log(n[t])` is `exp(z[t, s] - m[t]) / n[t]`: if n is the
// sum of these exponentials, it is a softmax.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_LOGTOTALS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_LOGTOTALS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// Divides the weights by their sum where their exponents have its logarithm; false, and nothing
/// has changed, if they have not.
bool divideByTotal(mlir::RewriterBase &rewriter, MapOp weights);

} // namespace weft

#endif
