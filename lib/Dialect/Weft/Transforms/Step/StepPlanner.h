//===- StepPlanner.h - makes the plan of a step ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_STEPPLANNER_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_STEPPLANNER_H

#include "StepPlan.h"

#include <map>
#include <memory>

namespace weft {

/// Plans functions, each once for the same arguments and needs.
class StepPlanner {
public:
  explicit StepPlanner(llvm::StringRef position) : positions(position) {}

  /// The plan of `function`; null if it looks ahead (getRefusal says where).
  StepPlan *plan(mlir::func::FuncOp function, llvm::ArrayRef<bool> freshArguments,
                 llvm::ArrayRef<Demand> results);

  const std::optional<Refusal> &getRefusal() const { return refusal; }
  const Positions &getPositions() const { return positions; }

private:
  friend class FunctionPlanner;

  Positions positions;
  std::optional<Refusal> refusal;
  using Key = std::tuple<std::string, std::vector<bool>, std::vector<Demand>>;
  std::map<Key, std::unique_ptr<StepPlan>> plans;
};

} // namespace weft

#endif
