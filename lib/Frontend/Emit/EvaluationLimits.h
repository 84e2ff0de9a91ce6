//===- EvaluationLimits.h - What keeps the compilation of any text finite -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_EVALUATIONLIMITS_H
#define WEFT_LIB_FRONTEND_EMIT_EVALUATIONLIMITS_H

#include "Sema/Reporter.h"

namespace weft::sema {

/// Counts statements executed and expressions evaluated, and says when to stop.
class EvaluationLimits {
public:
  EvaluationLimits(Reporter &reporter, const DiagnosticEngine &diagnostics)
      : reporter(reporter), diagnostics(diagnostics) {}

  /// Enters a statement or an expression: false, after an error, if a limit is reached.
  bool enter(SourceRange range);
  void leave() { --depth; }
  /// Whether so many more statements can be executed.
  bool allowSteps(uint64_t count) const { return steps + count <= maxSteps; }

  /// What follows rests on a mistake.
  void stop() { stopped = true; }
  bool hasStopped() const { return stopped; }
  /// Whether the next statement should be looked at.
  bool goOn() const { return !stopped && !diagnostics.tooManyErrors(); }

private:
  static constexpr unsigned maxDepth = 1200;
  static constexpr uint64_t maxSteps = 2000000;

  Reporter &reporter;
  const DiagnosticEngine &diagnostics;
  unsigned depth = 0;
  uint64_t steps = 0;
  bool stopped = false; ///< a limit was reached, or stop() was called
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_EVALUATIONLIMITS_H
