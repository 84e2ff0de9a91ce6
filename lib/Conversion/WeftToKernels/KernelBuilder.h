//===- KernelBuilder.h - kernel functions and constants of a module -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_KERNELBUILDER_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_KERNELBUILDER_H

#include "weft/Dialect/Weft/IR/Kernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace weft {

/// The row-major buffer of a tensor.
mlir::MemRefType getBufferType(mlir::RankedTensorType type);

/// Makes kernels of formulas and calls of them.
class KernelBuilder {
public:
  explicit KernelBuilder(mlir::ModuleOp module);

  /// Calls, at `builder`, the kernel of `op` (a formula or check on tensors) with the `buffers` of
  /// the tensors it reads and with `outputs`, one for each result.
  void create(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange outputs,
              const llvm::DenseMap<mlir::Value, mlir::Value> &buffers);

  /// Gives kernels the names of what they compute; until then equal ones are looked for.
  void labelKernels();

  unsigned getNumKernels() const { return numKernels; }
  unsigned getNumShared() const { return numShared; }

private:
  mlir::func::FuncOp makeKernel(mlir::Operation *op, llvm::ArrayRef<mlir::Value> tensors,
                                mlir::TypeRange inputs, mlir::TypeRange outputs);
  mlir::func::FuncOp share(mlir::func::FuncOp kernel);
  mlir::ArrayAttr countAllRows(mlir::func::FuncOp kernel);
  std::string freshName(mlir::Operation *op, mlir::StringAttr label);

  mlir::ModuleOp module;
  llvm::DenseMap<size_t, llvm::SmallVector<mlir::func::FuncOp, 1>> byHash;
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::StringAttr>> labels; ///< of anchors
  llvm::StringMap<std::string> lastCounts;
  llvm::StringMap<unsigned> names;
  unsigned numKernels = 0, numShared = 0;
};

/// Makes read-only globals of constant tensors, one for each value.
class GlobalBuilder {
public:
  explicit GlobalBuilder(mlir::ModuleOp module) : module(module) {}
  mlir::Value get(mlir::OpBuilder &builder, mlir::arith::ConstantOp constant);

private:
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Attribute, mlir::memref::GlobalOp> globals;
};

} // namespace weft

#endif // WEFT_LIB_CONVERSION_WEFTTOKERNELS_KERNELBUILDER_H
