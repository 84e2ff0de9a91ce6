//===- PackedContraction.h - a contraction seen as a matrix product -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_PACKEDCONTRACTION_H
#define WEFT_CODEGEN_COMMON_PACKEDCONTRACTION_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// A contraction `C[m, n] = sum(k) A[m, k] * B[k, n]` where B is stored as panels
/// `[ceil(N/nr)][K][nr]`, so its map is `(n floordiv nr, k, n mod nr)`; m, n and k may each be
/// several indices, the last of them fastest.
struct PackedContraction {
  unsigned packed;                     ///< the input that is B: 0 or 1
  llvm::SmallVector<unsigned> m, n, k; ///< positions of indices
  int64_t nr, numPanels, sizeN, sizeK;

  unsigned getOther() const { return 1 - packed; }
  /// The contraction as such a product, if it is one and the other factor is read at an affine
  /// map of m and k without division.
  static std::optional<PackedContraction> match(ContractOp op);
};

/// nr, if the contraction is such a product and panels are whole vectors of this width (above 1).
std::optional<int64_t> getPanelWidth(ContractOp op, int64_t width);

/// The coefficients of the dimensions in an expression, if it is linear.
std::optional<llvm::SmallVector<int64_t>> getLinearCoefficients(mlir::AffineExpr expr,
                                                                unsigned numDims);

} // namespace weft

#endif
