//===- AttentionMatch.h - weights and the sum that consumes them ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Nothing is looked for by name: attention is a softmax whose axis is what a contraction sums
// over, with a value that is free of some index of the weights (the query position). Without a
// softmax it is a sum over run-time keys of a value times weights that are computed for each pair
// of run-time positions: linear attention, retention. Sums of the weights alone are results of it,
// too; of weights that are exponentials it is a softmax written out.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ATTENTIONMATCH_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ATTENTIONMATCH_H

#include "WeightTotals.h"

#include "llvm/ADT/SmallBitVector.h"

namespace weft {

/// The parts of an attention in the formulas before it is fused.
struct AttentionMatch {
  /// Each says whether there is an attention; after a false `reason` says what is missing.
  bool matchSoftmax(SoftmaxOp op);
  /// Of the softmax and one of its readers, whatever the others are.
  bool matchUse(SoftmaxOp op, mlir::OpOperand &use);
  bool matchSum(FormulaOpInterface op);
  /// Of a sum that multiplies these weights with values, whatever else reads them.
  bool matchReader(FormulaOpInterface op, mlir::Value weights);

  /// The tensor of weights, and the formula that makes it.
  mlir::Value getWeights() { return consumer.getInputs()[weightOperand]; }
  /// The weights and all their sums.
  llvm::SmallVector<mlir::Operation *> getFormulas();
  mlir::Value getValue() { return consumer.getInputs()[valueOperand]; }

  SoftmaxOp softmax;           ///< null if nothing is normalised
  FormulaOpInterface consumer; ///< the sum over the keys of weights and values
  unsigned weightOperand = 0, valueOperand = 0;
  double scale = 1.0;                    ///< of the consumer
  llvm::SmallBitVector queries;          ///< the query positions, as indices of the consumer
  llvm::SmallVector<WeightTotal> totals; ///< of the weights alone
  /// Of the consumer, on which a row's total depends, in order.
  llvm::SmallVector<unsigned> rowIndices;
  bool areExponentials = false; ///< a softmax that is written out
  std::string reason;

private:
  bool findFactors(unsigned (&operands)[2]);
  bool matchFactor(FormulaOpInterface op, llvm::function_ref<bool()> accepts);
  bool hasPositions();
  bool matchWeights();
  bool matchStorage();
  bool matchIndices();
  bool fail(const mlir::Twine &why) {
    reason = why.str();
    return false;
  }
};

} // namespace weft

#endif
