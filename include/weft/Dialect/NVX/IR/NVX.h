//===- NVX.h - the dialect of what a GPU's threads can do -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_NVX_IR_NVX_H
#define WEFT_DIALECT_NVX_IR_NVX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "weft/Dialect/NVX/IR/NVXDialect.h.inc"

#define GET_OP_CLASSES
#include "weft/Dialect/NVX/IR/NVXOps.h.inc"

namespace weft::nvx {

/// Of a kernel: all its values of type `index` lie within 2^30 of 0.
inline constexpr llvm::StringLiteral kShortIndices = "nvx.short_indices";

} // namespace weft::nvx

#endif // WEFT_DIALECT_NVX_IR_NVX_H
