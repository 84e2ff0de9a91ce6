//===- Function.h - Functions under construction --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the elaboration knows about a function while it executes the statements of its body: its
// inputs, parameters and results.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_FUNCTION_H
#define WEFT_LIB_FRONTEND_EMIT_FUNCTION_H

#include "Sema/Scalar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include <map>

namespace weft::sema {

/// A parameter that a function needs, by its name below the function's scope.
struct Parameter {
  std::string name;
  ElementType element = ElementType::F32;
  llvm::SmallVector<Extent, 4> dims;
  std::vector<WeightRef> tied;
  SourceRange range;
  mlir::Value value;
};

/// An input of an entry.
struct Input {
  Tensor tensor;   ///< the argument
  Tensor elements; ///< what the text reads: the argument, or a choice between it and a formula
  bool optional = false;
  Tensor presence; ///< whether the caller passes it; null as long as nothing asks
};

/// An output of an entry.
struct Output {
  ast::Identifier name;
  Tensor tensor;
  ElementType element; ///< how the caller gets it
};

/// A func.func under construction.
struct Function {
  mlir::func::FuncOp op;
  mlir::OpBuilder builder;
  bool isEntry = false;
  unsigned numTensors = 0;
  std::vector<Parameter> parameters;
  llvm::StringMap<llvm::SmallVector<size_t, 1>> named; ///< which parameters have a name
  std::map<std::string, mlir::Operation *> checks; ///< run-time checks of whole tensors, each once
  /// For every run-time check the formulas that rely on it.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 1>> checked;

  // Entries only.
  std::map<std::string, Input> inputs;
  llvm::SmallVector<mlir::DictionaryAttr> inputAttrs; ///< of the arguments, until it is finished
  std::vector<Output> outputs;
  const ast::GenerateStmt *generate = nullptr;
  bool inEntryBlock = false;

  // Modules only.
  bool returned = false;
  std::vector<Tensor> results;

  explicit Function(mlir::MLIRContext *context) : builder(context) {}

  /// Adds an argument of an entry; its type is the function's when it is finished.
  mlir::Value insertInput(unsigned position, mlir::Type type, mlir::DictionaryAttr attributes,
                          mlir::Location location) {
    inputAttrs.insert(inputAttrs.begin() + position, attributes);
    return op.getBody().front().insertArgument(position, type, location);
  }
};

/// The attributes of an argument or result with a name.
inline mlir::DictionaryAttr nameAttribute(mlir::Builder &builder, llvm::StringRef name) {
  return builder.getDictionaryAttr(attrs::Name::named(builder.getContext(), name));
}

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_FUNCTION_H
