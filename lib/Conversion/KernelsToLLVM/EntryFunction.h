//===- EntryFunction.h - the typed C function of an entry -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYFUNCTION_H
#define WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYFUNCTION_H

#include "EntryCode.h"

#include "weft/Target/ModelDescription.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft {

/// The function of an entry, or of a step or its start, which have a state, under construction:
///
///   int NAME(weights, [state,] scratch, sizes..., inputs..., outputs...)
///
/// The sizes are the values of `symbols`.
class EntryFunction {
public:
  EntryFunction(mlir::ModuleOp module, mlir::Location loc, const ModelDescription &model,
                const EntryDescription &entry, std::vector<int32_t> symbols, bool hasState);

  mlir::LLVM::LLVMFuncOp getOp() { return function; }
  EntryCode &getCode() { return code; }
  mlir::Value getState() { return function.getArgument(1); }
  mlir::ValueRange getInputs() { return getTensors().take_front(entry.inputs.size()); }
  mlir::ValueRange getOutputs() { return getTensors().drop_front(entry.inputs.size()); }
  /// The size that is given for a symbol, or null.
  mlir::Value getSize(int32_t symbol);
  /// One value for each symbol of the model: 1 for those that no tensor of the entry has, which
  /// its kernels do not use either.
  llvm::SmallVector<mlir::Value> getSymbols();

  /// Leaves with WEFT_ERROR_ARGUMENT if a pointer is null that must not be.
  void checkPointers();
  /// Leaves with WEFT_ERROR_LENGTH if a size is not in 1 .. bound, or `outside` holds.
  void checkSizes(llvm::SmallVector<mlir::Value> outside = {});

  /// Makes what all calls share: the status, and whether the inputs that are asked for are given.
  /// Before the first check: only in the first block do places on the stack belong to the frame.
  void prepareCalls();
  /// Calls `body` `(weights, scratch, symbols..., status, inputs..., parts..., outputs...)`, where
  /// the answer follows an input that is asked for. Returns the error code.
  mlir::Value call(mlir::func::FuncOp body, mlir::ValueRange symbols, mlir::ValueRange inputs,
                   mlir::ValueRange parts, mlir::ValueRange outputs);

private:
  mlir::Value getScratch() { return function.getArgument(hasState ? 2 : 1); }
  mlir::ValueRange getSizes();
  mlir::ValueRange getTensors();

  const ModelDescription &model;
  const EntryDescription &entry;
  std::vector<int32_t> symbols;
  bool hasState;
  mlir::LLVM::LLVMFuncOp function;
  EntryCode code;
  mlir::Value status;
  llvm::SmallVector<mlir::Value> answers; ///< of every input; null if it is not asked for
};

/// The uniform function of a typed one (`weft_call`, `weft_step_call`): unpacks the arrays of
/// sizes, inputs and outputs behind `numPointers` pointers and calls `typed`.
mlir::LLVM::LLVMFuncOp buildUniform(mlir::ModuleOp module, mlir::LLVM::LLVMFuncOp typed,
                                    unsigned numPointers, llvm::ArrayRef<int32_t> symbols,
                                    const EntryDescription &entry);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYFUNCTION_H
