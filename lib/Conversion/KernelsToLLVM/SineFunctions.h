//===- SineFunctions.h - sines and cosines of any argument ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_KERNELSTOLLVM_SINEFUNCTIONS_H
#define WEFT_LIB_CONVERSION_KERNELSTOLLVM_SINEFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// Makes sines and cosines of f32 calls of private functions, which LLVM puts in their place.
void callSineFunctions(mlir::ModuleOp module);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_SINEFUNCTIONS_H
