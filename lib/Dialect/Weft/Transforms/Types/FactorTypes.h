//===- FactorTypes.h - what reads a tensor as a factor --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_FACTORTYPES_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_FACTORTYPES_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

#include "llvm/ADT/DenseMap.h"

namespace weft {

/// Whether the tensor has rows: more than one dimension of more than one value.
bool isMatrix(mlir::Value tensor);

/// In which type the readers of tensors multiply what they read.
class FactorTypes {
public:
  /// `attention` is the type of queries, keys and values.
  FactorTypes(const TensorClasses &classes, mlir::Type compute, mlir::Type attention)
      : classes(classes), compute(compute), attention(attention) {}

  /// Whatever others are computed in, this product is in f32.
  void computePlainly(ContractOp op) { plain.insert(op); }
  bool isPlain(ContractOp op) const { return plain.contains(op); }

  /// The type that the reader wants of a factor; null where it reads an element or a factor in f32.
  mlir::Type getWanted(mlir::OpOperand &use);
  /// Whether the use is as a factor of a product of matrices. A single row counts as one beside a
  /// weight: what this is stored as does not hang on how many rows there are.
  bool isProductFactor(mlir::OpOperand &use) const;
  /// Whether it is that, and selects nothing, whatever it is computed in.
  bool isFactor(mlir::OpOperand &use);

private:
  bool selects(ContractOp op);
  bool isMatrixOrRow(mlir::Value tensor, mlir::Value other) const;

  const TensorClasses &classes;
  mlir::Type compute, attention;
  llvm::DenseSet<mlir::Operation *> plain;
  llvm::DenseMap<mlir::Operation *, bool> selecting;
};

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_FACTORTYPES_H
