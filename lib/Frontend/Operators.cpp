//===- Operators.cpp - Arithmetic -----------------------------------------===//
//
// Compile-time operands are folded (Fold.cpp); anything else becomes a node of the formula.
// Integers turn into reals where a real is on the other side; conditions never turn into numbers.
//
//===----------------------------------------------------------------------===//

#include "Elaborator.h"

using namespace llvm;
using weft::ast::BinaryOp;

namespace weft::sema {

Scalar *Elaborator::checked(Scalar *node, SourceRange range) {
  if (!node)
    error(range, "the formula is too large (more than " + Twine(Formula::maxNodes) +
                     " operations, or nested more than " + Twine(Formula::maxDepth) + " deep)");
  return node;
}

Result Elaborator::scalarResult(Scalar *node, SourceRange range) {
  if (!checked(node, range))
    return std::nullopt;
  return Value::makeScalar(node);
}

static ScalarOp scalarOp(BinaryOp op) {
  switch (op) {
  case BinaryOp::Equal:
    return ScalarOp::Equal;
  case BinaryOp::NotEqual:
    return ScalarOp::NotEqual;
  case BinaryOp::Less:
    return ScalarOp::Less;
  case BinaryOp::LessEqual:
    return ScalarOp::LessEqual;
  case BinaryOp::Greater:
    return ScalarOp::Greater;
  case BinaryOp::GreaterEqual:
    return ScalarOp::GreaterEqual;
  case BinaryOp::Add:
    return ScalarOp::Add;
  case BinaryOp::Subtract:
    return ScalarOp::Subtract;
  case BinaryOp::Multiply:
    return ScalarOp::Multiply;
  case BinaryOp::Divide:
    return ScalarOp::Divide;
  case BinaryOp::FloorDivide:
    return ScalarOp::FloorDivide;
  default:
    return ScalarOp::Modulo;
  }
}

/// `x ^ 3` is a product; an integer base needs a constant exponent to stay an integer.
Scalar *Elaborator::power(Scalar *base, Scalar *exponent, SourceRange range, Formula *formula) {
  constexpr int64_t maxProduct = 16;
  if (exponent->op == ScalarOp::Constant && exponent->isInt() && exponent->integer >= 1 &&
      exponent->integer <= maxProduct && !base->isBool()) {
    Scalar *result = nullptr, *square = base;
    for (int64_t e = exponent->integer; e && square; e >>= 1) {
      if ((e & 1) && result)
        result = formula->add(ScalarOp::Multiply, base->type, range, {result, square});
      else if (e & 1)
        result = square;
      if ((e & 1) && !result)
        break;
      if (e > 1)
        square = formula->add(ScalarOp::Multiply, base->type, range, {square, square});
    }
    return checked(square ? result : nullptr, range);
  }
  base = toReal(base, range, formula);
  exponent = base ? toReal(exponent, range, formula) : nullptr;
  if (!exponent)
    return nullptr;
  return checked(formula->add(ScalarOp::Power, ast::ElementKind::Real, range, {base, exponent}),
                 range);
}

/// x * 1, x / 1 and integer x + 0 are x; library layers with a default scale leave such things.
static Scalar *withoutNeutral(BinaryOp op, Scalar *x, Scalar *y) {
  auto is = [](const Scalar *scalar, int value) {
    return scalar->op == ScalarOp::Constant && !scalar->isBool() &&
           (scalar->isInt() ? scalar->integer == value : scalar->real == value);
  };
  switch (op) {
  case BinaryOp::Multiply:
    return is(y, 1) ? x : is(x, 1) ? y : nullptr;
  case BinaryOp::Divide:
  case BinaryOp::FloorDivide:
    return is(y, 1) ? x : nullptr;
  case BinaryOp::Add:
    return !x->isInt() ? nullptr : is(y, 0) ? x : is(x, 0) ? y : nullptr;
  case BinaryOp::Subtract:
    return x->isInt() && is(y, 0) ? x : nullptr;
  default:
    return nullptr;
  }
}

Result Elaborator::binary(BinaryOp op, const Value &a, const Value &b, SourceRange aRange,
                          SourceRange bRange, SourceRange range, Formula *formula) {
  if (a.is(Value::Kind::Poison) || b.is(Value::Kind::Poison))
    return std::nullopt;
  bool equality = op == BinaryOp::Equal || op == BinaryOp::NotEqual;
  if (a.isCompileTime() && b.isCompileTime()) {
    if (a.isNumber() && b.isNumber())
      return foldBinary(op, a, b, range);
    if (equality)
      return Value::makeBool(a.equals(b) == (op == BinaryOp::Equal));
    if (op == BinaryOp::Add && a.is(Value::Kind::String) && b.is(Value::Kind::String))
      return Value::makeString(a.text + b.text);
    return a.isNumber() ? unusable(b, bRange, "a number") : unusable(a, aRange, "a number");
  }
  if (!formula) {
    const Value &late = a.isCompileTime() ? b : a;
    return error(a.isCompileTime() ? bRange : aRange,
                 "this is " + late.describe() +
                     ", known only at run time, but a compile-time value is needed");
  }
  Scalar *x = toScalar(a, aRange, formula);
  Scalar *y = x ? toScalar(b, bRange, formula) : nullptr;
  if (!y)
    return std::nullopt;
  if (op == BinaryOp::Power)
    return scalarResult(power(x, y, range, formula), range);
  if (op == BinaryOp::Divide &&
      (!(x = toReal(x, aRange, formula)) || !(y = toReal(y, bRange, formula))))
    return std::nullopt;
  if (!(x->isBool() && y->isBool() && equality)) {
    if (x->isBool() || y->isBool())
      return toReal(x->isBool() ? x : y, x->isBool() ? aRange : bRange, formula), std::nullopt;
    if (!promote(x, y, range, formula))
      return std::nullopt;
  }
  if (op == BinaryOp::FloorDivide || op == BinaryOp::Modulo) {
    if (!x->isInt())
      return error(range, "'" + ast::spelling(op) + "' is for integers; '/' divides reals");
    if (y->op == ScalarOp::Constant && y->integer == 0)
      return error(range, "division by zero");
  }
  if (Scalar *same = withoutNeutral(op, x, y))
    return Value::makeScalar(same);
  ast::ElementKind type = isComparison(op) ? ast::ElementKind::Bool : x->type;
  return scalarResult(formula->add(scalarOp(op), type, range, {x, y}), range);
}

Result Elaborator::evaluateLogical(const ast::BinaryExpr &expr, Env &env, Formula *formula) {
  bool isAnd = expr.op == BinaryOp::And;
  Result a = evaluate(*expr.lhs, env, formula);
  if (!a)
    return std::nullopt;
  if (a->is(Value::Kind::Bool)) {
    if ((a->integer != 0) != isAnd)
      return a; // the right side does not matter and need not make sense
    Result b = evaluate(*expr.rhs, env, formula);
    if (b && !b->is(Value::Kind::Bool) && !b->is(Value::Kind::Scalar) &&
        !b->is(Value::Kind::Tensor))
      return unusable(*b, expr.rhs->range, "a condition (true or false)");
    return b;
  }
  Result b = evaluate(*expr.rhs, env, formula);
  if (!b)
    return std::nullopt;
  if (!formula || a->isCompileTime())
    return unusable(*a, expr.lhs->range, "a condition (true or false)");
  if (b->is(Value::Kind::Bool))
    return (b->integer != 0) == isAnd ? a : b;
  Scalar *x = toScalar(*a, expr.lhs->range, formula);
  Scalar *y = x ? toScalar(*b, expr.rhs->range, formula) : nullptr;
  if (!y)
    return std::nullopt;
  if (!x->isBool() || !y->isBool())
    return error(x->isBool() ? expr.rhs->range : expr.lhs->range,
                 "a condition must be true or false; compare the number with something");
  return scalarResult(formula->add(isAnd ? ScalarOp::And : ScalarOp::Or, ast::ElementKind::Bool,
                                   expr.range, {x, y}),
                      expr.range);
}

Result Elaborator::evaluateBinary(const ast::BinaryExpr &expr, Env &env, Formula *formula) {
  if (expr.op == BinaryOp::And || expr.op == BinaryOp::Or)
    return evaluateLogical(expr, env, formula);
  Result a = evaluate(*expr.lhs, env, formula);
  if (!a)
    return std::nullopt;
  if (expr.op == BinaryOp::Coalesce)
    return a->is(Value::Kind::Null) ? evaluate(*expr.rhs, env, formula) : a;
  Result b = evaluate(*expr.rhs, env, formula);
  if (!b)
    return std::nullopt;
  // Whether there is anything is known at compile time, of tensors too.
  bool tellsNull = a->is(Value::Kind::Null) != b->is(Value::Kind::Null) &&
                   !a->is(Value::Kind::Poison) && !b->is(Value::Kind::Poison);
  if (tellsNull && (expr.op == BinaryOp::Equal || expr.op == BinaryOp::NotEqual))
    return Value::makeBool(expr.op == BinaryOp::NotEqual);
  return binary(expr.op, *a, *b, expr.lhs->range, expr.rhs->range, expr.range, formula);
}

Result Elaborator::evaluateUnary(const ast::UnaryExpr &expr, Env &env, Formula *formula) {
  Result a = evaluate(*expr.operand, env, formula);
  if (!a || a->is(Value::Kind::Poison))
    return std::nullopt;
  bool isNot = expr.op == ast::UnaryOp::Not;
  if (a->isCompileTime() || !formula) {
    if (isNot && a->is(Value::Kind::Bool))
      return Value::makeBool(!a->integer);
    if (!isNot && a->is(Value::Kind::Real))
      return Value::makeReal(-a->real);
    if (!isNot && a->is(Value::Kind::Int))
      return foldInteger(BinaryOp::Subtract, 0, a->integer, expr.range);
    return unusable(*a, expr.operand->range, isNot ? "a condition (true or false)" : "a number");
  }
  Scalar *x = toScalar(*a, expr.operand->range, formula);
  if (!x)
    return std::nullopt;
  if (isNot != x->isBool())
    return error(expr.operand->range,
                 isNot ? "'not' needs a condition; compare the number with something"
                       : "a condition is no number; write 'if ... then 1 else 0'");
  return scalarResult(
      formula->add(isNot ? ScalarOp::Not : ScalarOp::Negate, x->type, expr.range, {x}), expr.range);
}

} // namespace weft::sema
