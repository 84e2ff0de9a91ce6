//===- RowFactor.h - the factor of a product that is not packed -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_ROWFACTOR_H
#define WEFT_CODEGEN_COMMON_ROWFACTOR_H

#include "weft/Codegen/Common/Kernel.h"
#include "weft/Dialect/Weft/IR/Product.h"

namespace weft {

/// The symbol of a dynamic dimension of a kernel's argument; empty if it is not known.
llvm::StringRef getSymbolOf(mlir::Value buffer, int64_t dim);

/// The matrix A of `C[m, n] = sum(k) A[m, k] * B[k, n]`, as rows that are walked along k. The
/// trailing indices of k whose elements are evenly spaced are one *run*; those outside of it need
/// loops of their own.
class RowFactor {
public:
  RowFactor(ContractOp op, const Product &product);

  /// Whether all of k is one run.
  bool isOneRun() const { return outer.empty(); }
  /// Whether elements of a run lie side by side.
  bool isContiguous() const { return getStaticStride(run.back()) == 1; }
  /// Whether the rows are equally far from each other, and how far.
  bool hasEvenRows() const;
  Lanes getRowStride(LaneBuilder &lanes, const Kernel &kernel) const;
  llvm::ArrayRef<unsigned> getOuter() const { return outer; } ///< slowest first
  llvm::ArrayRef<unsigned> getRun() const { return run; }     ///< the others

  /// Elements from one value of the index to the next.
  Lanes getStride(LaneBuilder &lanes, const Kernel &kernel, unsigned position) const;
  /// The same within a run.
  Lanes getRunStride(LaneBuilder &lanes, const Kernel &kernel) const;
  /// Pointers to the first elements of the rows `first, first + 1, ...` of m. `values` are those of
  /// the indices that are none of the row's.
  llvm::SmallVector<mlir::Value> getPointers(LaneBuilder &lanes, const Kernel &kernel,
                                             llvm::ArrayRef<Lanes> values, const Lanes &first,
                                             int64_t count, Interval rows) const;

  /// Elements from one value of the index to the next, if no run-time size is part of it.
  std::optional<int64_t> getStaticStride(unsigned position) const;

private:
  bool areNeighbours(unsigned outer, unsigned inner) const;
  unsigned getRunLength() const;

  FormulaOpInterface formula;
  Product product;
  mlir::Value buffer;
  mlir::AffineMap map;
  llvm::SmallVector<unsigned> outer, run;
};

} // namespace weft

#endif
