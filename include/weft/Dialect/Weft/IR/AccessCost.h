//===- AccessCost.h - what reading along an index costs -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A formula can be vectorised along any index; the elements it reads decide which is the best.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_ACCESSCOST_H
#define WEFT_DIALECT_WEFT_IR_ACCESSCOST_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/SmallBitVector.h"

namespace weft {

/// The lanes to use along an index: no more than a power of two that holds its bound.
int64_t getUsefulWidth(int64_t width, IndexAttr index);

/// Whether the elements of `type` that neighbouring values of an index read lie side by side, or
/// are the same.
bool isContiguous(mlir::AffineMap map, mlir::ShapedType type, unsigned position);

/// Whether they are others for each value of the index, if they lie side by side: those of a group,
/// `h floordiv G` of another dimension, are the same.
bool movesAlong(mlir::AffineMap map, mlir::ShapedType type, unsigned position);

/// How much it costs to read the first `numFactors` inputs in vectors along the index at
/// `position`: 1 for each that is contiguous or the same, `width` for each that must be gathered.
int64_t getVectorCost(FormulaOpInterface formula, unsigned numFactors, unsigned position,
                      int64_t width);

/// The last of the output's indices, as it is stored, that has more than one value.
std::optional<unsigned> getLastOutput(FormulaOpInterface formula);

/// The inputs whose elements are reduced: not those of an epilogue.
unsigned getNumFactors(FormulaOpInterface reduction);
/// What the elements of a reduction or contraction cost each lane of vectors along the index, at
/// most `width` wide.
double getLaneCost(FormulaOpInterface reduction, unsigned position, int64_t width);

/// The indices that say where an element is read.
struct ReadIndices {
  llvm::SmallBitVector direct;  ///< indices in its coordinates
  llvm::SmallBitVector through; ///< indices of elements in its coordinates (of `i` in `x[id[i]]`)

  bool dependsOn(unsigned position) const { return direct[position] || through[position]; }
};

/// The accesses of the first `numFactors` inputs and, of a reduction, of its computed reads.
llvm::SmallVector<ReadIndices> getReadIndices(FormulaOpInterface formula, unsigned numFactors);

} // namespace weft

#endif
