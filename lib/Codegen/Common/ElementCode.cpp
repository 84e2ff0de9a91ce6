//===- ElementCode.cpp - from elements in memory to numbers and back ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/ElementCode.h"

#include "weft/Dialect/Weft/IR/ElementTypes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace weft;

Value weft::constantLike(LaneBuilder &lanes, Value like, int64_t value) {
  return createScalarOrSplatConstant(lanes.b, lanes.loc, like.getType(), value);
}

namespace {
/// Arithmetic on the 32 bits of reals, in one lane or in all.
class BitCode {
public:
  BitCode(LaneBuilder &lanes, Type example, const ElementTypeInfo &info)
      : lanes(lanes), b(lanes.b), loc(lanes.loc), isVector(isa<VectorType>(example)),
        mantissa(info.mantissaBits()), exponent(info.exponentBits),
        bias((1u << (info.exponentBits - 1)) - 1), signShift(32 - info.bits) {}

  Value extend(Value loaded);
  Value round(Value number, Type memory);

private:
  Type typeOf(Type element) { return isVector ? lanes.vectorOf(element) : element; }
  Value constant(uint32_t value) {
    auto attribute = b.getI32IntegerAttr(int32_t(value));
    Type type = typeOf(b.getI32Type());
    if (!isVector || lanes.width == 1)
      return arith::ConstantOp::create(b, loc, attribute);
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(cast<VectorType>(type), Attribute(attribute)));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value both(Value x, uint32_t mask) { return arith::AndIOp::create(b, loc, x, constant(mask)); }
  Value left(Value x, uint32_t by) { return arith::ShLIOp::create(b, loc, x, constant(by)); }
  Value right(Value x, uint32_t by) { return arith::ShRUIOp::create(b, loc, x, constant(by)); }
  Value choose(arith::CmpIPredicate predicate, Value x, uint32_t limit, Value yes, Value no) {
    Value test = arith::CmpIOp::create(b, loc, predicate, x, constant(limit));
    return arith::SelectOp::create(b, loc, test, yes, no);
  }
  Value toBits(Value real) {
    return arith::BitcastOp::create(b, loc, typeOf(b.getI32Type()), real);
  }
  Value toReal(Value bits) {
    return arith::BitcastOp::create(b, loc, typeOf(b.getF32Type()), bits);
  }
  Value roundMagnitude(Value magnitude);

  LaneBuilder &lanes;
  OpBuilder &b;
  Location loc;
  bool isVector;
  uint32_t mantissa, exponent, bias, signShift;
};
} // namespace

static constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000;

Value BitCode::extend(Value loaded) {
  Value bits = arith::ExtUIOp::create(b, loc, typeOf(b.getI32Type()), loaded);
  if (exponent == 8) // the upper bits of an f32
    return toReal(left(bits, signShift));
  Value sign = both(left(bits, signShift), kSign);
  Value magnitude = both(bits, (kSign >> signShift) - 1);
  Value shifted = left(magnitude, 23 - mantissa);
  Value number = add(shifted, constant((127 - bias) << 23));
  // A subnormal counts the least value, which as an f32 is exact and normal.
  Value count = arith::SIToFPOp::create(b, loc, typeOf(b.getF32Type()), magnitude);
  Value least = toReal(constant((127 + 1 - bias - mantissa) << 23));
  Value subnormal = toBits(arith::MulFOp::create(b, loc, count, least));
  number = choose(arith::CmpIPredicate::ult, magnitude, 1u << mantissa, subnormal, number);
  Value special = either(shifted, constant(kInfinity));
  uint32_t infinity = ((1u << exponent) - 1) << mantissa;
  number = choose(arith::CmpIPredicate::uge, magnitude, infinity, special, number);
  return toReal(either(number, sign));
}

