//===- BufferBytes.h - the memory that kernels are given ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_BUFFERBYTES_H
#define WEFT_LIB_CODEGEN_CPU_BUFFERBYTES_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// What lies behind the arguments of kernels, wherever these are launched.
class BufferBytes {
public:
  explicit BufferBytes(mlir::ModuleOp module);

  /// The bytes of the smallest buffer of the arena that is this argument; nothing if something else
  /// is.
  std::optional<int64_t> get(mlir::Value argument) const;

private:
  void add(LaunchOp launch, mlir::func::FuncOp kernel);

  llvm::DenseMap<mlir::Value, int64_t> bytes; ///< 0: not only buffers
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_BUFFERBYTES_H
