//===- VerifyFormula.h - What all formulas must fulfil --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The constraints that ops share, by the numbers of WeftOps.td. Messages begin with the op's name.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_IR_VERIFYFORMULA_H
#define WEFT_LIB_DIALECT_WEFT_IR_VERIFYFORMULA_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// (C1): the maps fit the inputs and the indices.
mlir::LogicalResult verifyMaps(IndexedOpInterface op);

/// Divisors in `map`, which messages call `name`, are constants above 0.
mlir::LogicalResult verifyDivisors(mlir::Operation *op, mlir::AffineMap map,
                                   const llvm::Twine &name, llvm::StringRef tag);

/// The input depends on none of the indices from `from` to before `to`, which messages call `what`.
mlir::LogicalResult verifyIndependent(FormulaOpInterface op, unsigned input, unsigned from,
                                      unsigned to, llvm::StringRef what, llvm::StringRef tag);

/// (C1), (C3), (C4), (C5): accesses and outputs of a formula.
mlir::LogicalResult verifyFormula(FormulaOpInterface op);

/// Every index of a formula that does not reduce is the output's.
mlir::LogicalResult verifyNothingReduced(FormulaOpInterface op);

/// What a region must look like, and how messages call it.
struct RegionRule {
  llvm::StringRef name;
  llvm::StringRef tag;
  llvm::SmallVector<mlir::Type> arguments;
  llvm::SmallVector<mlir::Type> yields;
};
mlir::LogicalResult verifyRegion(mlir::Operation *op, mlir::Region &region, const RegionRule &rule);

/// A region that yields whether an element counts; it may be absent.
mlir::LogicalResult verifyPredicate(mlir::Operation *op, mlir::Region &predicate,
                                    llvm::SmallVector<mlir::Type> arguments, llvm::StringRef tag);

/// What the elements of tensors or buffers are in regions.
llvm::SmallVector<mlir::Type> computeTypes(mlir::ValueRange values);
mlir::Type outputComputeType(FormulaOpInterface op);

/// The elements that `what` says are real.
mlir::LogicalResult verifyReals(mlir::Operation *op, mlir::ShapedType type, const llvm::Twine &what,
                                llvm::StringRef tag);
/// The output is stored in f32.
mlir::LogicalResult verifyOutputF32(FormulaOpInterface op, llvm::StringRef tag);

} // namespace weft

#endif
