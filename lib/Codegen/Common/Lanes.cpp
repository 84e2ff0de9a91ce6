//===- Lanes.cpp - arithmetic on lanes ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Lanes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace weft;

std::optional<int64_t> Lanes::getConstant() const {
  return stride == 0 && !isVector() ? getConstantIntValue(value) : std::nullopt;
}

//===----------------------------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------------------------===//

Value LaneBuilder::indexConstant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value LaneBuilder::floatConstant(float value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

Value LaneBuilder::multiplyValue(Value a, Value c) {
  if (keepsBits && roundedProduct)
    return roundedProduct(*this, a, c);
  return arith::MulFOp::create(b, loc, a, c, arith::FastMathFlags::contract);
}

Value LaneBuilder::floatVector(float value) {
  if (width == 1)
    return floatConstant(value);
  auto type = cast<VectorType>(vectorOf(b.getF32Type()));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
}

Value LaneBuilder::intVector(int32_t value) {
  return createScalarOrSplatConstant(b, loc, vectorOf(b.getI32Type()), int64_t(value));
}

Lanes LaneBuilder::constant(int64_t value) {
  return {indexConstant(value), 0, std::abs(value), {value, value}};
}

Lanes LaneBuilder::uniform(Value value, Interval interval, int64_t divisor) {
  if (value.getType().isIndex())
    note(interval);
  return {value, 0, divisor, interval};
}

Lanes LaneBuilder::iota(const Lanes &base) {
  Lanes result = base;
  if (width == 1)
    return result;
  result.stride = 1;
  result.interval = base.interval + Interval{0, width - 1};
  return result;
}

Type LaneBuilder::vectorOf(Type element) const {
  return width == 1 ? element : VectorType::get({width}, element);
}

/// The constant 0, stride, 2 * stride, ... of an integer vector type.
static Value stepConstant(OpBuilder &b, Location loc, VectorType type, int64_t stride) {
  SmallVector<APInt> steps;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    steps.push_back(APInt(type.getElementTypeBitWidth(), uint64_t(i * stride), false, true));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, steps));
}

Value LaneBuilder::materialize(const Lanes &lanes, bool wide) {
  bool isIndex = lanes.value.getType().isIndex();
  if (width == 1)
    return lanes.value;
  if (lanes.isVector()) {
    auto type = cast<VectorType>(lanes.value.getType());
    if (!wide || !type.getElementType().isInteger(32))
      return lanes.value;
    return arith::ExtSIOp::create(b, loc, vectorOf(b.getI64Type()), lanes.value);
  }
  if (!isIndex)
    return b.createOrFold<vector::BroadcastOp>(loc, vectorOf(lanes.value.getType()), lanes.value);
  wide |= !lanes.interval.fitsInt32();
  Type element = wide ? b.getI64Type() : b.getI32Type();
  Value scalar = b.createOrFold<arith::IndexCastOp>(loc, element, lanes.value);
  auto type = cast<VectorType>(vectorOf(element));
  Value vector = b.createOrFold<vector::BroadcastOp>(loc, type, scalar);
  if (lanes.stride)
    vector = b.createOrFold<arith::AddIOp>(loc, vector, stepConstant(b, loc, type, lanes.stride));
  return vector;
}

//===----------------------------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------------------------===//

/// Creates the op `name` on two values of one type, folded if they are constants.
static Value createBinary(OpBuilder &b, Location loc, StringRef name, Value lhs, Value rhs) {
  OperationState state(loc, name, {lhs, rhs}, {lhs.getType()});
  Operation *op = b.create(state);
  SmallVector<Value> folded;
  if (succeeded(b.tryFold(op, folded)) && !folded.empty()) {
    op->erase();
    return folded[0];
  }
  return op->getResult(0);
}

/// Whether the lanes of an index value need i64.
static bool isWide(const Lanes &lanes) {
  return lanes.isVector() ? getElementTypeOrSelf(lanes.value).isInteger(64)
                          : !lanes.interval.fitsInt32();
}

void LaneBuilder::note(Interval interval) {
  if (areShort)
    *areShort &= interval.min >= kShort.min && interval.max <= kShort.max;
}

Lanes LaneBuilder::scalarBinary(StringRef opName, const Lanes &a, const Lanes &c,
                                Interval interval) {
  note(interval);
  return {createBinary(b, loc, opName, a.value, c.value), 0, 1, interval};
}

Lanes LaneBuilder::vectorBinary(StringRef opName, const Lanes &a, const Lanes &c,
                                Interval interval) {
  bool wide = isWide(a) || isWide(c) || !interval.fitsInt32();
  Value result = createBinary(b, loc, opName, materialize(a, wide), materialize(c, wide));
  return {result, 0, 1, interval};
}

Lanes LaneBuilder::binary(StringRef opName, const Lanes &a, const Lanes &c, Interval interval) {
  if (a.isUniform() && c.isUniform())
    return scalarBinary(opName, a, c, interval);
  return vectorBinary(opName, a, c, interval);
}

