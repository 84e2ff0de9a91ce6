//===- Exponentials.h - a softmax written out -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Weights w = exp(z), their sum and the sum of values: with the softmax's sum of values A and the
// logarithm R of each row's sum, `sum(s) w * v` is exp(R) * A and `sum(s) w` is exp(R). Where all
// that is made of both is the same if each row of w is scaled (it is divided by its sum), they are
// A and 1. Where z = x - m, with an m that scales what else reads it, too (a sink), m may be any
// number: R takes the place of the row's largest x, which nobody has to look for then. Where m is
// more than that (a result, or beside a constant as in `sum(s) w + eps`), and is the largest x that
// the row sees, the attention gives it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_EXPONENTIALS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_EXPONENTIALS_H

#include "AttentionMatch.h"
#include "RowResults.h"
#include "RowScale.h"
#include "RowShift.h"

namespace weft {

/// What becomes of the sums of exponentials that a match found, and of what reads them.
class Exponentials {
public:
  Exponentials(mlir::RewriterBase &rewriter, AttentionMatch &match);

  /// The exponents, minus infinity where a weight is 0, as a formula that nothing reads yet.
  MapOp buildScores();
  /// Whether the attention has to give the largest score of each row.
  bool needsLargest() const { return needed; }
  /// The formulas that nothing needs then, but for what other readers of them have.
  llvm::SmallVector<mlir::Operation *> getGone();
  /// Puts `sums`, the scaled sums of values of the attention, and its rows' sums in their places.
  void replace(AttentionOp attention, mlir::Value sums);

private:
  void findScale();
  bool canShift(const RowShift &found);
  bool feedsSums(mlir::Value shift, const RowShift &found);
  mlir::AffineMap getRow(mlir::ArrayRef<unsigned> indices);
  void startSums(RowScale &scale, double rate);
  bool cancels(RowScale &scale);
  mlir::Value emitScale(RowWriter &writer);
  void replaceLargest();
  void replaceTotals();

  mlir::RewriterBase &rewriter;
  AttentionMatch &match;
  FormulaOpInterface consumer;
  llvm::SmallVector<mlir::Operation *> known; ///< the weights and their sums
  MapOp weights;
  llvm::SmallVector<mlir::Value> changed; ///< other numbers than those of the text
  std::optional<RowShift> shift;
  bool divided = false;           ///< each row of the weights may be divided by its sum
  bool needed = false;            ///< the shift is what it is
  std::optional<RowResults> rows; ///< of the attention
};

} // namespace weft

#endif
