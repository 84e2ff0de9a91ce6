//===- Exponential.cpp - powers of two for softmaxes ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Exponential.h"

#include "weft/Codegen/Common/Combine.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace weft;

/// Minimax polynomials of 2^f on [-1/2, 1/2] that are 1 at 0, relative errors below 1e-7
/// and 1.1e-4.
static constexpr float kExact[] = {1.326472709e-3f, 9.671512649e-3f, 5.550733744e-2f,
                                   2.402224209e-1f, 6.931469776e-1f, 1.0f};
static constexpr float kRounded[] = {5.500893112e-2f, 2.422109593e-1f, 6.932829271e-1f, 1.0f};

Value weft::emitExp2(LaneBuilder &lanes, Value x, Power power) {
  return lanes.powerOfTwo ? lanes.powerOfTwo(lanes, x, power) : emitPlainExp2(lanes, x, power);
}

static Value emitPolynomial(LaneBuilder &lanes, Value fraction, ArrayRef<float> coefficients) {
  OpBuilder &b = lanes.b;
  constexpr auto contract = arith::FastMathFlags::contract;
  Value power = lanes.floatVector(coefficients[0]);
  for (float coefficient : coefficients.drop_front()) {
    Value product = arith::MulFOp::create(b, lanes.loc, power, fraction, contract);
    power = arith::AddFOp::create(b, lanes.loc, product, lanes.floatVector(coefficient), contract);
  }
  return power;
}

Value weft::emitExp2OfFraction(LaneBuilder &lanes, Value fraction, bool isRounded) {
  return emitPolynomial(lanes, fraction,
                        isRounded ? ArrayRef<float>(kRounded) : ArrayRef<float>(kExact));
}

/// Not below -127, whose power is 0, as those of weights are that are too small.
static Value limitExponent(LaneBuilder &lanes, Value x, bool isWeight) {
  Value least = lanes.floatVector(-127);
  if (!isWeight)
    return emitLarger(lanes, least, x);
  Value isSmall = arith::CmpFOp::create(lanes.b, lanes.loc, arith::CmpFPredicate::OLT, x,
                                        lanes.floatVector(kLeastWeight));
  return arith::SelectOp::create(lanes.b, lanes.loc, isSmall, least, x);
}

/// Below 2^127.
static Value emitScaled(LaneBuilder &lanes, Value x, Power power) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value clamped = limitExponent(lanes, x, power == Power::Weight);
  // x = n + f with n whole and |f| <= 1/2: adding 3 * 2^22 leaves n in the low bits, and 127 more
  // make them the exponent of 2^n, which is 0 for n = -127.
  Value magic = lanes.floatVector(12582912.0f + 127);
  Value shifted = arith::AddFOp::create(b, loc, clamped, magic);
  Value whole = arith::SubFOp::create(b, loc, shifted, magic);
  Value fraction = arith::SubFOp::create(b, loc, clamped, whole);
  Value scaled = emitExp2OfFraction(lanes, fraction, power == Power::Rounded);
  Value bits = arith::BitcastOp::create(b, loc, lanes.vectorOf(b.getI32Type()), shifted);
  bits = arith::ShLIOp::create(b, loc, bits, lanes.intVector(23));
  return arith::MulFOp::create(b, loc, scaled, arith::BitcastOp::create(b, loc, x.getType(), bits));
}

Value weft::emitPlainExp2(LaneBuilder &lanes, Value x, Power power) {
  // The exponent of 2^128 is that of infinity.
  Value most = lanes.floatVector(128);
  Value isMore = arith::CmpFOp::create(lanes.b, lanes.loc, arith::CmpFPredicate::OLT, most, x);
  Value bounded = arith::SelectOp::create(lanes.b, lanes.loc, isMore, most, x);
  return emitScaled(lanes, bounded, power);
}

Value weft::emitExponent(LaneBuilder &lanes, Value score, float factor) {
  if (lanes.roundedProduct)
    return lanes.roundedProduct(lanes, score, lanes.floatVector(factor));
  return arith::MulFOp::create(lanes.b, lanes.loc, score, lanes.floatVector(factor));
}

/// `otherwise` where the row has no weights.
static Value chooseIfSome(LaneBuilder &lanes, Value total, Value value, float otherwise) {
  OpBuilder &b = lanes.b;
  Value some =
      arith::CmpFOp::create(b, lanes.loc, arith::CmpFPredicate::OGT, total, lanes.floatConstant(0));
  return arith::SelectOp::create(b, lanes.loc, some, value, lanes.floatConstant(otherwise));
}

static Value emitScore(LaneBuilder &lanes, Value exponent) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value score = arith::MulFOp::create(b, loc, exponent, lanes.floatConstant(1 / kLog2E));
  // One that was limited is the smaller one of these.
  Value more = arith::AddFOp::create(b, loc, score, lanes.floatConstant(kLimitedOffset));
  more = arith::MulFOp::create(b, loc, more, lanes.floatConstant(kLimitedFactor));
  Value isLess = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, more, score);
  return arith::SelectOp::create(b, loc, isLess, more, score);
}

Value weft::emitLogSum(LaneBuilder &lanes, Value largest, Value total) {
  OpBuilder &b = lanes.b;
  Value sum = arith::AddFOp::create(b, lanes.loc, emitScore(lanes, largest),
                                    math::LogOp::create(b, lanes.loc, total));
  return chooseIfSome(lanes, total, sum, std::numeric_limits<float>::infinity());
}

Value weft::emitLargestScore(LaneBuilder &lanes, Value largest, Value total) {
  return chooseIfSome(lanes, total, emitScore(lanes, largest),
                      -std::numeric_limits<float>::infinity());
}

Value weft::emitReciprocal(LaneBuilder &lanes, Value total) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value zero = lanes.floatConstant(0), one = lanes.floatConstant(1);
  Value some = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, total, zero);
  Value safe = arith::SelectOp::create(b, loc, some, total, one);
  Value inverse = arith::DivFOp::create(b, loc, one, safe);
  return arith::SelectOp::create(b, loc, some, inverse, zero);
}
