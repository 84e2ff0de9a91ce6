//===- StepFunctions.h - the derived functions of an entry, and their interpretation --------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_STEPFUNCTIONS_H
#define WEFT_LIB_REFERENCE_STEPFUNCTIONS_H

#include "weft/Reference/Verify.h"

namespace weft {

/// The functions of a step and the symbols it is about.
struct StepFunctions {
  mutable mlir::func::FuncOp step, last, start; ///< null where there is none
  llvm::StringRef length, count;

  static StepFunctions find(mlir::ModuleOp module, llvm::StringRef entry);
};

/// The name of an argument. Whether input X is given has none of its own: it is called "given X".
std::string argumentName(mlir::func::FuncOp function, unsigned i);

/// The inputs of `function` that are no state, by name.
llvm::Expected<std::vector<TensorRef>> pickInputs(mlir::func::FuncOp function,
                                                  const StepInputs &inputs);

/// The interpreter's state of a sequence, as its step wants it.
class InterpretedState {
public:
  InterpretedState(const StepFunctions &functions, const VerifyOptions &options)
      : functions(functions), options(options) {}

  /// Runs the start, if there is one; all other parts of the state begin as zeros.
  llvm::Error begin(llvm::StringMap<int64_t> symbols, const StepInputs &inputs);
  /// The rows of the output for the next piece of the inputs, or the last of them.
  llvm::Expected<TensorRef> advance(const llvm::StringMap<int64_t> &symbols,
                                    llvm::ArrayRef<TensorRef> inputs, bool last);

private:
  llvm::Expected<llvm::StringMap<TensorRef>> runStart(llvm::StringMap<int64_t> symbols,
                                                      const StepInputs &inputs);

  const StepFunctions &functions;
  const VerifyOptions &options;
  std::vector<TensorRef> parts; ///< in the order of the step's arguments
};

} // namespace weft

#endif
