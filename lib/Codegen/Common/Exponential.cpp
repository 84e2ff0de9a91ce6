//===- Exponential.cpp - powers of two for softmaxes ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Exponential.h"

using namespace mlir;
using namespace weft;

/// Minimax polynomial of 2^f on [-1/2, 1/2], error below 2e-7.
static constexpr float kPower[] = {1.535336188319500e-4f,
                                   1.339887440266574e-3f,
                                   9.618437357674640e-3f,
                                   5.550332471162809e-2f,
                                   2.402264791363012e-1f,
                                   6.931472028550421e-1f,
                                   1.0f};

Value weft::emitExp2(LaneBuilder &lanes, Value x) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  constexpr auto contract = arith::FastMathFlags::contract;
  Value lowest = lanes.floatVector(-127);
  Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, lowest);
  Value clamped = arith::SelectOp::create(b, loc, below, lowest, x);
  // x = n + f with n whole and |f| <= 1/2: adding 3 * 2^22 leaves n in the low bits, and 127 more
  // make them the exponent of 2^n, which is 0 for n = -127.
  Value magic = lanes.floatVector(12582912.0f + 127);
  Value shifted = arith::AddFOp::create(b, loc, clamped, magic);
  Value whole = arith::SubFOp::create(b, loc, shifted, magic);
  Value fraction = arith::SubFOp::create(b, loc, clamped, whole);
  Value power = lanes.floatVector(kPower[0]);
  for (float coefficient : ArrayRef(kPower).drop_front()) {
    Value product = arith::MulFOp::create(b, loc, power, fraction, contract);
    power = arith::AddFOp::create(b, loc, product, lanes.floatVector(coefficient), contract);
  }
  Value bits = arith::BitcastOp::create(b, loc, lanes.vectorOf(b.getI32Type()), shifted);
  bits = arith::ShLIOp::create(b, loc, bits, lanes.intVector(23));
  return arith::MulFOp::create(b, loc, power, arith::BitcastOp::create(b, loc, x.getType(), bits));
}
