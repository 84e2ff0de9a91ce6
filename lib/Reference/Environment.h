//===- Environment.h - what is known while a function is interpreted ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_ENVIRONMENT_H
#define WEFT_LIB_REFERENCE_ENVIRONMENT_H

#include "weft/Reference/Interpreter.h"

namespace weft::reference {

/// The tensors of one function's activation, and the symbols of the run.
class Environment {
public:
  explicit Environment(const llvm::StringMap<int64_t> &symbols,
                       Arithmetic arithmetic = Arithmetic::Exact)
      : symbols(symbols), arithmetic(arithmetic) {}

  void set(mlir::Value value, TensorRef tensor) { tensors[value] = std::move(tensor); }
  llvm::Expected<TensorRef> tensor(mlir::Value value) const;
  llvm::Expected<int64_t> symbol(llvm::StringRef name) const;
  /// How far an index runs.
  llvm::Expected<int64_t> extent(IndexAttr index) const;
  Arithmetic getArithmetic() const { return arithmetic; }

private:
  llvm::DenseMap<mlir::Value, TensorRef> tensors;
  const llvm::StringMap<int64_t> &symbols;
  Arithmetic arithmetic;
};

/// An error "file:line:col: message" at the place of `op`.
llvm::Error errorAt(mlir::Operation *op, const llvm::Twine &message);

/// The results of a formula (one of the FormulaOpInterface ops), in their stored layouts.
llvm::Expected<llvm::SmallVector<TensorRef>> evaluateFormula(FormulaOpInterface op,
                                                             const Environment &environment);
/// Success if the condition holds everywhere.
llvm::Error evaluateCheck(CheckOp op, const Environment &environment);

} // namespace weft::reference

#endif
