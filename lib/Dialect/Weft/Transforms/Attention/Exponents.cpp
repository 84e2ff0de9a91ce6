//===- Exponents.cpp - weights that are exponentials -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Exponents.h"

#include "ProductFactors.h"
#include "WeightFactors.h"

#include <cmath>

using namespace mlir;
using namespace weft;

/// `if p then w else 0`, also of integers that become reals.
static std::optional<MaskedValue> matchSelect(Value value) {
  while (isa_and_nonnull<arith::SIToFPOp, arith::IndexCastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return matchMasked(value, [](double constant) { return constant == 0; });
}

/// `if p then w else 0`, or w times `if p then 1 else 0`.
static std::optional<MaskedValue> matchWeightMask(Value value) {
  if (isa_and_nonnull<arith::SelectOp>(value.getDefiningOp()))
    return matchSelect(value);
  auto product = value.getDefiningOp<arith::MulFOp>();
  for (unsigned i : {0, 1}) {
    std::optional<MaskedValue> mask = product ? matchSelect(product->getOperand(i)) : std::nullopt;
    if (mask && getConstantNumber(mask->value) == 1.0) {
      mask->value = product->getOperand(1 - i);
      return mask;
    }
  }
  return std::nullopt;
}

Value weft::emitExponent(OpBuilder &builder, Value value) {
  if (auto exp = value.getDefiningOp<math::ExpOp>())
    return exp.getOperand();
  std::optional<MaskedValue> mask = matchWeightMask(value);
  Value exponent = mask ? emitExponent(builder, mask->value) : Value();
  if (!exponent)
    return Value();
  Location loc = value.getLoc();
  Value none = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(-INFINITY));
  return arith::SelectOp::create(builder, loc, mask->condition, mask->negated ? none : exponent,
                                 mask->negated ? exponent : none);
}

math::ExpOp weft::getExponential(Value value, SmallVectorImpl<MaskedValue> *masks) {
  while (std::optional<MaskedValue> mask = matchWeightMask(value)) {
    value = mask->value;
    if (masks)
      masks->push_back(*mask);
  }
  return value.getDefiningOp<math::ExpOp>();
}

SmallVector<math::ExpOp> weft::findExponentials(Value value) {
  // What else reads it, a condition or the other factor, is no part of the product.
  if (!value.hasOneUse())
    return {};
  Operation *def = value.getDefiningOp();
  if (auto exp = dyn_cast_or_null<math::ExpOp>(def))
    return {exp};
  SmallVector<math::ExpOp> found;
  if (isa_and_nonnull<arith::MulFOp, arith::DivFOp>(def))
    found = findExponentials(def->getOperand(0));
  if (isa_and_nonnull<arith::MulFOp>(def))
    found.append(findExponentials(def->getOperand(1)));
  if (std::optional<MaskedValue> mask = matchSelect(value))
    found = findExponentials(mask->value);
  return found;
}

bool weft::areExponentials(MapOp op) {
  return !op.getOutputMapsAttr() && getExponential(getYielded(op));
}
