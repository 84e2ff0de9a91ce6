//===- PredicateBounds.h - intervals from predicates ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A predicate is a conjunction. The conjuncts that are affine in the positions bound one index by
// an interval; the others depend on data and stay code.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_PREDICATEBOUNDS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_PREDICATEBOUNDS_H

#include "weft/Dialect/Weft/IR/Conjuncts.h"

namespace weft {

/// `max(lower) <= index < min(upper)`, in the formula's other indices and in symbols.
class IndexInterval {
public:
  /// `index` is bounded by expressions of the other indices below `numBoundDims`.
  IndexInterval(mlir::MLIRContext *context, unsigned index, unsigned numBoundDims)
      : context(context), index(index), numBoundDims(numBoundDims) {}

  /// Continues the interval an op already has.
  void start(mlir::AffineMapAttr lower, mlir::AffineMapAttr upper, mlir::ArrayAttr symbols);

  /// Adds what `conjunct` says; false if that is no interval of the index.
  bool add(Conjunct conjunct);

  /// Whether the interval contains `value`, an expression of the other indices, whatever they are.
  bool contains(mlir::AffineExpr value) const;

  /// Whether no value of the interval is above `value`, an expression of the other indices.
  bool endsAt(mlir::AffineExpr value) const;

  /// How far below `value` the interval begins, if that is a constant: 127 of `t - 127 <= s`.
  std::optional<int64_t> reachBelow(mlir::AffineExpr value) const;

  mlir::AffineMapAttr getLower() const { return getMap(lowers); }
  mlir::AffineMapAttr getUpper() const { return getMap(uppers); }
  mlir::ArrayAttr getSymbols() const;

  /// The affine expression of the formula's indices and of symbols that `value` is, or null.
  mlir::AffineExpr getExpr(mlir::Value value);

private:
  bool addComparison(mlir::arith::CmpIPredicate predicate, mlir::AffineExpr difference);
  bool addComparison(mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  bool addQuotient(mlir::arith::CmpIPredicate predicate, mlir::AffineExpr quotient,
                   mlir::AffineExpr other);
  mlir::AffineMapAttr getMap(mlir::ArrayRef<mlir::AffineExpr> exprs) const;
  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;

  mlir::MLIRContext *context;
  unsigned index, numBoundDims;
  llvm::SmallVector<mlir::AffineExpr> lowers, uppers;
  llvm::SmallVector<llvm::StringRef> symbols;
};

/// The affine expression of a formula's indices and of symbols that `value` is, or null: data say
/// what it is.
mlir::AffineExpr getIndexExpr(mlir::Value value);

} // namespace weft

#endif
