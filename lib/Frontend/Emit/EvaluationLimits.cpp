//===- EvaluationLimits.cpp - What keeps the compilation of any text finite -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EvaluationLimits.h"

namespace weft::sema {

bool EvaluationLimits::enter(SourceRange range) {
  if (stopped)
    return false;
  if (depth >= maxDepth || ++steps > maxSteps) {
    reporter.error(range, depth >= maxDepth ? "calls, blocks and expressions are nested too deeply"
                                            : "the model takes too long to evaluate");
    stopped = true;
    return false;
  }
  ++depth;
  return true;
}

} // namespace weft::sema
