//===- ExtremesEmitter.h - where the values of a region lie
//------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_EXTREMESEMITTER_H
#define WEFT_CODEGEN_COMMON_EXTREMESEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace weft {

/// The least and the largest that a value is for several rows and keys, or less and more than
/// that; null where nothing is known. Of a condition: whether it holds for all, and for some.
struct Extremes {
  mlir::Value min, max;
};

/// Writes interval arithmetic for the scalar ops of a region. No number is less than the least: it
/// makes comparisons false, as everywhere.
class ExtremesEmitter {
public:
  /// `leaf` gives the extremes of values that are known otherwise.
  using Leaf = llvm::function_ref<std::optional<Extremes>(mlir::Value)>;
  ExtremesEmitter(mlir::OpBuilder &builder, mlir::Location loc, Leaf leaf)
      : b(builder), loc(loc), leaf(leaf) {}

  Extremes emit(mlir::Value value);

private:
  Extremes emitOp(mlir::Operation &op);
  /// Of an op that grows with each operand.
  Extremes emitGrowing(mlir::Operation &op, llvm::ArrayRef<Extremes> operands);
  Extremes emitDifference(mlir::Operation &op, const Extremes &a, const Extremes &c);
  Extremes emitProduct(mlir::Operation &op, const Extremes &a, const Extremes &factor);
  Extremes emitSelect(mlir::Operation &op, const Extremes &condition, const Extremes &yes,
                      const Extremes &no);
  Extremes emitComparison(mlir::arith::CmpIPredicate predicate, const Extremes &a,
                          const Extremes &c);
  Extremes emitComparison(mlir::arith::CmpFPredicate predicate, const Extremes &a,
                          const Extremes &c);

  /// The op with other operands; null if one is.
  mlir::Value apply(mlir::Operation &op, llvm::ArrayRef<mlir::Value> operands);
  template <typename Op> mlir::Value combine(mlir::Value a, mlir::Value c) {
    return a && c ? Op::create(b, loc, a, c).getResult() : mlir::Value();
  }
  mlir::Value negate(mlir::Value condition);
  /// What must hold where both do, one of which may not be known.
  mlir::Value meet(mlir::Value a, mlir::Value c);

  mlir::OpBuilder &b;
  mlir::Location loc;
  Leaf leaf;
  llvm::DenseMap<mlir::Value, Extremes> known;
};

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_EXTREMESEMITTER_H
