//===- Interpreter.h - the reference interpreter of the weft dialect ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Runs a function of the stages `graph` and `fused` (formulas on tensors) element by element:
// what every op means, without any of the ways in which it is made fast. Reals are computed in
// float64, integers in int64 wrapped to the width of their type.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_REFERENCE_INTERPRETER_H
#define WEFT_REFERENCE_INTERPRETER_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Reference/Tensor.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace weft {

/// A `weft.check` that does not hold for the given inputs.
class CheckFailure : public llvm::ErrorInfo<CheckFailure> {
public:
  static char ID; ///< what llvm::ErrorInfo asks for
  /// `message` is the whole line, with the place of the check.
  CheckFailure(std::string message, int code) : message(std::move(message)), errorCode(code) {}
  /// Prints the message.
  void log(llvm::raw_ostream &os) const override { os << message; }
  /// The error has no std::error_code of its own.
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  /// What the compiled function returns (WEFT_ERROR_INDEX).
  int code() const { return errorCode; }

private:
  std::string message;
  int errorCode;
};

/// How the interpreter computes with reals: in float64, or rounding as f32 does after every
/// operation: to nearest; or always down, always up, or as the bits of the number have it, and sums
/// by a few units of the last place more.
enum class Arithmetic { Exact, Nearest, Down, Up, Mixed, Opposite };

/// What a function needs besides its arguments. All members may be empty.
struct InterpreterOptions {
  /// Values of run-time symbols; those that the inputs' shapes tell may be left out.
  llvm::StringMap<int64_t> symbols;
  /// The values of a weight, in the shape of its type.
  std::function<llvm::Expected<TensorRef>(WeightOp)> weights;
  /// Called for the (first) result of every formula with a `weft.label`, in the order of execution.
  /// The tensor's dimensions are the output indices, whatever the stored layout.
  std::function<void(mlir::Operation *, const Tensor &)> observer;
  Arithmetic arithmetic = Arithmetic::Exact;
  /// Values of formulas of the function, which those that read them get in place of the
  /// interpreter's own. What is returned is the interpreter's all the same.
  llvm::DenseMap<mlir::Value, TensorRef> given = llvm::DenseMap<mlir::Value, TensorRef>();
};

/// The results of `function` for `inputs`. A condition that the inputs do not meet is a
/// CheckFailure; what the interpreter cannot run (an unknown op, a missing symbol, a shape that
/// contradicts a type) is a plain error that names the place.
llvm::Expected<std::vector<TensorRef>> interpret(mlir::func::FuncOp function,
                                                 llvm::ArrayRef<TensorRef> inputs,
                                                 const InterpreterOptions &options = {});

/// The results of one formula. `known` holds the tensors it reads, those that its regions read
/// included.
llvm::Expected<llvm::SmallVector<TensorRef>>
interpretOp(FormulaOpInterface op, const llvm::DenseMap<mlir::Value, TensorRef> &known);

} // namespace weft

#endif
