//===- EntryBuilder.h - the C interface of a model ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYBUILDER_H
#define WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYBUILDER_H

#include "weft/Target/ModelDescription.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weft {

/// Writes the C functions of `entry`: the uniform one (`weft_call`), which checks what it is given
/// and calls `body` `(weights, arena, sizes, status, tensors)`, and the typed one, which calls
/// that. Returns the uniform one.
mlir::LLVM::LLVMFuncOp buildEntry(mlir::ModuleOp module, const ModelDescription &model,
                                  const EntryDescription &entry, mlir::func::FuncOp body);

/// The uniform functions (`weft_step_call`) of an entry that continues a sequence.
struct UniformStep {
  mlir::LLVM::LLVMFuncOp step, last, start;
};

/// Writes the uniform and typed C functions of a step, of what computes its last position and of
/// its start. The tensors of `body` and `lastBody` are the inputs, parts of the state and outputs;
/// those of the start's, if there is one, end with the parts that it makes.
UniformStep buildStep(mlir::ModuleOp module, const ModelDescription &model,
                      const StepDescription &step, mlir::func::FuncOp body,
                      mlir::func::FuncOp lastBody, mlir::func::FuncOp startBody);

/// Writes `MODEL_info` and `weft_get_info`; `calls` are the uniform functions of the entries.
void buildModelInfo(mlir::ModuleOp module, const ModelDescription &model,
                    llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> calls,
                    llvm::ArrayRef<UniformStep> steps);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYBUILDER_H
