//===- Evaluator.cpp - Values of expressions ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Evaluator.h"

#include "Calls.h"
#include "Elaboration.h"
#include "ElementReader.h"
#include "Names.h"
#include "Operators.h"
#include "Reductions.h"
#include "ScalarBuilder.h"
#include "weft/Support/NearestName.h"

using namespace llvm;

namespace weft::sema {

Evaluator::Evaluator(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

Result Evaluator::evaluate(const ast::Expr &expr, Env &env, Formula *formula) {
  if (!shared.limits.enter(expr.range))
    return std::nullopt;
  Result result = evaluateExpr(expr, env, formula);
  shared.limits.leave();
  return result;
}

Result Evaluator::evaluateExpr(const ast::Expr &expr, Env &env, Formula *formula) {
  using Kind = ast::Expr::Kind;
  switch (expr.kind) {
  case Kind::Integer:
    return Value::makeInt(cast<ast::IntegerExpr>(expr).value);
  case Kind::Real:
    return Value::makeReal(cast<ast::RealExpr>(expr).value);
  case Kind::String:
    return Value::makeString(cast<ast::StringExpr>(expr).value);
  case Kind::Bool:
    return Value::makeBool(cast<ast::BoolExpr>(expr).value);
  case Kind::Null:
    return Value();
  case Kind::List:
    return evaluateList(cast<ast::ListExpr>(expr), env);
  case Kind::Name:
    return shared.names->evaluateName(cast<ast::NameExpr>(expr), env, formula, /*isBase=*/false);
  case Kind::Element:
    return shared.elements->evaluateElement(cast<ast::ElementExpr>(expr), env, formula);
  case Kind::Member:
    return shared.names->evaluateMember(cast<ast::MemberExpr>(expr), env, formula);
  case Kind::Call:
    return shared.calls->evaluateCall(cast<ast::CallExpr>(expr), env, formula);
  case Kind::ScopedCall:
    return shared.calls->evaluateScopedCall(cast<ast::ScopedCallExpr>(expr), env);
  case Kind::Unary:
    return Operators(shared).evaluateUnary(cast<ast::UnaryExpr>(expr), env, formula);
  case Kind::Binary:
    return Operators(shared).evaluateBinary(cast<ast::BinaryExpr>(expr), env, formula);
  case Kind::If:
    return evaluateIf(cast<ast::IfExpr>(expr), env, formula);
  case Kind::Match:
    return evaluateMatch(cast<ast::MatchExpr>(expr), env, formula);
  case Kind::Reduction:
    return Reductions(shared).evaluateReduction(cast<ast::ReductionExpr>(expr), env, formula);
  }
  return std::nullopt;
}

Result Evaluator::evaluateCompileTime(const ast::Expr &expr, Env &env, StringRef what) {
  Result value = evaluate(expr, env, nullptr);
  if (!value || value->is(Value::Kind::Poison))
    return std::nullopt;
  if (value->isCompileTime())
    return value;
  return reporter.error(expr.range,
                        what + " must be known at compile time, but this is " + value->describe());
}

std::optional<bool> Evaluator::evaluateCondition(const ast::Expr &expr, Env &env, StringRef what) {
  Result value = evaluateCompileTime(expr, env, what);
  if (!value)
    return std::nullopt;
  if (!value->is(Value::Kind::Bool))
    return reporter.unusable(*value, expr.range, "a condition (true or false)");
  return value->integer != 0;
}

std::optional<int64_t> Evaluator::evaluateInteger(const ast::Expr &expr, Env &env, StringRef what) {
  Result value = evaluateCompileTime(expr, env, what);
  if (!value)
    return std::nullopt;
  if (value->is(Value::Kind::Int))
    return value->integer;
  return reporter.unusable(*value, expr.range, "an integer");
}

Result Evaluator::evaluateList(const ast::ListExpr &expr, Env &env) {
  Value list(Value::Kind::List);
  for (const ast::ExprPtr &element : expr.elements) {
    Result value = evaluateCompileTime(*element, env, "an element of a list");
    if (!value)
      return std::nullopt;
    list.items.push_back(std::move(*value));
  }
  return list;
}

//===----------------------------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------------------------===//

//===----------------------------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------------------------===//

Result Evaluator::evaluateIf(const ast::IfExpr &expr, Env &env, Formula *formula) {
  Result condition = evaluate(*expr.condition, env, formula);
  if (!condition)
    return std::nullopt;
  if (condition->is(Value::Kind::Bool))
    return evaluate(condition->integer ? *expr.thenValue : *expr.elseValue, env, formula);
  if (!formula || condition->isCompileTime())
    return reporter.unusable(*condition, expr.condition->range, "a condition (true or false)");
  ScalarBuilder build(reporter, *formula);
  Scalar *chosen = build.toCondition(*condition, expr.condition->range);
  if (!chosen)
    return std::nullopt;
  Result thenValue = evaluate(*expr.thenValue, env, formula);
  Result elseValue = evaluate(*expr.elseValue, env, formula);
  if (!thenValue || !elseValue)
    return std::nullopt;
  Scalar *a = build.toScalar(*thenValue, expr.thenValue->range);
  Scalar *b = build.toScalar(*elseValue, expr.elseValue->range);
  if (!a || !b)
    return std::nullopt;
  if (a->isBool() != b->isBool())
    return reporter.error(expr.range, "one branch of 'if' is true or false, the other is a number");
  if (!build.promote(a, b, expr.range))
    return std::nullopt;
  return toResult(build.add(ScalarOp::Select, a->type, expr.range, {chosen, a, b}));
}

std::optional<int> Evaluator::chooseArm(const ast::Expr &subject,
                                        ArrayRef<const std::vector<ast::ExprPtr> *> arms,
                                        Env &env) {
  Result value = evaluateCompileTime(subject, env, "what is matched");
  if (!value)
    return std::nullopt;
  std::vector<std::string> strings;
  for (auto [i, patterns] : enumerate(arms)) {
    if (patterns->empty())
      return i;
    for (const ast::ExprPtr &pattern : *patterns) {
      Result candidate = evaluateCompileTime(*pattern, env, "a pattern");
      if (!candidate)
        return std::nullopt;
      if (candidate->equals(*value))
        return i;
      if (candidate->is(Value::Kind::String))
        strings.push_back(candidate->text);
    }
  }
  if (value->is(Value::Kind::Null) && !value->text.empty())
    return reporter.unusable(*value, subject.range, "a value that one of the cases names");
  SmallVector<StringRef> names(strings.begin(), strings.end());
  return reporter.error(
      subject.range,
      "no case matches " + value->describe() +
          (value->is(Value::Kind::String) ? suggestion(value->text, names) : std::string()));
}

Result Evaluator::evaluateMatch(const ast::MatchExpr &expr, Env &env, Formula *formula) {
  SmallVector<const std::vector<ast::ExprPtr> *> arms;
  for (const ast::MatchExpr::Arm &arm : expr.arms)
    arms.push_back(&arm.patterns);
  std::optional<int> chosen = chooseArm(*expr.subject, arms, env);
  if (!chosen)
    return std::nullopt;
  return evaluate(*expr.arms[*chosen].value, env, formula);
}

} // namespace weft::sema
