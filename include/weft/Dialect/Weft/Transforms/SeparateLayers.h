//===- SeparateLayers.h - functions of their own for some calls -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_SEPARATELAYERS_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_SEPARATELAYERS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// Gives a private function as many copies as there are kinds of weights that calls pass it, so
/// that each is called with one kind only. `kindOf` may be empty. Returns how many copies were
/// made.
unsigned separateLayers(mlir::ModuleOp module, llvm::function_ref<std::string(WeightOp)> kindOf);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_TRANSFORMS_SEPARATELAYERS_H
