//===- TensorReads.h - where a formula reads which rows of a tensor -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What `weft-derive-step` asks of a formula: along which dimensions positions run, and whether a
// tensor is read at the very position that is computed (docs/Decoding.md).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TENSORREADS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TENSORREADS_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// The symbol T of the positions.
class Positions {
public:
  explicit Positions(llvm::StringRef symbol) : symbol(symbol) {}

  llvm::StringRef getSymbol() const { return symbol; }
  /// The dimensions of `type` that count positions.
  llvm::SmallVector<unsigned> getDims(mlir::Type type) const;
  /// Whether `index` runs over the positions.
  bool isRange(IndexAttr index) const;

private:
  std::string symbol;
};

/// One read of a tensor by a formula or a check: an input through its map, or a `weft.at`.
struct TensorRead {
  mlir::Value tensor;
  mlir::AffineMap map; ///< of an input
  mutable AtOp at;     ///< of a read in a region

  /// Whether coordinate `dim` is the value of the formula's index `row`, on which no other
  /// coordinate of an input depends. (The others of a `weft.at` are computed from the position.)
  bool isExactly(unsigned dim, unsigned row) const;
  mlir::Location getLoc() const { return at ? at.getLoc() : tensor.getLoc(); }
};

/// How far `coordinate` lies behind the index `position` of a formula or a check.
mlir::AffineExpr getDistance(IndexedOpInterface op, unsigned position, mlir::AffineExpr coordinate);
/// All reads of a formula or a check: the inputs, then every `weft.at` in the order of a walk.
llvm::SmallVector<TensorRead> getReads(IndexedOpInterface op);

/// The index of a formula whose values are the positions that a step computes, for rows along
/// dimension `rowDim` of one of its results.
unsigned getRowIndex(mlir::OpResult result, unsigned rowDim);
/// The same of a check: the first index over positions.
std::optional<unsigned> getRowIndex(CheckOp op, const Positions &positions);

} // namespace weft

#endif
