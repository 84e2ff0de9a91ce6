//===- Operators.cpp - Operators ------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Operators.h"

#include "Elaboration.h"
#include "Evaluator.h"
#include "ScalarBuilder.h"
#include "Sema/Fold.h"

using namespace llvm;
using weft::ast::BinaryOp;

namespace weft::sema {

Operators::Operators(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

std::nullopt_t Operators::late(const Value &value, SourceRange range) {
  return reporter.error(range, "this is " + value.describe() +
                                   ", known only at run time, but a compile-time value is needed");
}

/// Both operands are known: numbers are computed, strings joined, anything compared.
Result Operators::foldOperands(const ast::BinaryExpr &expr, const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber())
    return foldBinary(expr.op, a, b, expr.range, reporter);
  if (expr.op == BinaryOp::Equal || expr.op == BinaryOp::NotEqual)
    return Value::makeBool(a.equals(b) == (expr.op == BinaryOp::Equal));
  if (expr.op == BinaryOp::Add && a.is(Value::Kind::String) && b.is(Value::Kind::String))
    return Value::makeString(a.text + b.text);
  return a.isNumber() ? reporter.unusable(b, expr.rhs->range, "a number")
                      : reporter.unusable(a, expr.lhs->range, "a number");
}

/// An operand is an element: the result is one.
Result Operators::buildOperands(const ast::BinaryExpr &expr, const Value &a, const Value &b,
                                Formula *formula) {
  if (!formula)
    return a.isCompileTime() ? late(b, expr.rhs->range) : late(a, expr.lhs->range);
  ScalarBuilder build(reporter, *formula);
  Scalar *x = build.toScalar(a, expr.lhs->range);
  Scalar *y = x ? build.toScalar(b, expr.rhs->range) : nullptr;
  if (!y)
    return std::nullopt;
  return toResult(build.binary(expr.op, x, y, expr.lhs->range, expr.rhs->range, expr.range));
}

/// What `and` or `or` leaves of its two sides when the other one is known.
Result Operators::otherSide(const Value &value, SourceRange range, Formula *formula) {
  if (value.is(Value::Kind::Bool))
    return value;
  if (!formula || value.isCompileTime())
    return reporter.unusable(value, range, "a condition (true or false)");
  return toResult(ScalarBuilder(reporter, *formula).toCondition(value, range));
}

Result Operators::evaluateLogical(const ast::BinaryExpr &expr, Env &env, Formula *formula) {
  bool isAnd = expr.op == BinaryOp::And;
  Result a = shared.evaluator->evaluate(*expr.lhs, env, formula);
  if (!a)
    return std::nullopt;
  if (a->is(Value::Kind::Bool)) {
    if ((a->integer != 0) != isAnd)
      return a; // the right side does not matter and need not make sense
    Result b = shared.evaluator->evaluate(*expr.rhs, env, formula);
    return b ? otherSide(*b, expr.rhs->range, formula) : std::nullopt;
  }
  Result b = shared.evaluator->evaluate(*expr.rhs, env, formula);
  if (!b)
    return std::nullopt;
  if (!formula || a->isCompileTime())
    return reporter.unusable(*a, expr.lhs->range, "a condition (true or false)");
  if (b->is(Value::Kind::Bool))
    return (b->integer != 0) == isAnd ? otherSide(*a, expr.lhs->range, formula) : b;
  ScalarBuilder build(reporter, *formula);
  Scalar *x = build.toCondition(*a, expr.lhs->range);
  Scalar *y = x ? build.toCondition(*b, expr.rhs->range) : nullptr;
  return toResult(
      build.add(isAnd ? ScalarOp::And : ScalarOp::Or, ast::ElementKind::Bool, expr.range, {x, y}));
}

Result Operators::evaluateBinary(const ast::BinaryExpr &expr, Env &env, Formula *formula) {
  if (expr.op == BinaryOp::And || expr.op == BinaryOp::Or)
    return evaluateLogical(expr, env, formula);
  Result a = shared.evaluator->evaluate(*expr.lhs, env, formula);
  if (!a)
    return std::nullopt;
  if (expr.op == BinaryOp::Coalesce)
    return a->is(Value::Kind::Null) ? shared.evaluator->evaluate(*expr.rhs, env, formula) : a;
  Result b = shared.evaluator->evaluate(*expr.rhs, env, formula);
  if (!b)
    return std::nullopt;
  // Whether there is anything is known at compile time, of tensors too.
  bool tellsNull = a->is(Value::Kind::Null) != b->is(Value::Kind::Null) &&
                   !a->is(Value::Kind::Poison) && !b->is(Value::Kind::Poison);
  if (tellsNull && (expr.op == BinaryOp::Equal || expr.op == BinaryOp::NotEqual))
    return Value::makeBool(expr.op == BinaryOp::NotEqual);
  if (a->is(Value::Kind::Poison) || b->is(Value::Kind::Poison))
    return std::nullopt;
  return a->isCompileTime() && b->isCompileTime() ? foldOperands(expr, *a, *b)
                                                  : buildOperands(expr, *a, *b, formula);
}

Result Operators::evaluateUnary(const ast::UnaryExpr &expr, Env &env, Formula *formula) {
  Result a = shared.evaluator->evaluate(*expr.operand, env, formula);
  if (!a || a->is(Value::Kind::Poison))
    return std::nullopt;
  bool isNot = expr.op == ast::UnaryOp::Not;
  if (a->isCompileTime() || !formula) {
    if (isNot && a->is(Value::Kind::Bool))
      return Value::makeBool(!a->integer);
    if (!isNot && a->isNumber())
      return foldNegate(*a, expr.range, reporter);
    return reporter.unusable(*a, expr.operand->range,
                             isNot ? "a condition (true or false)" : "a number");
  }
  ScalarBuilder build(reporter, *formula);
  Scalar *x = build.toScalar(*a, expr.operand->range);
  if (!x)
    return std::nullopt;
  if (isNot != x->isBool())
    return reporter.error(expr.operand->range,
                          isNot ? "'not' needs a condition; compare the number with something"
                                : "a condition is no number; write 'if ... then 1 else 0'");
  return toResult(build.add(isNot ? ScalarOp::Not : ScalarOp::Negate, x->type, expr.range, {x}));
}

} // namespace weft::sema
