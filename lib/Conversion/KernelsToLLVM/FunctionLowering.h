//===- FunctionLowering.h - the body of an entry or layer on pointers -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_KERNELSTOLLVM_FUNCTIONLOWERING_H
#define WEFT_LIB_CONVERSION_KERNELSTOLLVM_FUNCTIONLOWERING_H

#include "DeviceProgram.h"

#include "weft/Target/ModelDescription.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weft {

/// What is the same for all functions of the module.
struct ModuleLowering {
  ModuleLowering(mlir::ModuleOp module, const ModelDescription &model, bool profile)
      : module(module), model(model), profile(profile), constants(module),
        pointer(mlir::LLVM::LLVMPointerType::get(module.getContext())),
        i64(mlir::IntegerType::get(module.getContext(), 64)) {
    for (size_t i = 0; i != model.symbols.size(); ++i)
      symbols[model.symbols[i].name] = int64_t(i);
  }

  mlir::ModuleOp module;
  const ModelDescription &model;
  bool profile;
  DeviceConstants constants; ///< where they lie on a GPU
  mlir::Type pointer, i64;
  llvm::StringMap<int64_t> symbols;              ///< their numbers in `model`
  llvm::StringMap<mlir::func::FuncOp> functions; ///< lowered entries and layers, by their old names
  llvm::StringMap<mlir::func::FuncOp> kernels;
};

/// Declares the private function `(ptr weights, ptr arena, ptr sizes, ptr status, ptr tensors)`
/// that the entry or layer becomes: `sizes` are the values of all symbols of the model, in its
/// order (those that nothing in it has are not read), `tensors` the addresses of its arguments.
mlir::func::FuncOp declareLowered(ModuleLowering &lowering, mlir::func::FuncOp source);

/// Fills it with the addresses and calls of `source`; an error if that is not of stage `kernels`.
mlir::LogicalResult lowerFunction(ModuleLowering &lowering, mlir::func::FuncOp source);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_FUNCTIONLOWERING_H
