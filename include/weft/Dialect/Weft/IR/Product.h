//===- Product.h - a contraction seen as products of matrices -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// C[b, m, n] = sum(k) A[b, m, k] * B[b, k, n], where b, m, n and k are lists of indices. One of the
// factors is B, the matrix of columns; seen from the other side, C[b, n, m], it is A.
//
// Data may choose among matrices of B, for each row one: C[b, m, n] = sum(k) A[b, m, k] *
// B[b, choice[b, m], k, n], a product for each matrix, of those rows that choose it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_PRODUCT_H
#define WEFT_DIALECT_WEFT_IR_PRODUCT_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Which index of a contraction plays which part.
struct Product {
  unsigned columns; ///< the input that is B: 0 or 1
  /// Positions of indices: of both factors, of A (or of none), of B, reduced ones. The first three
  /// as the output stores them, k as A does. An index whose values have sums of their own is the
  /// last of m.
  llvm::SmallVector<unsigned> batch, m, n, k;
  /// Of the batch, the index of which each row has one value.
  std::optional<unsigned> chosen;

  unsigned getRows() const { return 1 - columns; } ///< the input that is A

  /// The contraction as a product with B at `columns`, if every reduced index (of more than one
  /// value) is of both factors and A is read at maps that are linear in them; there is an n and a
  /// k.
  static std::optional<Product> match(ContractOp op, unsigned columns);
  /// The same, and those whose matrices data choose.
  static std::optional<Product> matchAny(ContractOp op, unsigned columns);
  /// As a product of factors that can be multiplied, with B stored in panels (`#weft.layout` of
  /// getPanelDepth() rows), all of which are read: n, k and batch in the order of the layout. A may
  /// be split into parts, in tiles of rows; then B is a real, in panels of as many columns.
  static std::optional<Product> matchPacked(ContractOp op);

  /// Seen from the side of B, with k as that stores it, C[b, n, m], if B is read at maps that are
  /// linear in k.
  std::optional<Product> getFlipped(ContractOp op) const;

private:
  bool addChoice(ContractOp op);
};

/// Rows that a unit of tiles multiplies at once; a padded buffer has memory for a multiple.
inline constexpr int64_t kUnitRows = 16;

/// Of factors that are split into parts: the rows of A whose elements lie together, and how many of
/// each row lie side by side, 64 bytes of bf16; the columns of a panel of B.
inline constexpr int64_t kSplitTile = 32;
/// Rows of a panel that units multiply at once then.
inline constexpr int64_t kSplitDepth = 2;

/// How many numbers of bf16 a real of this type is the sum of: f32 of 3, f16 of 2, bf16 of 1.
int64_t getExactParts(mlir::Type real);

/// Whether a factor B lies in panels that rows of parts are multiplied with: f32 and f16 are split
/// while they are.
bool hasSplitPanels(mlir::Type columns);

/// Rows that lie side by side in the panels of a factor of this type: pairs of bf16 and four
/// integers, which units multiply at once, else one.
int64_t getPanelDepth(mlir::Type element);

/// Whether a factor B in panels of `columns` is multiplied with a factor A of `rows`: with its own
/// type, extended with f32, of f32 with what is extended to it, or, if its codes stand for whole
/// numbers, with codes.
bool canMultiply(mlir::Type rows, mlir::Type columns, CodeTable table = CodeTable::None);

/// The dimensions of an input that the indices at `positions` read, if each of them reads one
/// dimension, which it reads alone and as a whole.
std::optional<llvm::SmallVector<int64_t>> getDimsReadBy(FormulaOpInterface op, unsigned input,
                                                        llvm::ArrayRef<unsigned> positions);

/// The columns of a panel, if `op` is such a product that vectors of `width` lanes can walk
/// through.
std::optional<int64_t> getPanelWidth(ContractOp op, int64_t width);

/// Whether an input of one product's epilogue may be what another makes in the same task: it reads
/// the other's result where it stores its own, and both have factors of the same types and maps,
/// the rows of which, and what these choose, are the same, as the caller knows.
bool canMakeFor(ContractOp maker, ContractOp reader, unsigned input);

/// Products that one task makes, at most: each but the last has a block of its own on the stack.
inline constexpr size_t kMostChained = 3;

/// The product of the bounds of some indices, saturated.
int64_t getBoundProduct(mlir::ArrayAttr indices, llvm::ArrayRef<unsigned> positions);

/// The same of one example of a batch: what is chosen for one is chosen for several, whose rows
/// have the same bits.
int64_t countOfExample(ContractOp op, llvm::ArrayRef<unsigned> positions);

/// The coefficients of the dimensions in `expr`; nullopt if it is not a sum of multiples.
std::optional<llvm::SmallVector<int64_t>> getLinearCoefficients(mlir::AffineExpr expr,
                                                                unsigned numDims);

/// Elements of an input from one value of the index to the next, if no run-time size is part of it
/// and they are equally many everywhere.
std::optional<int64_t> getStaticStride(FormulaOpInterface op, unsigned input, unsigned position);

} // namespace weft

#endif
