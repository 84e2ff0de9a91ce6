//===- ReadPlaces.h - formulas that each reader reads elsewhere ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `a[h, 0, t, s] - a[h, 1, t, s]` and `a[2 * h, t, s] - a[2 * h + 1, t, s]`: no reader needs what
// another one does, so each may have a formula of its own, and nothing is computed twice.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_READPLACES_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_READPLACES_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// The map by which a formula reads the operand; null if it is no input of one.
mlir::AffineMap getReadMap(mlir::OpOperand &use);

/// The dimension along which no two readers of the formula share a place, if there are several.
std::optional<unsigned> findPlaces(FormulaOpInterface op);

/// Makes `op` a formula for each of its readers if there is such a dimension, and so each formula
/// of position pairs that it reads.
void splitPlaces(mlir::RewriterBase &rewriter, FormulaOpInterface op);

} // namespace weft

#endif
