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

/// Writes the typed C function of `entry`, which checks what it is given and calls `body`
/// `(weights, arena, symbols..., status, inputs..., outputs...)`; an input that the entry asks for
/// is followed by the answer. Returns the uniform function (`weft_call`), which unpacks its arrays
/// and calls the typed one.
mlir::LLVM::LLVMFuncOp buildEntry(mlir::ModuleOp module, const ModelDescription &model,
                                  const EntryDescription &entry, mlir::func::FuncOp body);

/// The uniform functions (`weft_step_call`) of an entry that continues a sequence.
struct StepCalls {
  mlir::LLVM::LLVMFuncOp step, start;
};

/// Writes the typed C functions of a step and of its start, and the uniform ones. `body` is
/// `(weights, arena, symbols..., status, inputs..., parts of the state..., outputs...)`; that
/// of the start, if there is one, ends with the parts that it makes.
StepCalls buildStep(mlir::ModuleOp module, const ModelDescription &model,
                    const StepDescription &step, mlir::func::FuncOp body,
                    mlir::func::FuncOp startBody);

/// Writes `MODEL_info` and `weft_get_info`; `calls` are the uniform functions of the entries.
void buildModelInfo(mlir::ModuleOp module, const ModelDescription &model,
                    llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> calls, llvm::ArrayRef<StepCalls> steps);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYBUILDER_H
