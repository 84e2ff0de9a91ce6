//===- Evaluate.cpp - Names and expressions -------------------------------------------------===//
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

#include "Elaborator.h"
#include "weft/Support/NearestName.h"

using namespace llvm;

namespace weft::sema {

Result Elaborator::evaluate(const ast::Expr &expr, Env &env, Formula *formula) {
  if (!enter(expr.range))
    return std::nullopt;
  Result result = evaluateExpr(expr, env, formula);
  leave();
  return result;
}

Result Elaborator::evaluateExpr(const ast::Expr &expr, Env &env, Formula *formula) {
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
    return evaluateName(cast<ast::NameExpr>(expr), env, formula, /*isBase=*/false);
  case Kind::Element:
    return evaluateElement(cast<ast::ElementExpr>(expr), env, formula);
  case Kind::Member:
    return evaluateMember(cast<ast::MemberExpr>(expr), env, formula);
  case Kind::Call:
    return evaluateCall(cast<ast::CallExpr>(expr), env, formula);
  case Kind::ScopedCall:
    return evaluateScopedCall(cast<ast::ScopedCallExpr>(expr), env);
  case Kind::Unary:
    return evaluateUnary(cast<ast::UnaryExpr>(expr), env, formula);
  case Kind::Binary:
    return evaluateBinary(cast<ast::BinaryExpr>(expr), env, formula);
  case Kind::If:
    return evaluateIf(cast<ast::IfExpr>(expr), env, formula);
  case Kind::Match:
    return evaluateMatch(cast<ast::MatchExpr>(expr), env, formula);
  case Kind::Reduction:
    return evaluateReduction(cast<ast::ReductionExpr>(expr), env, formula);
  }
  return std::nullopt;
}

std::nullopt_t Elaborator::late(const Value &value, SourceRange range) {
  return error(range, "this is " + value.describe() +
                          ", known only at run time, but a compile-time value is needed");
}

Result Elaborator::evaluateCompileTime(const ast::Expr &expr, Env &env, StringRef what) {
  Result value = evaluate(expr, env, nullptr);
  if (!value || value->is(Value::Kind::Poison))
    return std::nullopt;
  if (value->isCompileTime())
    return value;
  return error(expr.range,
               what + " must be known at compile time, but this is " + value->describe());
}

std::optional<bool> Elaborator::evaluateCondition(const ast::Expr &expr, Env &env, StringRef what) {
  Result value = evaluateCompileTime(expr, env, what);
  if (!value)
    return std::nullopt;
  if (!value->is(Value::Kind::Bool))
    return unusable(*value, expr.range, "a condition (true or false)");
  return value->integer != 0;
}

std::optional<int64_t> Elaborator::evaluateInteger(const ast::Expr &expr, Env &env,
                                                   StringRef what) {
  Result value = evaluateCompileTime(expr, env, what);
  if (!value)
    return std::nullopt;
  if (value->is(Value::Kind::Int))
    return value->integer;
  return unusable(*value, expr.range, "an integer");
}

