//===- BodyEmitter.cpp - Scalar nodes become arith and math ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "Types.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;
using namespace mlir::arith;

namespace weft::sema {

BodyEmitter::BodyEmitter(const Reporter &reporter, const ReadPlanner &planner,
                         BoundsAnalysis &bounds, const OpBody &body, mlir::Region &region)
    : builder(region.getContext()), reporter(reporter), planner(planner), bounds(bounds),
      body(body), block(&region.emplaceBlock()) {
  for (mlir::Value input : body.inputs)
    block->addArgument(getComputeTypeOf(input), input.getLoc());
  builder.setInsertionPointToEnd(block);
}

mlir::Value BodyEmitter::value(const Scalar *scalar) {
  auto it = values.find(scalar);
  if (it != values.end())
    return it->second;
  mlir::Value result = emit(scalar, reporter.location(scalar->range));
  values[scalar] = result;
  return result;
}

mlir::Value BodyEmitter::element(const Scalar *scalar) {
  auto it = body.inputOf.find(scalar);
  if (it != body.inputOf.end())
    return block->getArgument(it->second);
  mlir::Value result = value(scalar);
  if (!scalar->isInt())
    return result;
  return IndexCastOp::create(builder, result.getLoc(), builder.getI32Type(), result);
}

mlir::Value BodyEmitter::emit(const Scalar *scalar, mlir::Location loc) {
  if (scalar->op == ScalarOp::Read || scalar->op == ScalarOp::Reduce)
    return emitRead(scalar, loc);
  if (scalar->op == ScalarOp::Select) {
    mlir::Value condition = value(scalar->args[0]);
    mlir::Value a = value(scalar->args[1]), b = value(scalar->args[2]);
    return SelectOp::create(builder, loc, condition, a, b);
  }
  return scalar->isReal()  ? emitReal(scalar, loc)
         : scalar->isInt() ? emitInt(scalar, loc)
                           : emitBool(scalar, loc);
}

mlir::Value BodyEmitter::emitRead(const Scalar *scalar, mlir::Location loc) {
  mlir::Value result;
  auto it = body.inputOf.find(scalar);
  if (it != body.inputOf.end()) {
    result = block->getArgument(it->second);
  } else {
    SmallVector<mlir::Value> coordinates;
    for (const Scalar *arg : scalar->args)
      coordinates.push_back(value(arg));
    bool inBounds = planner.kind(scalar) != ReadKind::At;
    result = AtOp::create(builder, loc, getComputeTypeOf(scalar->tensor->value),
                          scalar->tensor->value, coordinates, inBounds);
  }
  if (!scalar->isInt())
    return result;
  return IndexCastOp::create(builder, loc, builder.getIndexType(), result);
}

/// An integer as f32; through 32 bits where the value fits.
mlir::Value BodyEmitter::emitToReal(const Scalar *scalar, mlir::Location loc) {
  const Scalar *integer = scalar->args[0];
  mlir::Value source;
  auto it = body.inputOf.find(integer);
  if (it != body.inputOf.end()) {
    source = block->getArgument(it->second);
  } else {
    Interval range = bounds.interval(integer);
    bool narrow = range.fitsInt32();
    source = IndexCastOp::create(builder, loc, narrow ? builder.getI32Type() : builder.getI64Type(),
                                 value(integer));
  }
  return SIToFPOp::create(builder, loc, builder.getF32Type(), source);
}

mlir::Value BodyEmitter::emitReal(const Scalar *scalar, mlir::Location loc) {
  if (scalar->op == ScalarOp::Constant)
    return ConstantOp::create(builder, loc, builder.getF32FloatAttr(scalar->real));
  if (scalar->op == ScalarOp::ToReal)
    return emitToReal(scalar, loc);
  mlir::Value a = value(scalar->args[0]);
  mlir::Value b = scalar->args.size() > 1 ? value(scalar->args[1]) : mlir::Value();
  switch (scalar->op) {
  case ScalarOp::Negate:
    return NegFOp::create(builder, loc, a);
  case ScalarOp::Add:
    return AddFOp::create(builder, loc, a, b);
  case ScalarOp::Subtract:
    return SubFOp::create(builder, loc, a, b);
  case ScalarOp::Multiply:
    return MulFOp::create(builder, loc, a, b);
  case ScalarOp::Divide:
    return DivFOp::create(builder, loc, a, b);
  case ScalarOp::Power:
    return mlir::math::PowFOp::create(builder, loc, a, b);
  case ScalarOp::Min:
    return MinimumFOp::create(builder, loc, a, b);
  case ScalarOp::Max:
    return MaximumFOp::create(builder, loc, a, b);
  case ScalarOp::Exp:
    return mlir::math::ExpOp::create(builder, loc, a);
  case ScalarOp::Log:
    return mlir::math::LogOp::create(builder, loc, a);
  case ScalarOp::Sin:
    return mlir::math::SinOp::create(builder, loc, a);
  case ScalarOp::Cos:
    return mlir::math::CosOp::create(builder, loc, a);
  case ScalarOp::Sqrt:
    return mlir::math::SqrtOp::create(builder, loc, a);
  case ScalarOp::Rsqrt:
    return mlir::math::RsqrtOp::create(builder, loc, a);
  case ScalarOp::Tanh:
    return mlir::math::TanhOp::create(builder, loc, a);
  case ScalarOp::Erf:
    return mlir::math::ErfOp::create(builder, loc, a);
  case ScalarOp::Abs:
    return mlir::math::AbsFOp::create(builder, loc, a);
  case ScalarOp::Floor:
    return mlir::math::FloorOp::create(builder, loc, a);
  case ScalarOp::Half:
    return emitReal(a, {/*bits=*/16, /*exponent=*/5}, /*isFinite=*/false, loc);
  case ScalarOp::BFloat:
    return emitReal(a, {/*bits=*/16, /*exponent=*/8}, /*isFinite=*/false, loc);
  case ScalarOp::ShortReal:
    return emitReal(a, {/*bits=*/8, /*exponent=*/4}, /*isFinite=*/true, loc);
  default:
    llvm_unreachable("no operation on reals");
  }
}

/// The f32 with these bits of exponent and mantissa, if the former is to be larger by `bias`.
mlir::Value BodyEmitter::emitRebiased(mlir::Value bits, int bias, mlir::Location loc) {
  auto constant = [&](int64_t value) -> mlir::Value {
    return ConstantIntOp::create(builder, loc, value, 32);
  };
  auto real = [&](float value) -> mlir::Value {
    return ConstantOp::create(builder, loc, builder.getF32FloatAttr(value));
  };
  mlir::Value isSubnormal =
      CmpIOp::create(builder, loc, CmpIPredicate::ult, bits, constant(1 << 23));
  mlir::Value more = SelectOp::create(builder, loc, isSubnormal, constant(int64_t(bias + 1) << 23),
                                      constant(int64_t(bias) << 23));
  mlir::Value sum = AddIOp::create(builder, loc, bits, more);
  mlir::Value one =
      SelectOp::create(builder, loc, isSubnormal, real(std::ldexp(1.0f, bias + 1 - 127)), real(0));
  return SubFOp::create(builder, loc, BitcastOp::create(builder, loc, builder.getF32Type(), sum),
                        one);
}

/// The real with these bits, by those of an f32: exponent and mantissa are moved to where an f32
/// has them, the exponent by the difference of the biases. A subnormal number is one with the next
/// exponent, less the 1 that its mantissa does not have: no subnormal f32, which GPUs take for 0.
/// What has all bits of the exponent is no number (of E4M3 only where the mantissa has all, too).
mlir::Value BodyEmitter::emitReal(mlir::Value bits, RealFormat format, bool isFinite,
                                  mlir::Location loc) {
  mlir::Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  auto constant = [&](int64_t value) -> mlir::Value {
    return ConstantIntOp::create(builder, loc, value, 32);
  };
  unsigned mantissa = format.bits - 1 - format.exponent;
  int64_t magnitudeMask = maskTrailingOnes<uint32_t>(format.bits - 1);
  mlir::Value all = IndexCastOp::create(builder, loc, i32, bits);
  mlir::Value magnitude = AndIOp::create(builder, loc, all, constant(magnitudeMask));
  mlir::Value moved = ShLIOp::create(builder, loc, magnitude, constant(23 - mantissa));
  mlir::Value real = BitcastOp::create(builder, loc, f32, moved);
  if (int bias = 127 - (1 << (format.exponent - 1)) + 1; bias != 0) {
    real = emitRebiased(moved, bias, loc);
    auto replace = [&](int64_t from, float value) {
      mlir::Value beyond =
          CmpIOp::create(builder, loc, CmpIPredicate::sge, magnitude, constant(from));
      mlir::Value other = ConstantOp::create(builder, loc, builder.getF32FloatAttr(value));
      real = SelectOp::create(builder, loc, beyond, other, real);
    };
    int64_t infinity = isFinite ? magnitudeMask - 1 : magnitudeMask + 1 - (1 << mantissa);
    if (!isFinite)
      replace(infinity, INFINITY);
    replace(infinity + 1, NAN);
  }
  mlir::Value sign = AndIOp::create(builder, loc, all, constant(magnitudeMask + 1));
  mlir::Value isNegative = CmpIOp::create(builder, loc, CmpIPredicate::ne, sign, constant(0));
  mlir::Value negated = NegFOp::create(builder, loc, real);
  return SelectOp::create(builder, loc, isNegative, negated, real);
}

/// How far a shift goes: a place beyond all bits is the last one, of the sign.
mlir::Value BodyEmitter::emitPlace(const Scalar *shift, mlir::Value place, mlir::Location loc) {
  Interval range = bounds.interval(shift->args[1]);
  int64_t last = bounds.interval(shift->args[0]).fitsInt32() ? 31 : 63;
  if (range.min < 0)
    place = MaxSIOp::create(builder, loc, place, ConstantIndexOp::create(builder, loc, 0));
  if (range.max > last)
    place = MinSIOp::create(builder, loc, place, ConstantIndexOp::create(builder, loc, last));
  return place;
}

/// `//` and `%` round down. A divisor that could be 0 is taken as 1: nothing is undefined.
mlir::Value BodyEmitter::emitDivision(const Scalar *scalar, mlir::Location loc) {
  mlir::Value a = value(scalar->args[0]), b = value(scalar->args[1]);
  Interval dividend = bounds.interval(scalar->args[0]);
  Interval divisor = bounds.interval(scalar->args[1]);
  if (divisor.min < 1 && divisor.max > -1) {
    mlir::Value zero = ConstantIndexOp::create(builder, loc, 0);
    mlir::Value one = ConstantIndexOp::create(builder, loc, 1);
    mlir::Value isZero = CmpIOp::create(builder, loc, CmpIPredicate::eq, b, zero);
    b = SelectOp::create(builder, loc, isZero, one, b);
  }
  if (scalar->op == ScalarOp::FloorDivide)
    return FloorDivSIOp::create(builder, loc, a, b);
  if (dividend.min >= 0 && divisor.min >= 1)
    return RemSIOp::create(builder, loc, a, b);
  mlir::Value quotient = FloorDivSIOp::create(builder, loc, a, b);
  mlir::Value whole = MulIOp::create(builder, loc, quotient, b);
  return SubIOp::create(builder, loc, a, whole);
}

mlir::Value BodyEmitter::emitInt(const Scalar *scalar, mlir::Location loc) {
  auto arg = [&](unsigned i) { return value(scalar->args[i]); };
  switch (scalar->op) {
  case ScalarOp::Constant:
    return ConstantIndexOp::create(builder, loc, scalar->integer);
  case ScalarOp::Index: {
    uint64_t position = find(body.indices, scalar->index) - body.indices.begin();
    return IndexOp::create(builder, loc, position);
  }
  case ScalarOp::Size:
    return SizeOp::create(builder, loc, builder.getIndexType(), scalar->symbol->name);
  case ScalarOp::Negate: {
    mlir::Value zero = ConstantIndexOp::create(builder, loc, 0);
    return SubIOp::create(builder, loc, zero, arg(0));
  }
  case ScalarOp::Abs: {
    mlir::Value zero = ConstantIndexOp::create(builder, loc, 0);
    mlir::Value negated = SubIOp::create(builder, loc, zero, arg(0));
    return MaxSIOp::create(builder, loc, arg(0), negated);
  }
  case ScalarOp::ToInt: {
    mlir::Value narrow = FPToSIOp::create(builder, loc, builder.getI32Type(), arg(0));
    return IndexCastOp::create(builder, loc, builder.getIndexType(), narrow);
  }
  case ScalarOp::FloorDivide:
  case ScalarOp::Modulo:
    return emitDivision(scalar, loc);
  default:
    break;
  }
  mlir::Value a = arg(0), b = arg(1);
  switch (scalar->op) {
  case ScalarOp::Add:
    return AddIOp::create(builder, loc, a, b);
  case ScalarOp::Subtract:
    return SubIOp::create(builder, loc, a, b);
  case ScalarOp::Multiply:
    return MulIOp::create(builder, loc, a, b);
  case ScalarOp::ShiftRight:
    return ShRSIOp::create(builder, loc, a, emitPlace(scalar, b, loc));
  case ScalarOp::BitAnd:
    return AndIOp::create(builder, loc, a, b);
  case ScalarOp::Min:
    return MinSIOp::create(builder, loc, a, b);
  case ScalarOp::Max:
    return MaxSIOp::create(builder, loc, a, b);
  default:
    llvm_unreachable("no operation on integers");
  }
}

mlir::Value BodyEmitter::emitComparison(const Scalar *scalar, mlir::Location loc) {
  mlir::Value a = value(scalar->args[0]), b = value(scalar->args[1]);
  unsigned which = unsigned(scalar->op) - unsigned(ScalarOp::Equal);
  if (scalar->args[0]->isReal()) {
    constexpr CmpFPredicate predicates[] = {CmpFPredicate::OEQ, CmpFPredicate::UNE,
                                            CmpFPredicate::OLT, CmpFPredicate::OLE,
                                            CmpFPredicate::OGT, CmpFPredicate::OGE};
    return CmpFOp::create(builder, loc, predicates[which], a, b);
  }
  constexpr CmpIPredicate predicates[] = {CmpIPredicate::eq,  CmpIPredicate::ne,
                                          CmpIPredicate::slt, CmpIPredicate::sle,
                                          CmpIPredicate::sgt, CmpIPredicate::sge};
  return CmpIOp::create(builder, loc, predicates[which], a, b);
}

mlir::Value BodyEmitter::emitBool(const Scalar *scalar, mlir::Location loc) {
  switch (scalar->op) {
  case ScalarOp::Constant:
    return ConstantIntOp::create(builder, loc, scalar->integer, 1);
  case ScalarOp::Not: {
    mlir::Value yes = ConstantIntOp::create(builder, loc, 1, 1);
    return XOrIOp::create(builder, loc, value(scalar->args[0]), yes);
  }
  case ScalarOp::And: {
    mlir::Value a = value(scalar->args[0]), b = value(scalar->args[1]);
    return AndIOp::create(builder, loc, a, b);
  }
  case ScalarOp::Or: {
    mlir::Value a = value(scalar->args[0]), b = value(scalar->args[1]);
    return OrIOp::create(builder, loc, a, b);
  }
  default:
    // `t - s < T` says nothing; and to ask for T would look ahead.
    if (scalar->args[0]->isInt())
      if (std::optional<bool> known = bounds.decide(scalar))
        return ConstantIntOp::create(builder, loc, *known, 1);
    return emitComparison(scalar, loc);
  }
}

} // namespace weft::sema
