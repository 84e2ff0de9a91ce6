//===- AttentionScore.h - the score of a fused attention ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Turns the chain of formulas that ends in a softmax into the inputs and the score region of a
// `weft.attention`: contractions become dot products, element-wise formulas scalar code, and
// whatever rests on the query alone or on the key alone stays a tensor that is read. So does what
// rests on both if it is kept anyway, or costs less to make once than in every score (Cost.h).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ATTENTIONSCORE_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ATTENTIONSCORE_H

#include "ElementEmitter.h"

#include "llvm/ADT/SmallBitVector.h"

namespace weft {

/// One dot product of an attention: its factors, with their coordinates, and its scale.
struct DotProduct {
  mlir::Value query, key;
  llvm::SmallVector<mlir::AffineExpr> queryAt, keyAt;
  double scale;
};

class AttentionScore : public ElementEmitter {
public:
  /// `key` is the position of the key index in `formula`, `queries` are the query positions:
  /// the output indices on which the value does not depend. There are scores at `numPoints` points.
  AttentionScore(FormulaBuilder &formula, unsigned key, llvm::SmallBitVector queries,
                 double numPoints)
      : ElementEmitter(formula), key(key), queries(std::move(queries)), numPoints(numPoints) {}

  mlir::Value emitElement(mlir::OpBuilder &builder, mlir::Region &region, mlir::Value tensor,
                          mlir::AffineMap map, const IndexValues &indices,
                          mlir::Location loc) override;

  /// These ops will be gone: what they read is not kept for them.
  void expectGone(mlir::ArrayRef<mlir::Operation *> ops) { gone.insert(ops.begin(), ops.end()); }

  mlir::ArrayRef<DotProduct> getDots() const { return dots; }
  /// Why emitting returned null.
  mlir::StringRef getFailure() const { return failure; }

private:
  bool dependsOnPair(mlir::AffineMap map, const IndexValues &indices) const;
  bool isRecomputable(FormulaOpInterface producer, mlir::AffineMap map,
                      const IndexValues &indices) const;
  bool isBetterRead(FormulaOpInterface producer, mlir::AffineMap map, const IndexValues &indices,
                    mlir::Block *reader) const;
  mlir::Value emitContraction(mlir::OpBuilder &builder, mlir::Region &region, ContractOp op,
                              mlir::AffineMap map, const IndexValues &indices);
  mlir::Value tryDot(ContractOp op, mlir::AffineMap map, const IndexValues &indices);
  mlir::Value emitProductSum(mlir::OpBuilder &builder, mlir::Region &region, ContractOp op,
                             mlir::AffineMap map, const IndexValues &indices);
  mlir::Value fail(const mlir::Twine &reason);

  unsigned key;
  llvm::SmallBitVector queries;
  double numPoints;
  unsigned numOps = 0; ///< of the formulas computed in the score
  llvm::SmallVector<DotProduct> dots;
  llvm::SmallPtrSet<mlir::Operation *, 8> gone;
  std::string failure;
};

/// The name a formula defines, for messages.
std::string getLabel(mlir::Operation *formula);

} // namespace weft

#endif
