//===- WideFunctions.cpp - functions of f32 whose way leads through f64 ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WideFunctions.h"

#include "weft/Conversion/KernelsToLLVM/RealMath.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

#include <limits>

using namespace mlir;
using namespace weft;

using Compare = arith::CmpFPredicate;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();

namespace {

/// Arithmetic on numbers of f64, and on their bits.
class WideMath : public RealMath {
public:
  /// On as many as `x` has.
  WideMath(OpBuilder &b, Location loc, Value x)
      : RealMath(b, loc, RealMath(b, loc, x.getType()).like(b.getF64Type())), b(b), loc(loc),
        narrowType(x.getType()) {}

  Value widen(Value x) { return arith::ExtFOp::create(b, loc, getType(), x); }
  Value narrow(Value x) { return arith::TruncFOp::create(b, loc, narrowType, x); }
  Value toBits(Value x) { return arith::BitcastOp::create(b, loc, like(b.getI64Type()), x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, loc, getType(), x); }
  Value bits(uint64_t value) {
    return createScalarOrSplatConstant(b, loc, like(b.getI64Type()), int64_t(value));
  }
  template <typename Op> Value compute(Value x, uint64_t y) {
    return Op::create(b, loc, x, bits(y));
  }
  template <typename Op> Value compute(Value x, Value y) { return Op::create(b, loc, x, y); }

private:
  OpBuilder &b;
  Location loc;
  Type narrowType;
};

} // namespace

//===----------------------------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------------------------===//

/// The sine of x + n pi, which is that of x with a sign for odd n: x - n pi is exact but for the
/// last product, as n has at most 26 bits, with its half, and the first part of pi 27. Whether
/// products and sums round once or twice makes no difference to what is promised.
static Value emitTurned(WideMath &v, Value x, Value n, Value odd) {
  // sin(r) / r - 1 in units of r^2 for |r| <= pi / 2, to 3e-11 of the sine.
  const double sine[] = {-0.16666666626128718, 0.008333331107689839, -0.00019840868086961504,
                         2.752537795001282e-06, -2.388879249667058e-08};
  Value r = v.fma(n, v.constant(-0x1.921fb54p+1), x);
  r = v.fma(n, v.constant(-0x1.10b4611a62633p-29), r);
  Value square = v.mul(r, r);
  // The factor is last, so that the sine of -0 is -0.
  Value size = v.mul(r, v.fma(square, v.polynomial(square, sine), v.constant(1)));
  Value sign = v.compute<arith::ShLIOp>(odd, 63);
  return v.narrow(v.fromBits(v.compute<arith::XOrIOp>(v.toBits(size), sign)));
}

static constexpr double kHalfTurns = 0.31830988618379067; ///< 1 / pi
/// Adding this leaves a whole number in the low bits.
static constexpr double kWhole = 0x1.8p52;

Value weft::emitNearSine(OpBuilder &b, Location loc, Value argument) {
  WideMath v(b, loc, argument);
  Value x = v.widen(argument), magic = v.constant(kWhole);
  Value shifted = v.fma(x, v.constant(kHalfTurns), magic);
  return emitTurned(v, x, v.sub(shifted, magic), v.toBits(shifted));
}

/// The sine of x + pi / 2, where n + 1/2 is what is nearest to x / pi: small results are as exact
/// as others.
Value weft::emitNearCosine(OpBuilder &b, Location loc, Value argument) {
  WideMath v(b, loc, argument);
  Value x = v.widen(argument), half = v.constant(0.5);
  Value turns = v.fma(x, v.constant(kHalfTurns), v.constant(-0.5));
  // The odd one turns the sign, so that n + 1 is counted.
  Value shifted = v.add(turns, v.constant(kWhole + 1));
  Value n = v.add(v.sub(shifted, v.constant(kWhole + 1)), half);
  return emitTurned(v, x, n, v.toBits(shifted));
}

//===----------------------------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------------------------===//

/// log2(x) for x > 0; finite for zero, infinity and NaN.
static Value emitLog2(WideMath &v, Value x) {
  // log2(1 + z) / z for sqrt(1/2) <= 1 + z <= sqrt(2), to 2e-11.
  const double series[] = {1.4426950408687025,   -0.7213475208687895,  0.48089836139712533,
                           -0.3606736748221004,  0.28853729331167016,  -0.24045316578700404,
                           0.20617536496930278,  -0.18030060203065654, 0.15876972406399487,
                           -0.14315638109195006, 0.14474882614141166,  -0.1428399612788215,
                           0.07737043423558417};
  constexpr uint64_t one = 0x3ff0000000000000, rootOfHalf = 0x3fe6a09e667f3bcd;
  // x = m 2^k: the exponent of what is raised so that sqrt(1/2) would be 1 counts k.
  Value bits = v.toBits(x), raised = v.compute<arith::AddIOp>(bits, one - rootOfHalf);
  Value exponent = v.compute<arith::AndIOp>(raised, 0xfff0000000000000);
  Value m = v.compute<arith::AddIOp>(v.compute<arith::SubIOp>(bits, exponent), one);
  // As the lowest bits of 2^52 it is a number.
  Value count = v.compute<arith::OrIOp>(v.compute<arith::ShRUIOp>(raised, 52), 0x4330000000000000);
  Value k = v.sub(v.fromBits(count), v.constant(0x1p52 + 1023));
  Value z = v.sub(v.fromBits(m), v.constant(1));
  return v.fma(z, v.polynomial(z, series), k);
}

