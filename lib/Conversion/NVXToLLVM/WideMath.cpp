//===- WideMath.cpp - functions of f32 whose way leads through f64 --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WideMath.h"

#include "weft/Dialect/NVX/IR/NVX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace weft;

namespace {

/// Writes arithmetic on f64 scalars.
class WideMath {
public:
  WideMath(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(double value) {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value widen(Value x) { return arith::ExtFOp::create(b, loc, b.getF64Type(), x); }
  Value narrow(Value x) { return arith::TruncFOp::create(b, loc, b.getF32Type(), x); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, loc, x, y, z); }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value floor(Value x) { return math::FloorOp::create(b, loc, x); }
  Value round(Value x) { return math::RoundEvenOp::create(b, loc, x); }
  Value toInteger(Value x) { return arith::FPToSIOp::create(b, loc, b.getI64Type(), x); }
  Value toReal(Value x) { return arith::SIToFPOp::create(b, loc, b.getF64Type(), x); }
  Value toBits(Value x) { return arith::BitcastOp::create(b, loc, b.getI64Type(), x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, loc, b.getF64Type(), x); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value test(arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(b, loc, predicate, x, constant(y));
  }
  Value equal(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  /// Coefficients from that of 1 on.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

  OpBuilder &b;
  Location loc;
};

} // namespace

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------------------------===//

/// sin(x + shift * pi / 2): with r = x - n * pi / 2 it is the sine or cosine of r, with a sign that
/// n decides. The quotient is exact as long as n has 53 bits.
static Value emitTurned(WideMath &v, Value argument, int64_t shift) {
  constexpr double limit = 0x1p52;
  Value x = v.widen(argument);
  Value inside = v.test(arith::CmpFPredicate::OLT, v.abs(x), limit);
  x = v.select(inside, x, v.constant(0));
  Value n = v.round(v.mul(x, v.constant(0.63661977236758134308)));
  Value r = v.fma(n, v.constant(-1.57079632679489655800), x);
  r = v.fma(n, v.constant(-6.12323399573676603587e-17), r);
  Value square = v.mul(r, r);
  // Taylor's series on |r| <= pi / 4, to 1e-11 of the result.
  const double sine[] = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800};
  const double cosine[] = {1.0,         -1.0 / 2,       1.0 / 24,       -1.0 / 720,
                           1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600};
  Value sin = v.mul(r, v.polynomial(square, sine)), cos = v.polynomial(square, cosine);
  Value quarter = arith::AddIOp::create(v.b, v.loc, v.toInteger(n), v.integer(shift));
  auto hasBit = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(v.b, v.loc, arith::CmpIPredicate::ne,
                                 v.both(quarter, v.integer(bit)), v.integer(0));
  };
  Value size = v.select(hasBit(1), cos, sin);
  Value result = v.select(hasBit(2), v.sub(v.constant(0), size), size);
  return v.narrow(v.select(inside, result, v.constant(kNaN)));
}

Value weft::emitSin(OpBuilder &b, Location loc, Value x) {
  WideMath v(b, loc);
  return emitTurned(v, x, 0);
}

Value weft::emitCos(OpBuilder &b, Location loc, Value x) {
  WideMath v(b, loc);
  return emitTurned(v, x, 1);
}

//===----------------------------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------------------------===//

/// log2(x) for x >= 0: x = m * 2^k with m between sqrt(1/2) and sqrt(2), and log(m) is the series
/// of 2 artanh(s) with s = (m - 1) / (m + 1).
static Value emitLog2(WideMath &v, Value x) {
  Value bits = v.toBits(x);
  // The bits of sqrt(1/2): what is above them counts k.
  Value above = arith::SubIOp::create(v.b, v.loc, bits, v.integer(0x3fe6a09e667f3bcd));
  Value k = arith::ShRSIOp::create(v.b, v.loc, above, v.integer(52));
  Value exponent = arith::ShLIOp::create(v.b, v.loc, k, v.integer(52));
  Value m = v.fromBits(arith::SubIOp::create(v.b, v.loc, bits, exponent));
  Value one = v.constant(1);
  Value s = v.div(v.sub(m, one), v.add(m, one)), square = v.mul(s, s);
  // In units of log2(e), to 1e-12.
  const double inLog2 = 2 * 1.44269504088896340736;
  const double series[] = {inLog2,     inLog2 / 3,  inLog2 / 5, inLog2 / 7,
                           inLog2 / 9, inLog2 / 11, inLog2 / 13};
  Value result = v.fma(s, v.polynomial(square, series), v.toReal(k));
  result = v.select(v.test(arith::CmpFPredicate::OEQ, x, 0), v.constant(-kInfinity), result);
  // Infinity, and NaN for NaN.
  return v.select(v.test(arith::CmpFPredicate::OLT, x, kInfinity), result, x);
}

/// 2^x for an f64, as one that has the digits of an f32.
static Value emitExp2(WideMath &v, Value x) {
  // Beyond these an f32 is infinite or 0.
  Value low = v.constant(-200), high = v.constant(200);
  Value clamped = v.select(v.test(arith::CmpFPredicate::OLT, x, -200), low, x);
  clamped = v.select(v.test(arith::CmpFPredicate::OGT, x, 200), high, clamped);
  Value whole = v.round(clamped);
  Value power = nvx::Ex2Op::create(v.b, v.loc, v.narrow(v.sub(clamped, whole)));
  Value known = v.select(v.equal(whole, whole), whole, v.constant(0));
  Value exponent = arith::ShLIOp::create(
      v.b, v.loc, arith::AddIOp::create(v.b, v.loc, v.toInteger(known), v.integer(1023)),
      v.integer(52));
  return v.mul(v.widen(power), v.fromBits(exponent));
}

Value weft::emitPow(OpBuilder &b, Location loc, Value base, Value exponent) {
  WideMath v(b, loc);
  Value x = v.widen(base), y = v.widen(exponent), one = v.constant(1);
  Value size = emitExp2(v, v.mul(y, emitLog2(v, v.abs(x))));
  // Negative numbers, -0 too, have powers that are whole; odd ones change the sign.
  Value isWhole = v.equal(v.floor(y), y), half = v.mul(y, v.constant(0.5));
  Value isEven = v.equal(v.floor(half), half);
  Value isNegative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, v.toBits(x), v.integer(0));
  Value isBelow = v.test(arith::CmpFPredicate::OLT, x, 0);
  Value turned = v.select(isEven, size, v.sub(v.constant(0), size));
  // An infinite base has powers that are not whole, too.
  Value isReal = v.test(arith::CmpFPredicate::OEQ, x, -kInfinity);
  Value refused = v.select(arith::OrIOp::create(b, loc, isWhole, isReal), size, v.constant(kNaN));
  Value result = v.select(v.both(isNegative, isWhole), turned, v.select(isBelow, refused, size));
  // Whatever the other is. -1 has no part in an infinite power either.
  Value plain = arith::OrIOp::create(b, loc, v.test(arith::CmpFPredicate::OEQ, x, 1),
                                     v.test(arith::CmpFPredicate::OEQ, y, 0));
  Value turning = v.both(v.test(arith::CmpFPredicate::OEQ, x, -1),
                         v.test(arith::CmpFPredicate::OEQ, v.abs(y), kInfinity));
  plain = arith::OrIOp::create(b, loc, plain, turning);
  return v.narrow(v.select(plain, one, result));
}
