//===- OpenReductions.h - Sums that look like bodies ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The body of a reduction ends before `+` and `-`: `softmax(s) a[s] + b[s]` is
// `(softmax(s) a[s]) + b[s]`. If a later term of the sum depends on the index of the reduction, the
// writer most probably wanted it inside: a warning, which parentheses silence either way.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SYNTAX_OPENREDUCTIONS_H
#define WEFT_LIB_FRONTEND_SYNTAX_OPENREDUCTIONS_H

#include "weft/Frontend/Diagnostics.h"
#include "weft/Frontend/Expr.h"

namespace weft {

/// The open reductions of a sum that is being read from left to right.
class OpenReductions {
public:
  explicit OpenReductions(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}

  /// A term of the sum and the operator before it, which is none before the first term. Warns if
  /// the term depends on the index of an open reduction before it.
  void addTerm(const ast::Expr &term, SourceRange op = {}, llvm::StringRef opText = "");

private:
  DiagnosticEngine &diagnostics;
  std::vector<const ast::ReductionExpr *> open;
};

} // namespace weft

#endif // WEFT_LIB_FRONTEND_SYNTAX_OPENREDUCTIONS_H
