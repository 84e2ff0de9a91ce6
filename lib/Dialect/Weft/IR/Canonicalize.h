//===- Canonicalize.h - the parts of the canonical form -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_IR_CANONICALIZE_H
#define WEFT_LIB_DIALECT_WEFT_IR_CANONICALIZE_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// A check about some elements of a tensor goes where another is about all of them.
void addCheckPatterns(mlir::RewritePatternSet &patterns);

} // namespace weft

#endif
