//===- Operators.cpp - Arithmetic of compile time and of formulas ---------===//
//
// Compile-time operands are folded, integers with a check for overflow and reals in double
// precision; anything else becomes a node of the formula. Integers turn into reals where a real is
// on the other side; conditions never turn into numbers.
//
//===----------------------------------------------------------------------===//

#include "Elaborator.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

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

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// An element of a whole tensor at the formula's own indices.
Scalar *Elaborator::wholeElement(const Tensor &tensor, SourceRange range, Formula *formula) {
  if (tensor->rank() && !formula->shapeSource) {
    formula->shapeSource = tensor;
    for (auto [dim, name] : zip(tensor->dims, tensor->indexNames)) {
      Index *index = formula->addIndex(name, range);
      index->extent = dim;
      index->source = tensor->name;
      index->sourceRange = range;
      formula->outputs.push_back(index);
    }
  }
  if (tensor->rank()) {
    const TensorValue &shape = *formula->shapeSource;
    bool equal = shape.rank() == tensor->rank();
    for (unsigned i = 0; equal && i < tensor->rank(); ++i)
      equal = shape.dims[i].same(tensor->dims[i]);
    if (!equal) {
      error(range,
            "'" + tensor->name + "' is " + typeText(*tensor) + " but '" + shape.name + "' is " +
                typeText(shape) + "; whole tensors must have equal shapes",
            {{tensor->declared, "'" + tensor->name + "' is declared here"},
             {shape.declared, "'" + shape.name + "' is declared here"}});
      return nullptr;
    }
  }
  SmallVector<Scalar *> coordinates;
  if (tensor->rank())
    for (Index *index : formula->outputs)
      coordinates.push_back(checked(formula->addIndexValue(index, range), range));
  if (is_contained(coordinates, nullptr))
    return nullptr;
  return checked(formula->addRead(tensor, coordinates, range), range);
}

Scalar *Elaborator::toScalar(const Value &value, SourceRange range, Formula *formula) {
  switch (value.kind) {
  case Value::Kind::Scalar:
    return value.scalar;
  case Value::Kind::Int:
    return checked(formula->addInt(value.integer, range), range);
  case Value::Kind::Real:
    return checked(formula->addReal(value.real, range), range);
  case Value::Kind::Bool:
    return checked(formula->addBool(value.integer, range), range);
  case Value::Kind::Symbol:
    return checked(formula->addSize(value.extent, range), range);
  case Value::Kind::Tensor:
    if (formula->whole || value.tensor->rank() == 0)
      return wholeElement(value.tensor, range, formula);
    error(range, "'" + value.tensor->name + "' is a tensor " + typeText(*value.tensor) +
                     "; a formula needs one element of it, '" + value.tensor->name + "[...]'");
    return nullptr;
  default:
    unusable(value, range, "a number");
    return nullptr;
  }
}

Scalar *Elaborator::toReal(Scalar *scalar, SourceRange range, Formula *formula) {
  if (scalar->isReal())
    return scalar;
  if (scalar->isBool()) {
    error(range, "a condition is no number; write 'if ... then 1 else 0'");
    return nullptr;
  }
  if (scalar->op == ScalarOp::Constant)
    return checked(formula->addReal(scalar->integer, range), range);
  return checked(formula->add(ScalarOp::ToReal, ast::ElementKind::Real, range, {scalar}), range);
}

/// Makes both integers or both reals (or leaves both conditions).
bool Elaborator::promote(Scalar *&a, Scalar *&b, SourceRange range, Formula *formula) {
  if (a->type == b->type)
    return true;
  a = toReal(a, range, formula);
  b = a ? toReal(b, range, formula) : nullptr;
  return b != nullptr;
}

//===----------------------------------------------------------------------===//
// Compile time
//===----------------------------------------------------------------------===//

static std::optional<int64_t> integerPower(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent; exponent >>= 1) {
    if ((exponent & 1) && MulOverflow(result, base, result))
      return std::nullopt;
    if (exponent > 1 && MulOverflow(base, base, base))
      return std::nullopt;
  }
  return result;
}

Result Elaborator::foldInteger(BinaryOp op, int64_t a, int64_t b, SourceRange range) {
  int64_t value = 0;
  bool overflow = false;
  switch (op) {
  case BinaryOp::Add:
    overflow = AddOverflow(a, b, value);
    break;
  case BinaryOp::Subtract:
    overflow = SubOverflow(a, b, value);
    break;
  case BinaryOp::Multiply:
    overflow = MulOverflow(a, b, value);
    break;
  case BinaryOp::FloorDivide:
  case BinaryOp::Modulo: {
    if (b == 0)
      return error(range, "division by zero");
    overflow = a == INT64_MIN && b == -1;
    if (overflow)
      break;
    int64_t quotient = a / b - (a % b != 0 && (a < 0) != (b < 0));
    value = op == BinaryOp::FloorDivide ? quotient : a - quotient * b;
    break;
  }
  default: { // Power
    std::optional<int64_t> power = integerPower(a, b);
    overflow = !power;
    value = power.value_or(0);
    break;
  }
  }
  if (overflow)
    return error(range, "the integer " + Twine(a) + " " + ast::spelling(op) + " " + Twine(b) +
                            " does not fit 64 bits");
  return Value::makeInt(value);
}

static bool isComparison(BinaryOp op) {
  return op >= BinaryOp::Equal && op <= BinaryOp::GreaterEqual;
}

template <typename T> static bool compare(BinaryOp op, const T &a, const T &b) {
  switch (op) {
  case BinaryOp::Equal:
    return a == b;
  case BinaryOp::NotEqual:
    return a != b;
  case BinaryOp::Less:
    return a < b;
  case BinaryOp::LessEqual:
    return a <= b;
  case BinaryOp::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

Result Elaborator::foldBinary(BinaryOp op, const Value &a, const Value &b, SourceRange range) {
  bool integers = a.is(Value::Kind::Int) && b.is(Value::Kind::Int);
  if (isComparison(op))
    return Value::makeBool(integers ? compare(op, a.integer, b.integer)
                                    : compare(op, a.asReal(), b.asReal()));
  bool integral = op != BinaryOp::Divide && !(op == BinaryOp::Power && b.integer < 0);
  if (integers && integral)
    return foldInteger(op, a.integer, b.integer, range);
  double x = a.asReal(), y = b.asReal(), value = 0;
  switch (op) {
  case BinaryOp::Add:
    value = x + y;
    break;
  case BinaryOp::Subtract:
    value = x - y;
    break;
  case BinaryOp::Multiply:
    value = x * y;
    break;
  case BinaryOp::Divide:
    if (y == 0)
      return error(range, "division by zero");
    value = x / y;
    break;
  case BinaryOp::Power:
    value = std::pow(x, y);
    break;
  default:
    return error(range, "'" + ast::spelling(op) + "' is for integers; '/' divides reals");
  }
  if (std::isnan(value))
    return error(range, "the result is not a number");
  return Value::makeReal(value);
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

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
