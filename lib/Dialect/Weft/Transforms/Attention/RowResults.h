//===- RowResults.h - what an attention gives of its rows ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Beside sums of values an attention gives the logarithm of the sum of each row's exponentials, and
// the largest exponent. What is made of these stands in the places of reductions over the keys.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWRESULTS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWRESULTS_H

#include "ElementWriter.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// Writes a map over indices of the sum of values.
class RowWriter : public ElementWriter {
public:
  RowWriter(mlir::OpBuilder &builder, FormulaOpInterface consumer,
            mlir::ArrayRef<unsigned> indices);

  /// The element of a tensor over these indices of the sum.
  mlir::Value readRow(mlir::Value tensor, mlir::ArrayRef<unsigned> at);

private:
  mlir::ArrayRef<unsigned> indices;
};

class RowResults {
public:
  /// Rows are over the indices `row` of the sum of values `consumer`.
  RowResults(mlir::RewriterBase &rewriter, FormulaOpInterface consumer,
             mlir::ArrayRef<unsigned> row, AttentionOp attention);

  mlir::Value readLogSum(RowWriter &writer) { return writer.readRow(attention->getResult(1), row); }
  mlir::Value readLargest(RowWriter &writer) {
    return writer.readRow(attention->getResult(2), row);
  }

  /// Whether the largest score tells a row without keys, whose maximum is 0, from one whose scores
  /// are all minus infinity.
  bool tellsEmpty() const { return seesKeys || !hidesRows; }

  /// Emits, at the end of a formula's body, what it yields.
  using Emit = llvm::function_ref<mlir::Value(RowWriter &)>;
  /// A formula in the place of the tensor `like` over these indices of the sum. What is emitted
  /// holds for rows that see a key; it is 0 for the others, and those whose scores are all minus
  /// infinity, unless it is the largest one of these.
  MapOp build(mlir::Value like, mlir::ArrayRef<unsigned> indices, Emit emit,
              bool isLargest = false);

private:
  mlir::RewriterBase &rewriter;
  FormulaOpInterface consumer;
  llvm::SmallVector<unsigned> row;
  AttentionOp attention;
  bool seesKeys;  ///< each row sees one
  bool hidesRows; ///< all scores of a row that sees some may be minus infinity
};

} // namespace weft

#endif
