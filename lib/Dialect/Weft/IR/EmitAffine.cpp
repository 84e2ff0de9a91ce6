//===- EmitAffine.cpp - affine expressions as scalar code -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/EmitAffine.h"

using namespace mlir;
using namespace weft;

bool weft::isNonNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return !binary || (isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS()));
}

Value weft::emitAffine(OpBuilder &builder, Location loc, AffineExpr expr,
                       function_ref<Value(unsigned)> getDim) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getDim(dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emitAffine(builder, loc, binary.getLHS(), getDim);
  Value rhs = emitAffine(builder, loc, binary.getRHS(), getDim);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(builder, loc, lhs, rhs);
  default: {
    if (isNonNegative(binary.getLHS()))
      return arith::RemSIOp::create(builder, loc, lhs, rhs);
    // The affine remainder is never negative: a - (a floordiv b) * b.
    Value quotient = arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    Value multiple = arith::MulIOp::create(builder, loc, quotient, rhs);
    return arith::SubIOp::create(builder, loc, lhs, multiple);
  }
  }
}
