//===- ComputationPlan.h - how a step computes one formula ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_COMPUTATIONPLAN_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_COMPUTATIONPLAN_H

#include "StepPlan.h"

namespace weft {

/// Adds to `plan` that a step computes `op`, for these rows or for all it defines:
/// proves that this does not look ahead, and adds what it needs of the tensors it reads.
std::optional<Refusal> planComputation(StepPlan &plan, const Positions &positions,
                                       IndexedOpInterface op, ComputedRows rows);

/// Whether something that `plan` computes reads, as seen from its row, what `check` is about for
/// the rows of its index `row`. If nothing does, a step does not depend on what the check would
/// find.
bool isReadThrough(const StepPlan &plan, const Positions &positions, CheckOp check,
                   std::optional<unsigned> row);

} // namespace weft

#endif
