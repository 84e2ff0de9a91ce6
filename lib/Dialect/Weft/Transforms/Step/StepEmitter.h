//===- StepEmitter.h - writes the functions of a step ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_STEPEMITTER_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_STEPEMITTER_H

#include "TensorForms.h"

#include "weft/Dialect/Weft/Transforms/FunctionVariants.h"

namespace weft {

/// A tensor of the state: a cache of rows, or what is made at the start.
struct StateTensor {
  mlir::RankedTensorType type;
  std::string label;
  bool isCache;
  /// Of a cache: no position further back than this is read; kUnbounded: any may be.
  int64_t reach = Demand::kUnbounded;
  unsigned rowDim = 0; ///< of a cache: the dimension of positions
};

/// Whether two windows hold the positions in reach and as many new ones, in less memory than all.
inline bool isWindow(int64_t reach, int64_t positions) { return reach < positions / 2 - 1; }

/// The function made of a plan. Its arguments are, for each argument of the original that the plan
/// needs, its whole, its rows and its full form as far as they are needed, then the parts of the
/// state; its results are likewise those that are needed, then the caches with the new rows.
struct StepFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<unsigned> origins; ///< of the arguments before the state: of which argument
  llvm::SmallVector<StateTensor> parts;
};

/// What is done when a sequence starts: the results are the parts of the state that are no caches,
/// in their order.
struct StartFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<unsigned> origins; ///< of the arguments
};

/// Writes the functions of plans, each once.
class StepEmitter {
public:
  StepEmitter(mlir::ModuleOp module, const StepTypes &types)
      : types(types), functions(module, "_step"), starts(module, "_start") {}

  StepFunction &emit(StepPlan &plan);
  StartFunction &emitStart(StepPlan &plan);

  const StepTypes &getTypes() const { return types; }

private:
  const StepTypes &types;
  // A function may have several plans.
  FunctionVariants<StepPlan *, StepFunction> functions;
  FunctionVariants<StepPlan *, StartFunction> starts;
};

} // namespace weft

#endif
