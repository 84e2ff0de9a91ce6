//===- ScalarProgram.h - a formula's region as a list of instructions -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A region is evaluated for every element of a tensor, so it is translated once: every SSA value
// gets a slot, every op becomes a function pointer with the slots of its operands.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_SCALARPROGRAM_H
#define WEFT_LIB_REFERENCE_SCALARPROGRAM_H

#include "Environment.h"

namespace weft::reference {

struct Instruction;
using ScalarFunction = void (*)(const Instruction &, Scalar *slots);

/// One op. `a`, `b`, `c` and `result` are slots.
struct Instruction {
  ScalarFunction function = nullptr;
  unsigned result = 0, a = 0, b = 0, c = 0;
  /// Widths of the integer result and of the first operand (64 for index).
  unsigned bits = 64, fromBits = 64;
  /// cmpi, cmpf.
  int64_t predicate = 0;
  /// weft.at: what is read and the slots of the coordinates.
  TensorRef source;
  llvm::SmallVector<unsigned> coordinates;
  /// weft.inner: `a` is the slot of the body's argument and `b` of what it yields.
  std::vector<Instruction> body;
  ReduceKind kind = ReduceKind::Sum;
  int64_t extent = 0;
  /// How the result is rounded, and by how many units.
  Arithmetic arithmetic = Arithmetic::Exact;
  int units = 1;
};

class ScalarProgram {
public:
  /// Translates `region`, whose formula has `numIndices` indices. An empty region gives a program
  /// that yields nothing.
  static llvm::Expected<ScalarProgram> compile(mlir::Region &region, unsigned numIndices,
                                               const Environment &environment);

  /// The value of an index or of a region's argument, to be set before `run`.
  Scalar &index(unsigned i) { return slots[i]; }
  Scalar &argument(unsigned i) { return slots[numIndices + i]; }
  void setIndices(llvm::ArrayRef<int64_t> values) {
    for (auto [i, value] : llvm::enumerate(values))
      slots[i].integer = value;
  }

  void run();
  /// What the last run yielded.
  Scalar result(unsigned i = 0) const { return slots[results[i]]; }

private:
  friend class ScalarCompiler;
  unsigned numIndices = 0;
  std::vector<Instruction> prologue, instructions;
  std::vector<Scalar> slots;
  llvm::SmallVector<unsigned> results;
};

/// The function of an arith or math op, or null for an unknown one.
ScalarFunction lookupScalarFunction(llvm::StringRef opName);

} // namespace weft::reference

#endif