Result Elaborator::evaluateList(const ast::ListExpr &expr, Env &env) {
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

/// What elements are read of.
Result Elaborator::evaluateBase(const ast::ElementExpr &expr, Env &env, Formula *formula) {
  auto *name = dyn_cast<ast::NameExpr>(expr.base.get());
  return name ? evaluateName(*name, env, formula, /*isBase=*/true)
              : evaluate(*expr.base, env, formula);
}

Result Elaborator::evaluateElement(const ast::ElementExpr &expr, Env &env, Formula *formula) {
  Result base = evaluateBase(expr, env, formula);
  if (!base || base->is(Value::Kind::Poison))
    return std::nullopt;
  if (base->is(Value::Kind::Tensor))
    return evaluateRead(base->tensor, expr, env, formula);
  if (!base->is(Value::Kind::List))
    return unusable(*base, expr.base->range, "a tensor or a list");
  if (expr.indices.size() != 1)
    return error(expr.range, "a list has one index");
  std::optional<int64_t> position = evaluateInteger(*expr.indices[0], env, "the index of a list");
  if (!position)
    return std::nullopt;
  if (*position < 0 || *position >= int64_t(base->items.size()))
    return error(expr.indices[0]->range, "index " + Twine(*position) + " is outside of a list of " +
                                             Twine(base->items.size()) + " elements");
  return base->items[*position];
}

/// An element of a tensor. An index that stands alone takes its range from the dimension.
Result Elaborator::evaluateRead(const Tensor &tensor, const ast::ElementExpr &expr, Env &env,
                                Formula *formula) {
  if (expr.indices.size() != tensor->rank())
    return error(expr.range,
                 "'" + tensor->name + "' has " + counted(tensor->rank(), "dimension") + " " +
                     typeText(*tensor) + ", but is read with " + Twine(expr.indices.size()) +
                     (expr.indices.size() == 1 ? " index" : " indices"),
                 declaredHere(tensor->name, tensor->declared));
  if (!formula)
    return error(expr.range, "an element of '" + tensor->name +
                                 "' is known only at run time, but a compile-time value is needed");
  ScalarBuilder build = scalars(formula);
  SmallVector<Scalar *> coordinates;
  for (auto [dim, index] : enumerate(expr.indices)) {
    Result value = evaluate(*index, env, formula);
    Scalar *coordinate = value ? build.toScalar(*value, index->range) : nullptr;
    if (!coordinate)
      return std::nullopt;
    if (!coordinate->isInt())
      return error(index->range,
                   "an index must be an integer" +
                       Twine(coordinate->isReal() ? "; int(x) rounds towards 0" : ""));
    if (coordinate->op == ScalarOp::Index &&
        !unifyRange(coordinate->index, tensor->dims[dim], *tensor, index->range))
      return std::nullopt;
    coordinates.push_back(coordinate);
  }
  return toResult(build.checked(formula->addRead(tensor, coordinates, expr.range), expr.range));
}

//===----------------------------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------------------------===//

Result Elaborator::evaluateIf(const ast::IfExpr &expr, Env &env, Formula *formula) {
  Result condition = evaluate(*expr.condition, env, formula);
  if (!condition)
    return std::nullopt;
  if (condition->is(Value::Kind::Bool))
    return evaluate(condition->integer ? *expr.thenValue : *expr.elseValue, env, formula);
  if (!formula || condition->isCompileTime())
    return unusable(*condition, expr.condition->range, "a condition (true or false)");
  ScalarBuilder build = scalars(formula);
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
    return error(expr.range, "one branch of 'if' is true or false, the other is a number");
  if (!build.promote(a, b, expr.range))
    return std::nullopt;
  return toResult(build.add(ScalarOp::Select, a->type, expr.range, {chosen, a, b}));
}

/// The number of the first arm that has the value of `subject`; an arm without patterns is `else`.
std::optional<int> Elaborator::chooseArm(const ast::Expr &subject,
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
    return unusable(*value, subject.range, "a value that one of the cases names");
  SmallVector<StringRef> names(strings.begin(), strings.end());
  return error(subject.range, "no case matches " + value->describe() +
                                  (value->is(Value::Kind::String) ? suggestion(value->text, names)
                                                                  : std::string()));
}

Result Elaborator::evaluateMatch(const ast::MatchExpr &expr, Env &env, Formula *formula) {
  SmallVector<const std::vector<ast::ExprPtr> *> arms;
  for (const ast::MatchExpr::Arm &arm : expr.arms)
    arms.push_back(&arm.patterns);
  std::optional<int> chosen = chooseArm(*expr.subject, arms, env);
  if (!chosen)
    return std::nullopt;
  return evaluate(*expr.arms[*chosen].value, env, formula);
}

} // namespace weft::sema
