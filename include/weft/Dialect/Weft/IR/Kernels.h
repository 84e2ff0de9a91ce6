//===- Kernels.h - functions that are kernels, and what runs them ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_KERNELS_H
#define WEFT_DIALECT_WEFT_IR_KERNELS_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Support/WorkCount.h"

namespace weft {

/// The symbols whose values a kernel needs, in the order of the module's: sizes of its buffers and
/// ranges of its indices, and what its regions compute with. `kernel` is one on buffers, in a
/// module.
llvm::SmallVector<llvm::StringRef> getKernelSymbols(mlir::func::FuncOp kernel);

/// Every run-time size of a buffer argument is a symbol of the module.
mlir::LogicalResult verifyKernelArguments(mlir::func::FuncOp kernel);
/// So is every other one that the kernel needs.
mlir::LogicalResult verifyKernelSymbols(mlir::func::FuncOp kernel);

/// The same as an attribute, for kernels that are asked for with each of their launches.
class KernelSymbols {
public:
  mlir::ArrayAttr of(mlir::func::FuncOp kernel);

private:
  llvm::DenseMap<mlir::Operation *, mlir::ArrayAttr> known;
};

/// Symbols that count the last new position alone, each with the one that counts all of them: what
/// is computed for the one differs from what is computed for the others in nothing but the count.
llvm::StringMap<std::string> getLastCounts(mlir::ModuleOp module);

/// What `weft.work` says, in the order of its symbols, and the attribute for it.
WorkCount readWork(WorkAttr attribute);
WorkAttr makeWork(mlir::ArrayAttr symbols, const WorkCount &work);

/// The pointer to a buffer's elements, in the memory space of the buffer.
mlir::LLVM::LLVMPointerType getPointerType(mlir::MemRefType buffer);

/// The function that a step of a plan runs, a call of a layer or the launch of a kernel; empty for
/// other ops.
llvm::StringRef getFunctionOfStep(mlir::Operation *op);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_KERNELS_H
