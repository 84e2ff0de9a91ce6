//===- Operators.h - Operators --------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Compile-time operands are folded; anything else becomes a node of the formula.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_OPERATORS_H
#define WEFT_LIB_FRONTEND_EMIT_OPERATORS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Operators {
public:
  explicit Operators(Elaboration &shared);

  Result evaluateUnary(const ast::UnaryExpr &expr, Env &env, Formula *formula);
  Result evaluateBinary(const ast::BinaryExpr &expr, Env &env, Formula *formula);

private:
  Result otherSide(const Value &value, SourceRange range, Formula *formula);
  Result evaluateLogical(const ast::BinaryExpr &expr, Env &env, Formula *formula);
  Result foldOperands(const ast::BinaryExpr &expr, const Value &a, const Value &b);
  Result buildOperands(const ast::BinaryExpr &expr, const Value &a, const Value &b,
                       Formula *formula);
  std::nullopt_t late(const Value &value, SourceRange range);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_OPERATORS_H
