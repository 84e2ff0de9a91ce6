//===- BatchFormulas.h - a leading batch index for formulas ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_BATCH_BATCHFORMULAS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_BATCH_BATCHFORMULAS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/DenseSet.h"

namespace weft {

/// Gives formulas of one function a leading index.
class FormulaBatcher {
public:
  explicit FormulaBatcher(IndexAttr batch) : batch(batch) {}

  /// `type` with the batch dimension in front.
  mlir::RankedTensorType getBatchedType(mlir::RankedTensorType type) const;

  /// Marks a value whose type has the batch dimension already.
  void markBatched(mlir::Value value) { batched.insert(value); }
  bool isBatched(mlir::Value value) const { return batched.contains(value); }

  /// Whether a formula or check reads a batched tensor, through a map or by `weft.at`.
  bool readsBatched(mlir::Operation *op) const;

  /// Adds the batch index to a formula or check that does.
  void addBatchIndex(IndexedOpInterface op);

  /// A copy of `value` for every example of the batch.
  mlir::Value broadcast(mlir::OpBuilder &builder, mlir::Value value);

private:
  IndexAttr batch;
  llvm::DenseSet<mlir::Value> batched;
};

} // namespace weft

#endif
