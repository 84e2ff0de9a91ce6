//===- AttentionFusion.h - one op for weights and the sum that consumes them ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What AttentionMatch found becomes a `weft.attention`; what becomes of its score is decided by
// AttentionScore, and of sums of its weights by Exponentials.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ATTENTIONFUSION_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ATTENTIONFUSION_H

#include "AttentionMatch.h"
#include "AttentionScore.h"
#include "RowStatistics.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// Puts a streaming op in the place of weights and the sum that consumes them.
class AttentionFusion {
public:
  AttentionFusion(mlir::RewriterBase &rewriter, const AttentionMatch &match)
      : rewriter(rewriter), match(match), consumer(match.consumer), softmax(match.softmax) {}

  /// Gives the fused op; null and a reason, and nothing changed, if the score cannot be computed
  /// for one pair at a time.
  mlir::Operation *run();
  mlir::StringRef getReason() const { return reason; }

private:
  bool emitScore(AttentionScore &score, FormulaBuilder &formula, mlir::Value &element,
                 mlir::Value &condition);
  AttentionOp build();
  /// Puts its parts together: the normaliser, the inputs, and the rows' sums where they are asked
  /// for.
  AttentionOp create(const AttentionScore &score, const FormulaBuilder &formula);
  mlir::Value buildScale(mlir::Value attention);
  AttentionOp fuseExponentials();
  void replaceTotals(AttentionOp attention);
  void expectStatistics();

  mlir::RewriterBase &rewriter;
  AttentionMatch match;
  FormulaOpInterface consumer;
  SoftmaxOp softmax;     ///< null if nothing is normalised, or it is written out
  mlir::Value exponents; ///< of a softmax that is written out
  bool needsSums = false, needsLargest = false; ///< of the exponentials of each row
  llvm::SmallVector<RowStatistic> statistics;   ///< which they are
  llvm::SmallVector<mlir::Operation *> gone;    ///< with it
  std::string reason;
};

} // namespace weft

#endif
