//===- Readers.h - who reads a tensor, and in which type ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_READERS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_READERS_H

#include "Types/FactorTypes.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

namespace weft {

inline mlir::Type elementOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}

/// Whether the types of the value are the caller's, or what its formula needs.
bool isFixed(mlir::Value value);
/// The same of a result of a function.
bool isFixedResult(mlir::OpOperand &use);

/// The types that a class of tensors is read in.
struct Readers {
  llvm::SmallVector<mlir::OpOperand *> factors; ///< with a type of their own
  llvm::SmallVector<mlir::OpOperand *> copies;  ///< formulas that have elements of it
  bool hasOthers = false;                       ///< elements, or results for the caller

  void add(llvm::ArrayRef<mlir::Value> members, FactorTypes &types);
  /// The one that all of them want; null if there is none. That of copies is known.
  mlir::Type getWanted(FactorTypes &types) const;

private:
  void add(mlir::OpOperand &use, FactorTypes &types);
};

/// A cache in all functions that hand it on, and where it takes new rows.
struct Cache {
  llvm::SmallVector<mlir::Value> members;
  llvm::SmallVector<AppendOp> appends;
};

llvm::SmallVector<Cache> findCaches(mlir::ModuleOp module, const TensorClasses &classes);

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_READERS_H
