//===- InlineCall.h - the body of a function in the place of a call ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_LAYERS_INLINECALL_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_LAYERS_INLINECALL_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Replaces `call` by a copy of the body of `callee`, whose one block ends in a return. Formulas
/// keep their places in the text.
void inlineCall(mlir::func::CallOp call, mlir::func::FuncOp callee);

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_LAYERS_INLINECALL_H
