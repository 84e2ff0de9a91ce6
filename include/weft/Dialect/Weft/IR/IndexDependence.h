//===- IndexDependence.h - what depends on which index --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The one question all fusions ask. Sets of indices are bit vectors over the positions of a
// formula's index list.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_INDEXDEPENDENCE_H
#define WEFT_DIALECT_WEFT_IR_INDEXDEPENDENCE_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/SmallBitVector.h"

namespace weft {

/// The dimensions `map` uses.
llvm::SmallBitVector getUsedIndices(mlir::AffineMap map);

/// The dimensions below `count` that the expressions use.
llvm::SmallBitVector getUsedIndices(mlir::ArrayRef<mlir::AffineExpr> exprs, unsigned count);

/// The indices of the formula `op` on which `value`, computed in one of its regions, depends.
/// Region argument i stands for input `i + firstInput`; an argument before the first input (the sum
/// of a contraction) depends on all output indices.
llvm::SmallBitVector getDependence(FormulaOpInterface op, mlir::Value value, int firstInput = 0);

/// The indices of `op` its body and predicate depend on.
llvm::SmallBitVector getDependence(FormulaOpInterface op);

/// Whether a tensor over `used` would have two positions: two run-time indices or two of one range.
bool hasTwoPositions(FormulaOpInterface op, const llvm::SmallBitVector &used);

/// Whether two indices take the same values, whatever they are called.
bool haveSameRange(IndexAttr a, IndexAttr b);

/// If every result of `map` is a dimension of its own, their positions.
std::optional<llvm::SmallVector<unsigned>> getDistinctDims(mlir::AffineMap map);

} // namespace weft

#endif
