//===- Formula.h - what the evaluation of every formula needs -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_FORMULA_H
#define WEFT_LIB_REFERENCE_FORMULA_H

#include "Access.h"
#include "ScalarProgram.h"

namespace weft::reference {

/// An input: its tensor and where the formula reads it.
struct Input {
  TensorRef tensor;
  Access access;
  Scalar load(llvm::ArrayRef<int64_t> point) const { return tensor->load(access.offset(point)); }
};

/// A formula with its indices' extents, its inputs and its (zeroed) result.
struct Formula {
  static llvm::Expected<Formula> create(mlir::Operation *op, const Environment &environment);

  /// Sets the arguments of `program` to the elements of inputs `first`.. at `point`.
  void loadArguments(ScalarProgram &program, unsigned first = 0, unsigned argument = 0);
  /// Runs `program`, whose arguments are all inputs, at `point`.
  Scalar run(ScalarProgram &program) {
    loadArguments(program);
    program.run();
    return program.result();
  }
  void store(Scalar value) { result->store(output->offset(point), roundScalar(stored, value)); }

  mlir::Operation *op;
  unsigned numOutputIndices;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<Input, 0> inputs;
  std::shared_ptr<Tensor> result;
  ElementType stored; ///< of the result
  std::optional<Access> output;
  /// The current values of the indices.
  llvm::SmallVector<int64_t> point;
};

/// Extents of a list of indices.
llvm::Expected<llvm::SmallVector<int64_t>> extentsOf(mlir::ArrayAttr indices,
                                                     const Environment &environment);
/// Inputs with their maps.
llvm::Expected<llvm::SmallVector<Input, 0>> inputsOf(mlir::Operation *op, mlir::OperandRange values,
                                                     mlir::ArrayAttr maps,
                                                     llvm::ArrayRef<int64_t> extents,
                                                     const Environment &environment);

llvm::Error evaluate(MapOp op, Formula &formula, const Environment &environment);
llvm::Error evaluate(ReduceOp op, Formula &formula, const Environment &environment);
llvm::Error evaluate(ContractOp op, Formula &formula, const Environment &environment);
llvm::Error evaluate(SoftmaxOp op, Formula &formula, const Environment &environment);
llvm::Error evaluate(AttentionOp op, Formula &formula, const Environment &environment);

} // namespace weft::reference

#endif
