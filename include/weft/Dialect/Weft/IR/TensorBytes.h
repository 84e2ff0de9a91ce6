//===- TensorBytes.h - the memory that values of the dialect take -----------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Run-time dimensions count with their bounds: memory is planned for the largest tensors.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_TENSORBYTES_H
#define WEFT_DIALECT_WEFT_IR_TENSORBYTES_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Support/TensorSize.h"

namespace weft {

/// The bits of an element of a storage type in memory, where a condition takes a byte.
unsigned getStorageBits(mlir::Type element);

/// The sizes of all dimensions; `bounds` are those of a buffer, whose type names no symbols.
llvm::SmallVector<int64_t> getLargestShape(mlir::RankedTensorType type);
llvm::SmallVector<int64_t> getLargestShape(mlir::MemRefType type, BoundsAttr bounds);

/// The bytes of the largest such tensor; nothing if they are more than maxTensorBytes.
std::optional<int64_t> getLargestBytes(mlir::RankedTensorType type);
std::optional<int64_t> getLargestBytes(mlir::MemRefType type, BoundsAttr bounds);

/// Whether everything that `function` takes and computes has at most maxTensorBytes; an error that
/// names what has not, with its dimensions.
mlir::LogicalResult verifySizes(mlir::func::FuncOp function);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_TENSORBYTES_H
