//===- StepState.h - the state that a function of a step reads and extends ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_STEPSTATE_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_STEPSTATE_H

#include "StepEmitter.h"

namespace weft {

/// Adds the parts of the state to a function under construction: each is an argument, and a cache
/// with its new rows is a result as well.
class StepState {
public:
  StepState(mlir::OpBuilder &builder, const StepTypes &types, const StepPlan &plan,
            StepFunction &result)
      : builder(builder), types(types), plan(plan), result(result) {}

  /// What was made of `original` at the start.
  mlir::Value takeKept(mlir::Value original);
  /// Appends the rows of `original` to its cache, which becomes its full form.
  void append(mlir::Value original, TensorForms &forms);
  /// The parts of a layer's state, as operands of its call.
  llvm::SmallVector<mlir::Value> takeParts(const StepFunction &callee, mlir::Location loc);
  /// The layer's caches with their new rows.
  void addAppended(mlir::ValueRange caches) { llvm::append_range(appended, caches); }

  /// All caches with their new rows, in the order of the parts.
  llvm::ArrayRef<mlir::Value> getAppended() const { return appended; }

private:
  mlir::Value addPart(const StateTensor &part, mlir::Location loc);
  mlir::Value orderRows(mlir::Value rows, unsigned rowDim, const TensorForms &forms,
                        llvm::ArrayRef<int64_t> sizes, llvm::StringRef label);
  unsigned chooseRowDim(mlir::Value original, int64_t positions) const;

  mlir::OpBuilder &builder;
  const StepTypes &types;
  const StepPlan &plan;
  StepFunction &result;
  llvm::SmallVector<mlir::Value> appended;
};

} // namespace weft

#endif
