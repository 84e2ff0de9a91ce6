//===- TensorForms.h - what stands for a tensor in a step -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_TENSORFORMS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_TENSORFORMS_H

#include "StepPlan.h"

namespace weft {

/// What stands for a tensor of the original function, in the forms that are needed.
struct TensorForms {
  mlir::Value whole, rows, full;
  bool isCache = false;             ///< of `full`: positions come first
  llvm::SmallVector<int64_t> bases; ///< of a cache: the first of the kept values of each dimension

  mlir::Value &operator[](Form form) {
    return form == Form::Whole ? whole : form == Form::Rows ? rows : full;
  }
  mlir::Value operator[](Form form) const { return const_cast<TensorForms &>(*this)[form]; }
};
using FormMap = llvm::DenseMap<mlir::Value, TensorForms>;

/// The types that the tensors of the original function have in a step.
class StepTypes {
public:
  /// `count` is the symbol N of the number of new positions.
  StepTypes(const Positions &positions, llvm::StringRef count)
      : positions(positions), count(count) {}

  const Positions &getPositions() const { return positions; }
  llvm::StringRef getCount() const { return count; }

  /// The index over rows for one over positions.
  IndexAttr getRowIndex(IndexAttr index) const;
  /// With the rows along dimension `dim`.
  mlir::RankedTensorType getRows(mlir::Type type, unsigned dim) const;
  /// Positions first, as many as there can be, so that new rows follow the old ones in memory.
  mlir::RankedTensorType getCache(mlir::Type type) const;
  /// As it is with all the positions that there can be.
  mlir::RankedTensorType getKept(mlir::Type type) const;
  /// Of an argument or a result of a layer; in full, a fresh tensor is its cache.
  mlir::Type get(mlir::Type type, Form form, unsigned rowDim, bool isFresh) const;

private:
  const Positions &positions;
  std::string count;
};

} // namespace weft

#endif
