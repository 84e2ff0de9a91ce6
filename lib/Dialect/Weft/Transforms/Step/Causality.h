//===- Causality.h - proofs that a formula does not look ahead ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The obligations (O1), (O2) and (O3) of docs/Decoding.md for one formula.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_CAUSALITY_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_CAUSALITY_H

#include "TensorReads.h"

namespace weft {

/// Why a step cannot be derived: a message at a place, and the places that lead there.
struct Refusal {
  mlir::Location loc;
  std::string message;
  llvm::SmallVector<std::pair<mlir::Location, std::string>> notes = {};
};

/// What a message calls the formula: its name in quotes.
std::string nameOfFormula(mlir::Operation *op);

/// What one formula (or check) sees from a row of its index `row`; without one, from everywhere it
/// is defined. The proofs return nothing, or what they fail at.
class CausalityProof {
public:
  CausalityProof(IndexedOpInterface op, std::optional<unsigned> row, const Positions &positions)
      : op(op), row(row), positions(positions) {}

  /// (O3), (O1): the length is read nowhere, and no reduced index is ahead of the row.
  std::optional<Refusal> proveFormula();

  /// (O2), after (O1): coordinate `dim` of a read of a fresh tensor is not ahead of the row.
  std::optional<Refusal> proveRead(const TensorRead &read, unsigned dim);

private:
  std::optional<Refusal> proveIndex(unsigned index);
  bool isNotAhead(mlir::AffineExpr coordinate) const;
  bool isNotAhead(mlir::Value coordinate) const;
  Refusal lookAhead(const llvm::Twine &why);

  mutable IndexedOpInterface op;
  std::optional<unsigned> row;
  const Positions &positions;
  /// Indices over positions of which none is ahead: the row's, those of further dimensions of the
  /// result, which belong to the element, and those held by (O1).
  llvm::SmallVector<unsigned> seen;
};

} // namespace weft

#endif
