//===- InPlace.h - arguments that may be one buffer -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A product's epilogue reads an element of what it adds, then it stores that of the result, and no
// other task has anything to do with either: so both may lie in one place. A layer may be passed
// one buffer for two arguments if the step that writes the one first is the last one that reads the
// other, in such a place.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_INPLACE_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_INPLACE_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace weft {

/// What is read, and what is written in its place: arguments of a function, operands of its calls.
struct InPlace {
  unsigned read, written;
};

/// What functions do with their arguments, as they are when they are asked for first.
class Arguments {
public:
  explicit Arguments(const mlir::SymbolTable &functions) : functions(functions) {}

  /// The function that a step runs, a kernel or a layer; null for other ops.
  mlir::func::FuncOp getCallee(mlir::Operation *step) const;
  /// Which may be one buffer.
  llvm::ArrayRef<InPlace> getInPlace(mlir::func::FuncOp function) { return of(function).inPlace; }
  bool isWritten(mlir::func::FuncOp function, unsigned number) {
    return of(function).written.contains(number);
  }

private:
  struct Uses {
    llvm::SmallVector<InPlace, 1> inPlace;
    llvm::SmallDenseSet<unsigned, 4> written;
  };
  const Uses &of(mlir::func::FuncOp function);
  Uses ofKernel(mlir::func::FuncOp kernel);
  Uses ofSteps(mlir::func::FuncOp function);

  const mlir::SymbolTable &functions;
  llvm::StringMap<Uses> known;
};

/// Calls `body` for what a step of the function may store in place: of buffers that it has for one
/// argument each, nothing reads the one behind it, and nothing has the other before it.
void eachInPlace(mlir::func::FuncOp function, Arguments &arguments,
                 llvm::function_ref<void(mlir::Value read, mlir::Value written)> body);

/// A step that is passed a buffer twice writes it in place only.
mlir::LogicalResult verifyInPlace(mlir::Operation *step, Arguments &arguments);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_WEFTTOKERNELS_INPLACE_H
