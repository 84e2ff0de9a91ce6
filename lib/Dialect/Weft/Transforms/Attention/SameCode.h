//===- SameCode.h - the same number, computed in two formulas -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_SAMECODE_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_SAMECODE_H

#include "FormulaBuilder.h"

namespace weft {

/// Whether two values of regions under construction, over the same indices, are the same operations
/// of the same elements, in whatever order these stand in their regions.
bool isSameCode(FormulaBuilder &a, mlir::Value ofA, FormulaBuilder &b, mlir::Value ofB);

} // namespace weft

#endif
