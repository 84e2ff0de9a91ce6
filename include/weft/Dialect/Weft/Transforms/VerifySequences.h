//===- VerifySequences.h - entries, steps and starts belong together ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_VERIFYSEQUENCES_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_VERIFYSEQUENCES_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// What `weft.generate`, `weft.step` and `weft.start` name is there: the symbols, the entry that a
/// step continues, the step that a start begins, and the parts of the state in both.
mlir::LogicalResult verifySequences(mlir::ModuleOp module);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_TRANSFORMS_VERIFYSEQUENCES_H