Lanes LaneBuilder::add(const Lanes &a, const Lanes &c) {
  Interval interval = a.interval + c.interval;
  if (a.isVector() || c.isVector())
    return vectorBinary(arith::AddIOp::getOperationName(), a, c, interval);
  Lanes sum = scalarBinary(arith::AddIOp::getOperationName(), a, c, interval);
  return {sum.value, a.stride + c.stride, std::gcd(a.divisor, c.divisor), interval};
}

Lanes LaneBuilder::sub(const Lanes &a, const Lanes &c) {
  Interval interval = a.interval - c.interval;
  if (a.isVector() || c.isVector())
    return vectorBinary(arith::SubIOp::getOperationName(), a, c, interval);
  Lanes difference = scalarBinary(arith::SubIOp::getOperationName(), a, c, interval);
  return {difference.value, a.stride - c.stride, std::gcd(a.divisor, c.divisor), interval};
}

Lanes LaneBuilder::mul(const Lanes &a, const Lanes &c) {
  Interval interval = a.interval * c.interval;
  std::optional<int64_t> left = a.getConstant(), right = c.getConstant();
  bool linear =
      !a.isVector() && !c.isVector() && ((a.isUniform() && c.isUniform()) || left || right);
  if (!linear)
    return vectorBinary(arith::MulIOp::getOperationName(), a, c, interval);
  int64_t stride = right ? a.stride * *right : left ? c.stride * *left : 0;
  __int128 divisor = __int128(a.divisor) * c.divisor;
  Lanes product = scalarBinary(arith::MulIOp::getOperationName(), a, c, interval);
  return {product.value, stride, divisor > INT32_MAX ? 1 : int64_t(divisor), interval};
}

/// Whether `divisor` cuts no vector: then all lanes have the same quotient.
static bool staysTogether(const Lanes &a, int64_t divisor, int64_t width) {
  return !a.isVector() && a.stride >= 0 && a.stride * (width - 1) < std::gcd(a.divisor, divisor);
}

Lanes LaneBuilder::floorDiv(const Lanes &a, int64_t divisor) {
  if (divisor == 1)
    return a;
  if (a.interval.min >= 0 && a.interval.max < divisor)
    return constant(0);
  Interval interval = floorDivide(a.interval, {divisor, divisor});
  StringRef name = a.interval.isNonNegative() ? arith::DivUIOp::getOperationName()
                                              : arith::FloorDivSIOp::getOperationName();
  if (!staysTogether(a, divisor, width))
    return vectorBinary(name, a, constant(divisor), interval);
  Lanes quotient = scalarBinary(name, a, constant(divisor), interval);
  if (std::optional<int64_t> value = quotient.getConstant())
    return constant(*value);
  return {quotient.value, 0, a.divisor % divisor == 0 ? a.divisor / divisor : 1, interval};
}

Lanes LaneBuilder::ceilDiv(const Lanes &a, int64_t divisor) {
  return floorDiv(add(a, constant(divisor - 1)), divisor);
}

Lanes LaneBuilder::mod(const Lanes &a, int64_t divisor) {
  if (divisor == 1)
    return constant(0);
  if (a.interval.min >= 0 && a.interval.max < divisor)
    return a;
  Interval interval = floorModulo(a.interval, {divisor, divisor});
  if (!a.interval.isNonNegative()) {
    Lanes quotient = floorDiv(a, divisor);
    Lanes result = sub(a, mul(quotient, constant(divisor)));
    result.interval = interval;
    return result;
  }
  StringRef name = arith::RemUIOp::getOperationName();
  if (!staysTogether(a, divisor, width))
    return vectorBinary(name, a, constant(divisor), interval);
  Lanes rest = scalarBinary(name, a, constant(divisor), interval);
  return {rest.value, a.stride, std::gcd(a.divisor, divisor), interval};
}

/// One of two numbers is a multiple of what both are.
static Lanes withCommonDivisor(Lanes result, const Lanes &a, const Lanes &c) {
  if (result.isUniform())
    result.divisor = std::gcd(a.divisor, c.divisor);
  return result;
}

Lanes LaneBuilder::min(const Lanes &a, const Lanes &c) {
  Lanes least = binary(arith::MinSIOp::getOperationName(), a, c, weft::min(a.interval, c.interval));
  return withCommonDivisor(least, a, c);
}

Lanes LaneBuilder::max(const Lanes &a, const Lanes &c) {
  Lanes largest =
      binary(arith::MaxSIOp::getOperationName(), a, c, weft::max(a.interval, c.interval));
  return withCommonDivisor(largest, a, c);
}

Value LaneBuilder::compare(arith::CmpIPredicate predicate, const Lanes &a, const Lanes &c) {
  if (a.isUniform() && c.isUniform())
    return b.createOrFold<arith::CmpIOp>(loc, predicate, a.value, c.value);
  bool wide = isWide(a) || isWide(c);
  return b.createOrFold<arith::CmpIOp>(loc, predicate, materialize(a, wide), materialize(c, wide));
}

Value LaneBuilder::andMask(Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return b.createOrFold<arith::AndIOp>(loc, a, c);
}

Value LaneBuilder::select(Value mask, Value value, Value other) {
  return mask ? b.createOrFold<arith::SelectOp>(loc, mask, value, other) : value;
}
