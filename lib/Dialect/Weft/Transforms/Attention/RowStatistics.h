//===- RowStatistics.h - what else is made of the scores of a softmax ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The largest score of a row, and the sum of its exponentials, relative to anything: a text that
// has a softmax asks for them where parts of the keys are put together, or to bound scores. The
// attention gives them, so that nobody else reads its scores.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWSTATISTICS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWSTATISTICS_H

#include "AttentionMatch.h"
#include "RowResults.h"

namespace weft {

/// A reduction of the scores of a softmax over the keys that it sees.
struct RowStatistic {
  ReduceOp op;
  llvm::SmallVector<unsigned> indices; ///< of the sum of values, one for each output index
  std::optional<unsigned> shift;       ///< the input that exponents are relative to
  llvm::SmallVector<unsigned> shiftIndices;

  bool isLargest() { return op.getKind() == ReduceKind::Max; }
};

/// Those that may follow the attention: nothing that it reads is made of them.
llvm::SmallVector<RowStatistic> findStatistics(AttentionMatch &match);

/// Puts what the attention gives in their places.
void replaceStatistics(mlir::RewriterBase &rewriter, llvm::ArrayRef<RowStatistic> statistics,
                       RowResults &rows);

} // namespace weft

#endif
