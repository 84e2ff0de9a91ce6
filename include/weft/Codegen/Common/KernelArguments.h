//===- KernelArguments.h - what a kernel is passed -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_KERNELARGUMENTS_H
#define WEFT_CODEGEN_COMMON_KERNELARGUMENTS_H

#include "weft/Codegen/Common/Kernel.h"

namespace weft {

/// The arguments of the function that a kernel on formulas becomes: its buffers, the value of every
/// symbol that it needs as i64 (`getKernelSymbols`), and a pointer to the i32 in which checks
/// report.
class KernelArguments {
public:
  explicit KernelArguments(mlir::func::FuncOp kernel);

  llvm::SmallVector<mlir::Type> getTypes() const;
  /// The arguments with pointers for the buffers: what code needs of them.
  llvm::SmallVector<mlir::Value> getAddresses(LaneBuilder &lanes, mlir::Block *entry) const;
  /// What emitters know of a function with these addresses, `entry` being its first block.
  Kernel read(LaneBuilder &lanes, mlir::Block *entry, mlir::ValueRange addresses) const;

private:
  Buffer readBuffer(LaneBuilder &lanes, const Kernel &kernel, unsigned i,
                    mlir::Value pointer) const;

  mlir::func::FuncOp kernel;
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> symbols; ///< with their bounds
};

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_KERNELARGUMENTS_H
