//===- Formula.h - what the evaluation of every formula needs -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_FORMULA_H
#define WEFT_LIB_REFERENCE_FORMULA_H

#include "Access.h"
#include "Rounding.h"
#include "ScalarProgram.h"

namespace weft::reference {

/// An input: its tensor and where the formula reads it.
struct Input {
  TensorRef tensor;
  Access access;
  Scalar load(llvm::ArrayRef<int64_t> point) const { return tensor->load(access.offset(point)); }
};

/// A result: its tensor and where the formula writes it.
struct Output {
  std::shared_ptr<Tensor> tensor;
  ElementType stored;
  Access access;
  Arithmetic arithmetic;
  /// Compiled code adds up in another order.
  static constexpr int kUnitsOfSums = 4;

  void store(llvm::ArrayRef<int64_t> point, Scalar value) {
    if (arithmetic != Arithmetic::Exact && tensor->isReal())
      value.real = roundNumber(value.real, arithmetic, kUnitsOfSums);
    tensor->store(access.offset(point), roundScalar(stored, value));
  }
};

/// A formula with its indices' extents, its inputs and its (zeroed) results.
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
  void store(Scalar value, unsigned result = 0) { outputs[result].store(point, value); }

  mlir::Operation *op;
  unsigned numOutputIndices;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<Input, 0> inputs;
  llvm::SmallVector<Output, 0> outputs;
  /// The current values of the indices.
  llvm::SmallVector<int64_t> point;
};

/// A formula's elements while one index runs and the others stay where they are: an offset that
/// moves evenly with it is not computed again for each.
class Line {
public:
  Line(Formula &formula, unsigned index);

  /// The other indices are at the formula's point now, and `programs` are those that will run.
  void begin(std::initializer_list<ScalarProgram *> programs);
  /// Runs a program at `position` of the line.
  Scalar run(ScalarProgram &program, int64_t position);

private:
  struct Read {
    const Tensor *tensor;
    int64_t first, stride;
  };

  Formula &f;
  unsigned index;
  bool isEven = true;
  llvm::SmallVector<Read, 4> reads;
};

/// The extents of the indices of a formula or check.
llvm::Expected<llvm::SmallVector<int64_t>> extentsOf(IndexedOpInterface op,
                                                     const Environment &environment);
/// Its inputs with their maps.
llvm::Expected<llvm::SmallVector<Input, 0>>
inputsOf(IndexedOpInterface op, llvm::ArrayRef<int64_t> extents, const Environment &environment);

llvm::Error evaluate(MapOp op, Formula &formula, const Environment &environment);
llvm::Error evaluate(ReduceOp op, Formula &formula, const Environment &environment);
llvm::Error evaluate(ContractOp op, Formula &formula, const Environment &environment);
llvm::Error evaluate(SoftmaxOp op, Formula &formula, const Environment &environment);
llvm::Error evaluate(RowOp op, Formula &formula, const Environment &environment);
llvm::Error evaluate(AttentionOp op, Formula &formula, const Environment &environment);

} // namespace weft::reference

#endif
