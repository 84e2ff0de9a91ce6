//===- Evaluator.h - Values of expressions --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One evaluator serves compile time and formulas: with a formula an expression may become a node
// of it, without one everything must be known.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_EVALUATOR_H
#define WEFT_LIB_FRONTEND_EMIT_EVALUATOR_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Evaluator {
public:
  explicit Evaluator(Elaboration &shared);

  /// The value of an expression, which may become a node of `formula`; without a formula everything
  /// must be known at compile time.
  Result evaluate(const ast::Expr &expr, Env &env, Formula *formula);
  /// The same where only a compile-time value will do; `what` begins the error.
  Result evaluateCompileTime(const ast::Expr &expr, Env &env, llvm::StringRef what);
  std::optional<bool> evaluateCondition(const ast::Expr &expr, Env &env, llvm::StringRef what);
  std::optional<int64_t> evaluateInteger(const ast::Expr &expr, Env &env, llvm::StringRef what);
  /// The number of the first arm that has the value of `subject`; an arm without patterns is
  /// `else`.
  std::optional<int> chooseArm(const ast::Expr &subject,
                               llvm::ArrayRef<const std::vector<ast::ExprPtr> *> arms, Env &env);

private:
  Result evaluateExpr(const ast::Expr &expr, Env &env, Formula *formula);
  Result evaluateList(const ast::ListExpr &expr, Env &env);
  Result evaluateIf(const ast::IfExpr &expr, Env &env, Formula *formula);
  Result evaluateMatch(const ast::MatchExpr &expr, Env &env, Formula *formula);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_EVALUATOR_H
