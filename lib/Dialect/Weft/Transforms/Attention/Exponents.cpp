//===- Exponents.cpp - weights that are exponentials -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Exponents.h"

#include "ProductFactors.h"
#include "WeightFactors.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace weft;

namespace {
/// Where the condition fails (or holds, if `negated`) a value is 0.
struct WeightMask {
  Value condition, value;
  bool negated;
};
} // namespace

/// The number that a constant is, be it a real, an integer or an index.
static std::optional<double> getNumber(Value value) {
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return double(integer.getSExtValue());
  return getConstantFloat(value);
}

/// `if p then w else 0`, also of integers that become reals.
static std::optional<WeightMask> matchSelect(Value value) {
  while (isa_and_nonnull<arith::SIToFPOp, arith::IndexCastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto select = value.getDefiningOp<arith::SelectOp>();
  for (unsigned zero : {1, 2})
    if (select && getNumber(select->getOperand(zero)) == 0.0)
      return WeightMask{select.getCondition(), select->getOperand(3 - zero), zero == 1};
  return std::nullopt;
}

/// `if p then w else 0`, or w times `if p then 1 else 0`.
static std::optional<WeightMask> matchWeightMask(Value value) {
  if (isa_and_nonnull<arith::SelectOp>(value.getDefiningOp()))
    return matchSelect(value);
  auto product = value.getDefiningOp<arith::MulFOp>();
  for (unsigned i : {0, 1}) {
    std::optional<WeightMask> mask = product ? matchSelect(product->getOperand(i)) : std::nullopt;
    if (mask && getNumber(mask->value) == 1.0)
      return WeightMask{mask->condition, product->getOperand(1 - i), mask->negated};
  }
  return std::nullopt;
}

Value weft::emitExponent(OpBuilder &builder, Value value) {
  if (auto exp = value.getDefiningOp<math::ExpOp>())
    return exp.getOperand();
  std::optional<WeightMask> mask = matchWeightMask(value);
  Value exponent = mask ? emitExponent(builder, mask->value) : Value();
  if (!exponent)
    return Value();
  Location loc = value.getLoc();
  Value none = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(-INFINITY));
  return arith::SelectOp::create(builder, loc, mask->condition, mask->negated ? none : exponent,
                                 mask->negated ? exponent : none);
}

bool weft::isExponential(Value value) {
  while (std::optional<WeightMask> mask = matchWeightMask(value))
    value = mask->value;
  return isa_and_nonnull<math::ExpOp>(value.getDefiningOp());
}

bool weft::areExponentials(MapOp op) {
  return !op.getOutputMapsAttr() && isExponential(getYielded(op));
}
