//===- ElementWriter.h - a map or a sum, its element first ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ELEMENTWRITER_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ELEMENTWRITER_H

#include "FormulaBuilder.h"

namespace weft {

/// Emits the code of an element of a new formula, then the formula: a map, or a reduction over its
/// last indices, at the place of `builder`.
class ElementWriter {
public:
  ElementWriter(mlir::OpBuilder &builder, mlir::Location loc, mlir::ArrayRef<IndexAttr> indices);

  /// The element of `tensor` at the formula's first indices.
  mlir::Value read(mlir::Value tensor);
  mlir::Value read(mlir::Value tensor, mlir::ArrayRef<mlir::AffineExpr> places);
  /// The element at `map` of `indices`, as FormulaBuilder reads it.
  mlir::Value readAt(mlir::Value tensor, mlir::AffineMap map, const IndexValues &indices);
  /// What the body of `op` computes as `value`, for these values of its indices.
  mlir::Value copy(FormulaOpInterface op, mlir::Value value, const IndexValues &indices);
  mlir::Value constant(double value);
  /// Of nothing (null) and a value that value: a product begins with its first factor.
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  /// `value` times a constant, which may be 1.
  mlir::Value scale(mlir::Value value, double factor);

  MapOp buildMap(mlir::Type type, mlir::Value element, mlir::ArrayAttr outputMaps = {});
  ReduceOp buildReduce(mlir::Type type, mlir::Value element, ReduceKind kind = ReduceKind::Sum);

  mlir::OpBuilder &getBody() { return body; }
  mlir::Location getLoc() const { return loc; }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  FormulaBuilder formula;
  mlir::OpBuilder body;
};

} // namespace weft

#endif
