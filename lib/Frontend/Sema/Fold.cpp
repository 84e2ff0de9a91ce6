//===- Fold.cpp - Arithmetic of compile-time values -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Fold.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;
using weft::ast::BinaryOp;

namespace weft::sema {

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

static std::optional<Value> foldInteger(BinaryOp op, int64_t a, int64_t b, SourceRange range,
                                        Reporter &reporter) {
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
      return reporter.error(range, "division by zero");
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
    return reporter.error(range, "the integer " + Twine(a) + " " + ast::spelling(op) + " " +
                                     Twine(b) + " does not fit 64 bits");
  return Value::makeInt(value);
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

std::optional<Value> foldBinary(BinaryOp op, const Value &a, const Value &b, SourceRange range,
                                Reporter &reporter) {
  bool integers = a.is(Value::Kind::Int) && b.is(Value::Kind::Int);
  if (ast::isComparison(op))
    return Value::makeBool(integers ? compare(op, a.integer, b.integer)
                                    : compare(op, a.asReal(), b.asReal()));
  bool integral = op != BinaryOp::Divide && !(op == BinaryOp::Power && b.integer < 0);
  if (integers && integral)
    return foldInteger(op, a.integer, b.integer, range, reporter);
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
      return reporter.error(range, "division by zero");
    value = x / y;
    break;
  case BinaryOp::Power:
    value = std::pow(x, y);
    break;
  default:
    return reporter.error(range, "'" + ast::spelling(op) + "' is for integers; '/' divides reals");
  }
  if (std::isnan(value))
    return reporter.error(range, "the result is not a number");
  return Value::makeReal(value);
}

std::optional<Value> foldNegate(const Value &x, SourceRange range, Reporter &reporter) {
  if (x.is(Value::Kind::Real))
    return Value::makeReal(-x.real);
  return foldInteger(BinaryOp::Subtract, 0, x.integer, range, reporter);
}

} // namespace weft::sema
