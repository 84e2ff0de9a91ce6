//===- RealMath.cpp - functions of f32 as arithmetic ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/KernelsToLLVM/RealMath.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

#include <limits>

using namespace mlir;
using namespace weft;

static constexpr auto contract = arith::FastMathFlags::contract;

Type RealMath::like(Type element) const {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

Value RealMath::constant(double value) {
  APFloat number(value);
  bool isInexact;
  number.convert(cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &isInexact);
  return createScalarOrSplatConstant(b, loc, type, number);
}

Value RealMath::add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y, contract); }

Value RealMath::sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y, contract); }

Value RealMath::mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y, contract); }

Value RealMath::div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }

Value RealMath::copySign(Value x, Value sign) { return math::CopySignOp::create(b, loc, x, sign); }

Value RealMath::select(arith::CmpFPredicate predicate, Value x, Value y, Value yes, Value no) {
  return arith::SelectOp::create(b, loc, arith::CmpFOp::create(b, loc, predicate, x, y), yes, no);
}

Value RealMath::atMost(Value x, float limit) {
  Value y = constant(limit);
  return select(arith::CmpFPredicate::OGT, x, y, y, x);
}

Value RealMath::clamp(Value x, float limit) {
  Value lowest = constant(-limit);
  x = select(arith::CmpFPredicate::OLT, x, lowest, lowest, x);
  return atMost(x, limit);
}

Value RealMath::polynomial(Value x, ArrayRef<float> coefficients) {
  return writePolynomial(x, coefficients);
}

Value RealMath::polynomial(Value x, ArrayRef<double> coefficients) {
  return writePolynomial(x, coefficients);
}

template <typename Real> Value RealMath::writePolynomial(Value x, ArrayRef<Real> coefficients) {
  Value square = mul(x, x), sum;
  for (int64_t i = (int64_t(coefficients.size()) - 1) / 2 * 2; i >= 0; i -= 2) {
    Value pair = constant(coefficients[i]);
    if (i + 1 < int64_t(coefficients.size()))
      pair = fma(x, constant(coefficients[i + 1]), pair);
    sum = sum ? fma(sum, square, pair) : pair;
  }
  return sum;
}

RealMath::Rounded RealMath::round(Value x, float factor) {
  Value magic = constant(12582912.0f);
  // Neither may be seen as x: what is lost by adding is the point.
  Value shifted = factor == 1 ? arith::AddFOp::create(b, loc, x, magic).getResult()
                              : fma(x, constant(factor), magic);
  return {arith::SubFOp::create(b, loc, shifted, magic), shifted};
}

Value RealMath::scale(Value x, const Rounded &n) {
  Type bits = like(b.getI32Type());
  Value left = arith::BitcastOp::create(b, loc, bits, n.inLowBits);
  Value shift = createScalarOrSplatConstant(b, loc, bits, int64_t(23));
  Value exponent = arith::ShLIOp::create(b, loc, left, shift);
  Value sum = arith::AddIOp::create(b, loc, arith::BitcastOp::create(b, loc, bits, x), exponent);
  return arith::BitcastOp::create(b, loc, type, sum);
}

Value RealMath::reduce(Value x, const Rounded &n, float d) {
  Value high = fma(n.whole, constant(-0.693359375f / d), x);
  return fma(n.whole, constant(2.12194440e-4f / d), high);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
static constexpr float kExpTail[] = {0.4999999955f, 0.1666657707f, 4.166685373e-2f, 8.363178028e-3f,
                                     1.390130722e-3f};

Value weft::emitExp(RealMath &v, Value x) {
  Value lowest = v.constant(-87.33654f), highest = v.constant(88.72284f);
  Value clamped = v.select(arith::CmpFPredicate::OLT, x, lowest, lowest, x);
  RealMath::Rounded n = v.round(clamped, llvm::numbers::log2ef);
  Value r = v.reduce(clamped, n, 1), one = v.constant(1);
  Value power = v.fma(v.fma(v.polynomial(r, kExpTail), r, one), r, one);
  Value result = v.scale(power, n);
  result = v.select(arith::CmpFPredicate::OLT, x, lowest, v.constant(0), result);
  // Infinity, and NaN for NaN.
  Value infinite = v.add(x, v.constant(std::numeric_limits<float>::infinity()));
  return v.select(arith::CmpFPredicate::UGT, x, highest, infinite, result);
}

/// e / (e + 2) with e = e^2x - 1.
Value weft::emitTanh(RealMath &v, Value x) {
  Value size = v.atMost(v.abs(x), 9.02f); // 1 from there on
  RealMath::Rounded n = v.round(size, 2 * llvm::numbers::log2ef);
  Value half = v.reduce(size, n, 2), r = v.add(half, half), one = v.constant(1);
  Value power = v.fma(v.mul(r, r), v.polynomial(r, kExpTail), r);
  Value scale = v.scale(one, n);
  Value e = v.fma(scale, power, v.sub(scale, one));
  return v.copySign(v.div(e, v.add(e, v.constant(2))), x);
}

/// x + x S(x^2) for |x| < 0.85, beyond that 1 - 2^L(x).
Value weft::emitErf(RealMath &v, Value x) {
  const float small[] = {0.1283791609f,    -0.3761257668f,  0.1128277020f,
                         -2.680457216e-2f, 5.054271745e-3f, -6.332610295e-4f};
  const float logarithm[] = {-1.654832152e-4f, -1.627382280f,    -0.9184220798f, -0.1506866377f,
                             3.243029441e-2f,  -4.482708697e-3f, 2.921848487e-4f};
  const float power[] = {1.0000000717f,   0.6931469668f,   0.2402211929f,
                         5.550713495e-2f, 9.675564486e-3f, 1.327645775e-3f};
  Value size = v.atMost(v.abs(x), 3.95f); // 1 from there on
  Value near = v.fma(v.polynomial(v.mul(size, size), small), size, size);
  Value exponent = v.polynomial(size, logarithm);
  RealMath::Rounded n = v.round(exponent, 1);
  Value rest = v.scale(v.polynomial(v.sub(exponent, n.whole), power), n);
  Value far = v.sub(v.constant(1), rest);
  Value result = v.select(arith::CmpFPredicate::OGE, size, v.constant(0.85f), far, near);
  return v.copySign(result, x);
}

/// x S(x^2), a little more than 1 where x is cut.
Value weft::emitRoughErf(RealMath &v, Value x) {
  const float series[] = {1.128066614f,    -3.741150655e-1f, 1.090246148e-1f, -2.352060916e-2f,
                          3.588131367e-3f, -3.605814946e-4f, 2.111721149e-5f, -5.406471137e-7f};
  Value near = v.clamp(x, 2.8f);
  return v.clamp(v.mul(near, v.polynomial(v.mul(near, near), series)), 1);
}
