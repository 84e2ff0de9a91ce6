//===- Cost.h - what formulas cost to compute, to keep and to read --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One rule for everything that may be computed where it is read or be made a tensor: work that does
// not depend on all indices of its reader is made once, unless that costs more. The unit is one
// operation on one element; a division is 8, a function of `math` 16, a gather 4, a byte that goes
// through memory 2. Run-time dimensions count with their bounds, at most 512: what is right for
// texts of some length is right for longer ones.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_COST_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_COST_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/SmallBitVector.h"

namespace weft {

/// A function of `math`: what costs less is not worth a tensor of its own for each pair.
constexpr double kFunctionCost = 16;

/// Products of matrices take so much less for an operation than other code, at least: tiles of
/// registers or units, where that gathers what it multiplies.
constexpr double kProductGain = 8;

/// Whether there may be memory for all of the tensor, where its elements could be computed one by
/// one.
bool mayBeMade(mlir::RankedTensorType type);

/// How many values the index has.
double countValues(IndexAttr index);
/// How many points the given indices of a formula span; without `used`, all of its indices.
double countPoints(FormulaOpInterface op, const llvm::SmallBitVector &used);
double countPoints(FormulaOpInterface op);

/// What one operation of scalar code costs, with what is nested in it.
double getCost(mlir::Operation &op);
/// What one element of the formula's result costs, given the elements that it reads: for a
/// reduction, the sum over what is reduced.
double getElementCost(FormulaOpInterface op);

/// Whether `elements` values of type f32, each of `cost`, are better computed at the `readerPoints`
/// points that read them than made once and read.
bool isWorthInlining(double cost, double elements, double readerPoints);

/// Whether `producer` is better computed wherever a reader of `readerPoints` points reads it than
/// made once and read. Its reads are not counted: the reader has either those or that of the
/// result. A product that readers look up at computed places is made as products are.
bool isWorthInlining(FormulaOpInterface producer, double readerPoints, bool isLookedUp = false);

/// Whether an element of the formula is better computed by each of `times` readers than made once:
/// written, and read by each.
bool isWorthRepeating(FormulaOpInterface op, unsigned times);

/// Whether the result has no more elements than a tensor that the formula reads.
bool isNoLargerThanRead(FormulaOpInterface op);

} // namespace weft

#endif
