//===- MatrixFactors.h - a formula of a matrix as codes, scales and shifts --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STORAGE_MATRIXFACTORS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STORAGE_MATRIXFACTORS_H

#include "Storage/CodeFunction.h"
#include "Storage/GroupSizes.h"

namespace weft {

/// `(table[code] + zero) * scale + offset`, of which all but the code is the same for groups of
/// neighbours along the last index. The values are in the formula's region.
struct MatrixFactors {
  CodeFunction table;
  mlir::Value zero;   ///< index; null: none
  mlir::Value scale;  ///< f32
  mlir::Value offset; ///< f32; null: none
  int64_t group = 0;
};

/// A scale or offset as a number of its group times one that is shared by several groups.
struct SpanFactors {
  mlir::Value inner, outer; ///< f32
  int64_t outerGroup = 0;
};

/// Takes a value of `factors` apart, so; nothing if it is no such product.
std::optional<SpanFactors> factorSpan(MapOp op, mlir::Value value, int64_t group);

/// Takes the result of a formula of two indices apart, by its structure; what the parts need beside
/// the formula's own values is added to its region. Nothing if it is no such product.
std::optional<MatrixFactors> factorMatrix(MapOp op);

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STORAGE_MATRIXFACTORS_H
