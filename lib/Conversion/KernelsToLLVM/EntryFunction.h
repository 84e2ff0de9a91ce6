//===- EntryFunction.h - the typed C function of an entry -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYFUNCTION_H
#define WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYFUNCTION_H

#include "DeviceProgram.h"
#include "EntryCode.h"

#include "weft/Target/ModelDescription.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft {

/// The uniform function of an entry, or of a step or its start, which have a state, under
/// construction (`weft_call`, `weft_step_call`):
///
///   int NAME.call(weights, [state,] scratch, sizes, inputs, outputs)
///
/// The last three are lists. It checks the values of `symbols` in `sizes`, and the pointers.
class EntryFunction {
public:
  EntryFunction(mlir::ModuleOp module, mlir::Location loc, const ModelDescription &model,
                const EntryDescription &entry, std::vector<int32_t> symbols, bool hasState);

  mlir::LLVM::LLVMFuncOp getOp() { return function; }
  EntryCode &getCode() { return code; }
  mlir::Value getState() { return function.getArgument(1); }
  mlir::Value getSizes() { return getList(0); }
  mlir::Value getInput(unsigned i) { return code.loadElement(code.pointer, getList(1), i); }
  mlir::Value getOutput(unsigned i) { return code.loadElement(code.pointer, getList(2), i); }
  /// The size that is given for a symbol.
  mlir::Value getSize(int32_t symbol) { return code.loadElement(code.i64, getSizes(), symbol); }
  llvm::ArrayRef<int32_t> getSymbols() const { return symbols; }

  /// Leaves with what the module's check of the processor says, if it has one.
  void checkProcessor();
  /// Leaves with WEFT_ERROR_ARGUMENT if a pointer is null that must not be.
  void checkPointers();
  /// Leaves with WEFT_ERROR_LENGTH if a size is not in 1 .. bound, or `outside` holds.
  void checkSizes(llvm::SmallVector<mlir::Value> outside = {});

  /// Makes what all calls share: the status, and the list of the tensors of `body` with the parts
  /// of a state. Checks the processor as soon as it has their places: only in the first block do
  /// these belong to the frame, and the lists of tensors are read after it.
  void prepareCalls(const StateParts &parts = {});
  /// Fills the list with all inputs and outputs as they are given.
  void passTensors();
  /// Fills one place of the list.
  void passInput(unsigned i, mlir::Value address) { pass(inputPlaces[i], address); }
  void passPart(unsigned i, mlir::Value address) { pass(firstPart + i, address); }
  void passOutput(unsigned i, mlir::Value address) { pass(firstOutput + i, address); }
  /// Calls `body` `(weights, scratch, sizes, status, tensors)`; the tensors are the inputs, parts
  /// and outputs, where the answer follows an input that is asked for. Returns the error code.
  mlir::Value call(mlir::func::FuncOp body, mlir::Value sizes);

private:
  mlir::Value getScratch() { return function.getArgument(hasState ? 2 : 1); }
  mlir::Value getWeights();
  mlir::Value getList(unsigned i) { return function.getArgument((hasState ? 3 : 2) + i); }
  mlir::Value callDevice(mlir::func::FuncOp body, mlir::Value sizes);
  void pass(unsigned place, mlir::Value address);
  void copy(unsigned place, mlir::Value list, unsigned first, unsigned count);

  const ModelDescription &model;
  const EntryDescription &entry;
  std::vector<int32_t> symbols;
  bool hasState;
  mlir::LLVM::LLVMFuncOp function;
  EntryCode code;
  mlir::Value status, tensors;
  StateParts state;
  llvm::SmallVector<unsigned> inputPlaces; ///< in `tensors`
  unsigned firstPart = 0, firstOutput = 0;
};

/// The typed C function of an entry, NAME(weights, [state,] scratch, sizes..., inputs...,
/// outputs...), where the sizes are those of the uniform function's symbols. It makes lists of them
/// and calls `uniform`.
void buildTyped(mlir::ModuleOp module, const ModelDescription &model, const EntryDescription &entry,
                EntryFunction &uniform);

/// The function `weft_processor_check` of the module; null if there is none.
mlir::LLVM::LLVMFuncOp findProcessorCheck(mlir::ModuleOp module);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_ENTRYFUNCTION_H
