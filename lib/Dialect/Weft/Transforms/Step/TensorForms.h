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
  mlir::Value whole, rows, last, full;
  /// Of `full`, if it is a cache: the dimensions of the tensor in the cache's order, and the first
  /// of the kept values of each; without these, all are kept.
  llvm::SmallVector<unsigned> order;
  llvm::SmallVector<int64_t> bases;

  bool isCache() const { return !order.empty(); }

  mlir::Value &operator[](Form form) {
    return form == Form::Whole  ? whole
           : form == Form::Rows ? rows
           : form == Form::Last ? last
                                : full;
  }
  mlir::Value operator[](Form form) const { return const_cast<TensorForms &>(*this)[form]; }
};
/// The dimensions 0 to `rank` - 1 with number `moved` at place `to`.
llvm::SmallVector<unsigned> getOrder(unsigned rank, unsigned moved, unsigned to);

using FormMap = llvm::DenseMap<mlir::Value, TensorForms>;

/// The types that the tensors of the original function have in a step.
class StepTypes {
public:
  /// `count` is the symbol N of the number of new positions, `lastCount` that of the last of them,
  /// which is 1: what is computed for them differs in nothing else.
  StepTypes(const Positions &positions, llvm::StringRef count, llvm::StringRef lastCount)
      : positions(positions), count(count), lastCount(lastCount) {}

  const Positions &getPositions() const { return positions; }
  /// Of the rows of a form.
  llvm::StringRef getCount(Form form) const { return form == Form::Last ? lastCount : count; }

  /// The index over the rows of a form for one over positions.
  IndexAttr getRowIndex(IndexAttr index, Form form) const;
  /// With these rows along dimension `dim`.
  mlir::RankedTensorType getRows(mlir::Type type, unsigned dim, Form form) const;
  /// Positions first, as many as there can be, so that new rows follow the old ones in memory.
  mlir::RankedTensorType getCache(mlir::Type type) const;
  /// As it is with all the positions that there can be.
  mlir::RankedTensorType getKept(mlir::Type type) const;
  /// Of an argument or a result of a layer; in full, a fresh tensor is its cache.
  mlir::Type get(mlir::Type type, Form form, unsigned rowDim, bool isFresh) const;

private:
  const Positions &positions;
  std::string count, lastCount;
};

} // namespace weft

#endif