/// 2^x; beyond what an f32 holds, and for NaN, another number there.
static Value emitPowerOfTwo(WideMath &v, Value x) {
  // (2^f - 1) / f for |f| <= 1/2, to 2e-9 of the power.
  const double series[] = {0.6931472062516696,   0.24022651346832596,   0.05550327783149256,
                           0.009618003755354312, 0.0013400273010106582, 0.00015476343731745052};
  Value low = v.constant(-200), high = v.constant(200), magic = v.constant(kWhole);
  x = v.select(Compare::OLT, x, high, x, high);
  x = v.select(Compare::OGT, x, low, x, low);
  Value shifted = v.add(x, magic), f = v.sub(x, v.sub(shifted, magic));
  Value power = v.fma(f, v.polynomial(f, series), v.constant(1));
  Value exponent = v.compute<arith::ShLIOp>(v.toBits(shifted), 52);
  return v.fromBits(v.compute<arith::AddIOp>(v.toBits(power), exponent));
}

namespace {

/// What makes a power of |x| one of x, in f32.
struct PowerCases : RealMath {
  PowerCases(OpBuilder &b, Location loc, Value x, Value y);

  Value test(Compare predicate, Value a, double limit) {
    return arith::CmpFOp::create(b, loc, predicate, a, constant(limit));
  }
  Value both(Value p, Value q) { return arith::AndIOp::create(b, loc, p, q); }
  Value either(Value p, Value q) { return arith::OrIOp::create(b, loc, p, q); }
  Value differ(Value p, Value q) { return arith::XOrIOp::create(b, loc, p, q); }
  Value choose(Value condition, double value, Value otherwise) {
    return arith::SelectOp::create(b, loc, condition, constant(value), otherwise);
  }
  Value limitExponent();
  Value chooseEnds(Value power);
  Value turn(Value power);
  Value refuse(Value power);

  OpBuilder &b;
  Location loc;
  Value x, y, size;
  Value isBroken; ///< whether y is not a whole number; not of NaN
  Value odd;      ///< its lowest bit says whether y is an odd number
};

} // namespace

PowerCases::PowerCases(OpBuilder &b, Location loc, Value x, Value y)
    : RealMath(b, loc, x.getType()), b(b), loc(loc), x(x), y(y), size(abs(x)) {
  // From there on all are whole and even.
  Value limit = constant(0x1p24), exponent = abs(y);
  exponent = select(Compare::OLT, exponent, limit, exponent, limit);
  Value whole = arith::FPToSIOp::create(b, loc, like(b.getI32Type()), exponent);
  Value asReal = arith::SIToFPOp::create(b, loc, getType(), whole);
  isBroken = arith::CmpFOp::create(b, loc, Compare::ONE, asReal, exponent);
  Value even = createScalarOrSplatConstant(b, loc, whole.getType(), int64_t(0));
  odd = arith::SelectOp::create(b, loc, isBroken, even, whole);
}

/// Finite, so that it times the logarithm of 1 is 0.
Value PowerCases::limitExponent() {
  Value most = constant(std::numeric_limits<float>::max());
  Value least = constant(-std::numeric_limits<float>::max());
  Value limited = select(Compare::OLT, y, most, y, most);
  return select(Compare::OGT, limited, least, limited, least);
}

/// Powers of zero and of infinity, whose logarithms are not infinite here.
Value PowerCases::chooseEnds(Value power) {
  Value isZero = test(Compare::OEQ, size, 0);
  Value isEnd = either(isZero, test(Compare::OEQ, size, kInfinity));
  Value isHuge = differ(isZero, test(Compare::OGT, y, 0));
  Value end = choose(isHuge, kInfinity, constant(0));
  Value counts = both(isEnd, test(Compare::ONE, y, 0)); // not of NaN
  return arith::SelectOp::create(b, loc, counts, end, power);
}

/// Of -0 and less odd powers are negative.
Value PowerCases::turn(Value power) {
  Type type = like(b.getI32Type());
  Value shift = createScalarOrSplatConstant(b, loc, type, int64_t(31));
  Value sign =
      both(arith::BitcastOp::create(b, loc, type, x), arith::ShLIOp::create(b, loc, odd, shift));
  Value bits = arith::BitcastOp::create(b, loc, type, power);
  return arith::BitcastOp::create(b, loc, getType(), differ(bits, sign));
}

/// NaN of negative numbers whose power is not whole, and for NaN but where the other one decides.
Value PowerCases::refuse(Value power) {
  Value isBelow = both(test(Compare::OLT, x, 0), test(Compare::OGT, x, -kInfinity));
  Value isUnknown = arith::CmpFOp::create(b, loc, Compare::UNO, x, y);
  Value isKnown = either(test(Compare::OEQ, x, 1), test(Compare::OEQ, y, 0));
  Value isWrong = either(both(isBelow, isBroken), isUnknown);
  Value nan = choose(isKnown, 1, constant(std::numeric_limits<double>::quiet_NaN()));
  return arith::SelectOp::create(b, loc, isWrong, nan, power);
}

Value weft::emitPower(OpBuilder &b, Location loc, Value x, Value y) {
  WideMath v(b, loc, x);
  PowerCases cases(b, loc, x, y);
  Value log = emitLog2(v, v.widen(cases.size));
  Value power = emitPowerOfTwo(v, v.mul(log, v.widen(cases.limitExponent())));
  return cases.refuse(cases.turn(cases.chooseEnds(v.narrow(power))));
}
