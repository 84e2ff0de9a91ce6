//===- ProductFactors.h - products and parts of scalar code ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A formula's scalar code taken apart: into the factors of a product, and into sub-expressions
// that become formulas of their own.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_PRODUCTFACTORS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_PRODUCTFACTORS_H

#include "FormulaBuilder.h"

#include "llvm/ADT/SmallBitVector.h"

namespace weft {

/// The value of a floating-point constant.
std::optional<double> getConstantFloat(mlir::Value value);

/// The number that a constant is, be it a real, an integer or an index.
std::optional<double> getConstantNumber(mlir::Value value);

/// Appends the factors of `value`, a tree of products, quotients by constants and negations.
/// Constant factors are multiplied into `scale`.
void collectFactors(mlir::Value value, mlir::SmallVectorImpl<mlir::Value> &factors, double &scale);

/// Clones into the body of `formula` the code that computes `value` in the body of `op`, for the
/// given values of the indices of `op`.
mlir::Value emitScalar(mlir::OpBuilder &builder, FormulaBuilder &formula, FormulaOpInterface op,
                       mlir::Value value, const IndexValues &indices);

/// Clones the ops of `source` that compute `value` to the builder's place; `mapping` holds what its
/// arguments become.
mlir::Value cloneSlice(mlir::OpBuilder &builder, mlir::Region &source, mlir::Value value,
                       mlir::IRMapping &mapping);

/// Erases the ops of a formula's region whose results nothing uses.
void eraseDeadCode(mlir::Region &region);

/// Calls `visit` for the ops of `source` that compute `value`.
void forEachInSlice(mlir::Region &source, mlir::Value value,
                    llvm::function_ref<void(mlir::Operation *)> visit);

/// Makes `value`, computed in the body of `op`, a formula over the indices `used` (all it
/// depends on, in the order in which its tensor has them), before the insertion point: a map, or a
/// sum over those in `reduced`. Returns its result and the map by which `op` reads it.
std::pair<mlir::Value, mlir::AffineMap> outlineFormula(mlir::RewriterBase &rewriter,
                                                       FormulaOpInterface op, mlir::Value value,
                                                       mlir::ArrayRef<unsigned> used,
                                                       const llvm::SmallBitVector &reduced = {});

/// A product that was taken out of the sum `reduce`, over its output indices and those in `kept`,
/// times the other factors, which depend on no other index: a map, or what is left of the sum. The
/// product itself if there is neither.
mlir::Value multiplyBehind(mlir::RewriterBase &rewriter, ReduceOp reduce, mlir::Value product,
                           mlir::ArrayRef<mlir::Value> factors, mlir::ArrayRef<unsigned> kept = {});

} // namespace weft

#endif