/// The magnitude of a number, neither infinite nor NaN, in the fewer bits; what is too large ends
/// at infinity or above.
Value BitCode::roundMagnitude(Value magnitude) {
  uint32_t dropped = 23 - mantissa;
  Value even = both(right(magnitude, dropped), 1);
  Value rounded = add(add(magnitude, constant((1u << (dropped - 1)) - 1)), even);
  if (exponent == 8)
    return right(rounded, dropped);
  rounded = right(add(rounded, constant(0u - ((127 - bias) << 23))), dropped);
  // Added to this power of two a subnormal has its last bit where an f32's is: the sum is rounded.
  uint32_t power = (127 + 1 - bias + dropped) << 23;
  Value sum = arith::AddFOp::create(b, loc, toReal(magnitude), toReal(constant(power)));
  Value subnormal = add(toBits(sum), constant(0u - power));
  uint32_t normal = (127 + 1 - bias) << 23;
  return choose(arith::CmpIPredicate::ult, magnitude, normal, subnormal, rounded);
}

Value BitCode::round(Value number, Type memory) {
  Value bits = toBits(number);
  Value magnitude = both(bits, ~kSign);
  uint32_t infinity = ((1u << exponent) - 1) << mantissa, quiet = 1u << (mantissa - 1);
  Value result = roundMagnitude(magnitude);
  // The least magnitude of twice the largest power of two is above all numbers.
  uint32_t beyond = exponent == 8 ? kInfinity : (127 + bias + 1) << 23;
  result = choose(arith::CmpIPredicate::uge, magnitude, beyond, constant(infinity), result);
  Value payload = both(right(magnitude, 23 - mantissa), quiet - 1);
  Value nan = either(payload, constant(infinity | quiet));
  result = choose(arith::CmpIPredicate::ugt, magnitude, kInfinity, nan, result);
  result = either(result, right(both(bits, kSign), signShift));
  return arith::TruncIOp::create(b, loc, typeOf(memory), result);
}

//===----------------------------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------------------------===//

static Type likeOf(LaneBuilder &lanes, Value value, Type element) {
  return isa<VectorType>(value.getType()) ? lanes.vectorOf(element) : element;
}

Value weft::extendByBits(LaneBuilder &lanes, Value loaded, Type storage) {
  return BitCode(lanes, loaded.getType(), infoOf(*getElementType(storage))).extend(loaded);
}

Value weft::roundByBits(LaneBuilder &lanes, Value number, Type storage) {
  return BitCode(lanes, number.getType(), infoOf(*getElementType(storage)))
      .round(number, getMemoryType(storage));
}

Value weft::extendElement(LaneBuilder &lanes, Value loaded, Type storage) {
  OpBuilder &b = lanes.b;
  Type compute = getComputeType(storage);
  if (compute == storage && getMemoryType(storage) == storage)
    return loaded;
  if (storage.isF16()) {
    Value half = arith::BitcastOp::create(b, lanes.loc, likeOf(lanes, loaded, storage), loaded);
    return arith::ExtFOp::create(b, lanes.loc, likeOf(lanes, loaded, compute), half);
  }
  if (isa<FloatType>(storage))
    return extendByBits(lanes, loaded, storage);
  if (storage.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, lanes.loc, b.getZeroAttr(loaded.getType()));
    return arith::CmpIOp::create(b, lanes.loc, arith::CmpIPredicate::ne, loaded, zero);
  }
  Type type = likeOf(lanes, loaded, compute);
  if (storage.isUnsignedInteger())
    return arith::ExtUIOp::create(b, lanes.loc, type, loaded);
  return arith::ExtSIOp::create(b, lanes.loc, type, loaded);
}

Value weft::roundElement(LaneBuilder &lanes, Value number, Type storage) {
  Type memory = getMemoryType(storage);
  if (getComputeType(storage) == storage && memory == storage)
    return number;
  if (storage.isF16() || storage.isBF16()) {
    Value half =
        arith::TruncFOp::create(lanes.b, lanes.loc, likeOf(lanes, number, storage), number);
    return arith::BitcastOp::create(lanes.b, lanes.loc, likeOf(lanes, number, memory), half);
  }
  if (isa<FloatType>(storage))
    return roundByBits(lanes, number, storage);
  Type type = likeOf(lanes, number, memory);
  if (storage.isInteger(1))
    return arith::ExtUIOp::create(lanes.b, lanes.loc, type, number);
  return arith::TruncIOp::create(lanes.b, lanes.loc, type, number);
}
