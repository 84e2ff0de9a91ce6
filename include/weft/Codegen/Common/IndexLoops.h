//===- IndexLoops.h - loops over the indices of a formula -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Which indices are looped over is said by their positions in the formula's list. `values` are the
// values of all its indices, of which a loop sets its own.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_INDEXLOOPS_H
#define WEFT_CODEGEN_COMMON_INDEXLOOPS_H

#include "weft/Codegen/Common/Kernel.h"
#include "weft/Codegen/Common/RowSchedules.h"

namespace weft {

/// Loops over some indices of a formula, cut into tasks as the schedule says.
class IndexLoops {
public:
  /// `steps` says which loops go through their range in larger steps than 1 (by position in the
  /// formula's list).
  IndexLoops(mlir::ArrayAttr indices, llvm::ArrayRef<unsigned> positions, const RowTasks &tasks,
             const llvm::DenseMap<unsigned, int64_t> &steps = llvm::DenseMap<unsigned, int64_t>());

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) const;
  /// Calls `body` for every iteration of the task with `values` set at the loops' positions.
  void emit(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task,
            llvm::SmallVector<Lanes> values,
            llvm::function_ref<void(llvm::ArrayRef<Lanes> values)> body) const;

private:
  struct Loop {
    IndexAttr index;
    unsigned position;
    int64_t step;
  };
  /// How often each loop runs.
  llvm::SmallVector<Lanes> getCounts(LaneBuilder &lanes, const Kernel &kernel) const;

  llvm::SmallVector<Loop> loops;
  std::optional<int64_t> iterationsPerTask; ///< none: one task does all
};

/// Nested loops over the indices at `positions` that carry values. `values` is restored after.
llvm::SmallVector<mlir::Value>
emitNest(LaneBuilder &lanes, const Kernel &kernel, mlir::ArrayAttr indices,
         llvm::ArrayRef<unsigned> positions, llvm::SmallVector<Lanes> values,
         mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<Lanes> values,
                                                           mlir::ValueRange carried)>
             body);

/// How many combinations of values the indices at `positions` have.
Lanes getCount(LaneBuilder &lanes, const Kernel &kernel, mlir::ArrayAttr indices,
               llvm::ArrayRef<unsigned> positions);
/// Sets the indices at `positions` to combination number `number`, the last index fastest.
void setIndices(LaneBuilder &lanes, const Kernel &kernel, mlir::ArrayAttr indices,
                llvm::ArrayRef<unsigned> positions, const Lanes &number,
                llvm::MutableArrayRef<Lanes> values);

/// The positions of the output indices, in the order in which the output stores them.
llvm::SmallVector<unsigned> getStoredOrder(FormulaOpInterface op);

} // namespace weft

#endif
