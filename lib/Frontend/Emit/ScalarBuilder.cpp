//===- ScalarBuilder.cpp - Typed operations of a formula ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ScalarBuilder.h"
#include "Types.h"

using namespace llvm;
using weft::ast::BinaryOp;

namespace weft::sema {

Scalar *ScalarBuilder::checked(Scalar *node, SourceRange range) {
  if (!node)
    reporter.error(range, "the formula is too large (more than " + Twine(Formula::maxNodes) +
                              " operations, or nested more than " + Twine(Formula::maxDepth) +
                              " deep)");
  return node;
}

Scalar *ScalarBuilder::add(ScalarOp op, ast::ElementKind type, SourceRange range,
                           ArrayRef<Scalar *> args) {
  if (is_contained(args, nullptr))
    return nullptr;
  return checked(formula.add(op, type, range, args), range);
}

//===----------------------------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------------------------===//

/// The first tensor of a formula on whole tensors gives its indices; the others must agree.
bool ScalarBuilder::adoptShape(const Tensor &tensor, SourceRange range) {
  if (!formula.shapeSource) {
    formula.shapeSource = tensor;
    for (auto [dim, name] : zip(tensor->dims, tensor->indexNames)) {
      Index *index = formula.addIndex(name, range);
      index->extent = dim;
      index->source = tensor->name;
      index->sourceRange = range;
      formula.outputs.push_back(index);
    }
  }
  const TensorValue &shape = *formula.shapeSource;
  if (haveSameShape(shape, *tensor))
    return true;
  reporter.error(
      range,
      "'" + tensor->name + "' is " + typeText(*tensor) + " but '" + shape.name + "' is " +
          typeText(shape) + "; whole tensors must have equal shapes",
      {declaredHere(tensor->name, tensor->declared), declaredHere(shape.name, shape.declared)});
  return false;
}

Scalar *ScalarBuilder::wholeElement(const Tensor &tensor, SourceRange range) {
  if (tensor->rank() == 0)
    return checked(formula.addRead(tensor, {}, range), range);
  return adoptShape(tensor, range) ? elementAtOutputs(tensor, range) : nullptr;
}

Scalar *ScalarBuilder::elementAtOutputs(const Tensor &tensor, SourceRange range) {
  SmallVector<Scalar *> coordinates;
  for (Index *index : formula.outputs) {
    coordinates.push_back(checked(formula.addIndexValue(index, range), range));
    if (!coordinates.back())
      return nullptr;
  }
  return checked(formula.addRead(tensor, coordinates, range), range);
}

//===----------------------------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------------------------===//

Scalar *ScalarBuilder::toScalar(const Value &value, SourceRange range) {
  switch (value.kind) {
  case Value::Kind::Scalar:
    return value.scalar;
  case Value::Kind::Int:
    return checked(formula.addInt(value.integer, range), range);
  case Value::Kind::Real:
    return checked(formula.addReal(value.real, range), range);
  case Value::Kind::Bool:
    return checked(formula.addBool(value.integer, range), range);
  case Value::Kind::Symbol:
    return checked(formula.addSize(value.extent, range), range);
  case Value::Kind::Tensor:
    if (formula.whole || value.tensor->rank() == 0)
      return wholeElement(value.tensor, range);
    reporter.error(range, "'" + value.tensor->name + "' is a tensor " + typeText(*value.tensor) +
                              "; a formula needs one element of it, '" + value.tensor->name +
                              "[...]'");
    return nullptr;
  default:
    reporter.unusable(value, range, "a number");
    return nullptr;
  }
}

Scalar *ScalarBuilder::toCondition(const Value &value, SourceRange range) {
  Scalar *scalar = toScalar(value, range);
  if (!scalar || scalar->isBool())
    return scalar;
  reporter.error(range, "a condition must be true or false; compare the number with something");
  return nullptr;
}

Scalar *ScalarBuilder::toNumber(const Value &value, SourceRange range) {
  Scalar *scalar = toScalar(value, range);
  return scalar && scalar->isBool() ? toReal(scalar, range) : scalar; // which is an error
}

Scalar *ScalarBuilder::toReal(Scalar *scalar, SourceRange range) {
  if (!scalar || scalar->isReal())
    return scalar;
  if (scalar->isBool()) {
    reporter.error(range, "a condition is no number; write 'if ... then 1 else 0'");
    return nullptr;
  }
  if (scalar->op == ScalarOp::Constant)
    return checked(formula.addReal(scalar->integer, range), range);
  return add(ScalarOp::ToReal, ast::ElementKind::Real, range, {scalar});
}

bool ScalarBuilder::promote(Scalar *&a, Scalar *&b, SourceRange range) {
  if (a->type == b->type)
    return true;
  a = toReal(a, range);
  b = a ? toReal(b, range) : nullptr;
  return b != nullptr;
}

//===----------------------------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------------------------===//

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
  case BinaryOp::Modulo:
    return ScalarOp::Modulo;
  default:
    llvm_unreachable("no arithmetic of one node");
  }
}

/// x * x * ... by squaring.
Scalar *ScalarBuilder::productPower(Scalar *base, int64_t exponent, SourceRange range) {
  Scalar *result = nullptr, *square = base;
  for (int64_t e = exponent; e && square; e >>= 1) {
    if (e & 1)
      result = result ? add(ScalarOp::Multiply, base->type, range, {result, square}) : square;
    if ((e & 1) && !result)
      return nullptr;
    if (e > 1)
      square = add(ScalarOp::Multiply, base->type, range, {square, square});
  }
  return square ? result : nullptr;
}

/// `x ^ 3` is a product; an integer base needs a constant exponent to stay an integer.
Scalar *ScalarBuilder::power(Scalar *base, Scalar *exponent, SourceRange range) {
  constexpr int64_t maxProduct = 16;
  if (exponent->op == ScalarOp::Constant && exponent->isInt() && exponent->integer >= 1 &&
      exponent->integer <= maxProduct && !base->isBool())
    return productPower(base, exponent->integer, range);
  base = toReal(base, range);
  exponent = base ? toReal(exponent, range) : nullptr;
  return exponent ? add(ScalarOp::Power, ast::ElementKind::Real, range, {base, exponent}) : nullptr;
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

Scalar *ScalarBuilder::binary(BinaryOp op, Scalar *x, Scalar *y, SourceRange xRange,
                              SourceRange yRange, SourceRange range) {
  if (op == BinaryOp::Power)
    return power(x, y, range);
  if (op == BinaryOp::Divide) {
    x = toReal(x, xRange);
    y = x ? toReal(y, yRange) : nullptr;
    if (!y)
      return nullptr;
  }
  bool equality = op == BinaryOp::Equal || op == BinaryOp::NotEqual;
  if (!(x->isBool() && y->isBool() && equality)) {
    if (x->isBool() || y->isBool()) // which is an error
      return toReal(x->isBool() ? x : y, x->isBool() ? xRange : yRange);
    if (!promote(x, y, range))
      return nullptr;
  }
  if (op == BinaryOp::FloorDivide || op == BinaryOp::Modulo) {
    if (!x->isInt())
      return reporter.error(range,
                            "'" + ast::spelling(op) + "' is for integers; '/' divides reals"),
             nullptr;
    if (y->op == ScalarOp::Constant && y->integer == 0)
      return reporter.error(range, "division by zero"), nullptr;
  }
  if (Scalar *same = withoutNeutral(op, x, y))
    return same;
  ast::ElementKind type = ast::isComparison(op) ? ast::ElementKind::Bool : x->type;
  return add(scalarOp(op), type, range, {x, y});
}

} // namespace weft::sema
