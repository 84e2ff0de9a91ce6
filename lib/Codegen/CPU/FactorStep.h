//===- FactorStep.h - one step of a register tile -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_FACTORSTEP_H
#define WEFT_LIB_CODEGEN_CPU_FACTORSTEP_H

#include "MicroKernel.h"

namespace weft {

/// The products of one step of k: an element of each row with a row of the panel, a pair with a
/// pair of rows, or four codes with four.
class FactorStep {
public:
  FactorStep(LaneBuilder &lanes, const TileFactors &factors) : lanes(lanes), factors(factors) {}

  /// Pointers to the rows' elements and the panel's rows of step number `position`.
  llvm::SmallVector<mlir::Value> getElements(const Lanes &position);
  mlir::Value getRow(const Lanes &position);

  /// Adds the products of the step `step` steps after these pointers; of a `half` one of a pair
  /// those of its first elements alone.
  void emit(llvm::ArrayRef<mlir::Value> elements, mlir::Value row, int64_t step, bool half,
            llvm::MutableArrayRef<mlir::Value> sums);

private:
  bool isCodes() const { return factors.columnType.isInteger(8); }
  bool isDot() const {
    bool arePairs = factors.rowType.isBF16() && factors.columnType.isBF16();
    return arePairs || isCodes();
  }
  mlir::Value addRowElements(mlir::Value pointer, const Lanes &elements);
  mlir::Value addRowElements(mlir::Value pointer, int64_t elements);
  mlir::Value loadColumns(mlir::Value row, int64_t step, int64_t v);
  mlir::Value loadElement(mlir::Value pointer, int64_t position);
  mlir::Value loadGroup(mlir::Value pointer, int64_t step, bool half);

  LaneBuilder &lanes;
  const TileFactors &factors;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_FACTORSTEP_H
