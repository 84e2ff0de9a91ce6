//===- ExtendRow.h - further outputs of rows ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ROWS_EXTENDROW_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ROWS_EXTENDROW_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// Makes `map`, if it reads what a `weft.row` made at the place that it computes itself, a further
/// output of that: the same rows once more in a type of fewer bits, for instance.
bool extendRow(mlir::RewriterBase &rewriter, MapOp map);

} // namespace weft

#endif
