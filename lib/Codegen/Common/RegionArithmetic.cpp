//===- RegionArithmetic.cpp - index values and divisions in regions -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RegionEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

/// Integers become index values: sign-extended, and never wrapped before they are used.
Lanes RegionEmitter::emitCast(Operation &op, const Lanes &operand) {
  OpBuilder &b = lanes.b;
  Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  unsigned bits = (from.isIndex() ? to : from).getIntOrFloatBitWidth();
  Interval interval;
  bool isUnsigned = isa<arith::IndexCastUIOp>(op);
  if (bits < 64 && !from.isIndex() && isUnsigned)
    interval = {0, (int64_t(1) << bits) - 1};
  else if (bits < 64 && !from.isIndex())
    interval = {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
  if (!operand.isVector() && operand.stride == 0) {
    OperationState state(lanes.loc, op.getName().getStringRef(), {operand.value}, {to});
    return {b.create(state)->getResult(0), 0, 1, interval};
  }
  Value vector = lanes.materialize(operand);
  unsigned have = getElementTypeOrSelf(vector.getType()).getIntOrFloatBitWidth();
  unsigned want = from.isIndex() ? bits : std::max(bits, 32u);
  Type type = lanes.vectorOf(b.getIntegerType(want));
  if (have < want && isUnsigned)
    vector = arith::ExtUIOp::create(b, lanes.loc, type, vector);
  else if (have < want)
    vector = arith::ExtSIOp::create(b, lanes.loc, type, vector);
  else if (have > want)
    vector = arith::TruncIOp::create(b, lanes.loc, type, vector);
  return {vector, 0, 1, interval};
}

/// arith's conversion is undefined beyond the integers; this one ends at the least and largest, and
/// what is no number becomes 0.
Value RegionEmitter::emitToInteger(Value real, Type type) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  if (!isa<VectorType>(type) || !getElementTypeOrSelf(type).isInteger(32))
    return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr("llvm.fptosi.sat"), real)
        .getResult(0);
  // LLVM converts the elements of a vector one by one.
  auto below = [&](Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  };
  auto choose = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  };
  Value zero = lanes.floatVector(0), least = lanes.floatVector(-0x1p31f),
        beyond = lanes.floatVector(0x1p31f);
  Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, real, real);
  Value known = choose(isNumber, arith::MaxNumFOp::create(b, loc, real, least), zero);
  Value fits = below(known, beyond);
  Value whole = arith::FPToSIOp::create(b, loc, type, choose(fits, known, zero));
  return choose(fits, whole, lanes.intVector(INT32_MAX));
}

Lanes RegionEmitter::emitSelect(ArrayRef<Lanes> operands, bool isIndex) {
  OpBuilder &b = lanes.b;
  const Lanes &condition = operands[0], &yes = operands[1], &no = operands[2];
  Interval interval = yes.interval.unionWith(no.interval);
  if (condition.isUniform() && yes.isUniform() && no.isUniform())
    return {b.createOrFold<arith::SelectOp>(lanes.loc, condition.value, yes.value, no.value), 0, 1,
            interval};
  Value left = lanes.materialize(yes), right = lanes.materialize(no);
  if (isIndex && left.getType() != right.getType()) {
    left = lanes.materialize({left, 0, 1, {}}, /*wide=*/true);
    right = lanes.materialize({right, 0, 1, {}}, /*wide=*/true);
  }
  return {b.createOrFold<arith::SelectOp>(lanes.loc, condition.value, left, right), 0, 1, interval};
}

/// The constant `bits` of the integers or index values in `value`, in its type.
static Value integerLike(LaneBuilder &lanes, Value value, const APInt &bits) {
  TypedAttr attr = lanes.b.getIntegerAttr(getElementTypeOrSelf(value.getType()), bits);
  if (auto type = dyn_cast<VectorType>(value.getType()))
    attr = DenseElementsAttr::get(type, Attribute(attr));
  return arith::ConstantOp::create(lanes.b, lanes.loc, attr);
}

static Value equals(LaneBuilder &lanes, Value value, const APInt &bits) {
  return lanes.b.createOrFold<arith::CmpIOp>(lanes.loc, arith::CmpIPredicate::eq, value,
                                             integerLike(lanes, value, bits));
}

/// The divisor, and 1 in its place where processors trap: at 0, and at -1 under the least integer
/// (whose quotient wraps to itself). Not for lanes that do not exist, nor for what the data says.
static Lanes safeDivisor(LaneBuilder &lanes, const Lanes &a, Lanes c, bool mayWrap) {
  bool scalar = a.isUniform() && c.isUniform();
  auto valueOf = [&](const Lanes &x) { return scalar ? x.value : lanes.materialize(x); };
  auto bitsOf = [](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  };
  Value divisor = valueOf(c);
  unsigned bits = bitsOf(divisor);
  Value traps = equals(lanes, divisor, APInt::getZero(bits));
  if (mayWrap) {
    Value dividend = valueOf(a);
    Value least = equals(lanes, dividend, APInt::getSignedMinValue(bitsOf(dividend)));
    Value minusOne = equals(lanes, divisor, APInt::getAllOnes(bits));
    Value wraps = lanes.b.createOrFold<arith::AndIOp>(lanes.loc, least, minusOne);
    traps = lanes.b.createOrFold<arith::OrIOp>(lanes.loc, traps, wraps);
  }
  Value one = integerLike(lanes, divisor, APInt(bits, 1));
  c.value = lanes.b.createOrFold<arith::SelectOp>(lanes.loc, traps, one, divisor);
  c.stride = 0;
  return c;
}

Lanes RegionEmitter::emitDivision(Operation &op, ArrayRef<Lanes> operands) {
  StringRef name = op.getName().getStringRef();
  bool isIndex = op.getOperand(0).getType().isIndex();
  Lanes a = operands[0], c = operands[1];
  std::optional<int64_t> constant = isIndex ? c.getConstant() : std::nullopt;
  bool exact = a.interval.isNonNegative() && isIndex;
  if (constant && *constant > 0) {
    if (isa<arith::FloorDivSIOp>(op) || (exact && isa<arith::DivSIOp, arith::DivUIOp>(op)))
      return lanes.floorDiv(a, *constant);
    if (exact && isa<arith::RemSIOp, arith::RemUIOp>(op))
      return lanes.mod(a, *constant);
  }
  bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
  bool mayWrap = !isUnsigned && a.interval.min == INT64_MIN && c.interval.min < 0;
  if (!constant || *constant == 0 || (*constant == -1 && mayWrap))
    c = safeDivisor(lanes, a, c, mayWrap);
  if (!isIndex)
    return emitElementwise(op, {a, c});
  Interval interval;
  int64_t largest = std::max(std::abs(std::max(a.interval.min, -INT64_MAX)), a.interval.max);
  if (isa<arith::RemSIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    interval = {exact && c.interval.isNonNegative() ? 0 : -largest, largest};
  return lanes.binary(name, a, c, interval);
}

Lanes RegionEmitter::emitIndexOp(Operation &op, ArrayRef<Lanes> operands) {
  if (isa<arith::AddIOp>(op))
    return lanes.add(operands[0], operands[1]);
  if (isa<arith::SubIOp>(op))
    return lanes.sub(operands[0], operands[1]);
  if (isa<arith::MulIOp>(op))
    return lanes.mul(operands[0], operands[1]);
  if (isa<arith::MinSIOp>(op))
    return lanes.min(operands[0], operands[1]);
  if (isa<arith::MaxSIOp>(op))
    return lanes.max(operands[0], operands[1]);
  if (operands.size() == 2)
    return lanes.binary(op.getName().getStringRef(), operands[0], operands[1], Interval());
  // What is left has one operand, as math.absi; its lanes keep their width.
  Value operand = operands[0].isUniform() ? operands[0].value : lanes.materialize(operands[0]);
  OperationState state(lanes.loc, op.getName().getStringRef(), {operand}, {operand.getType()});
  Interval interval = operands[0].interval, magnitude;
  if (isa<math::AbsIOp>(op) && interval.min > INT32_MIN)
    magnitude = {0, std::max(std::abs(interval.min), interval.max)};
  return {lanes.b.create(state)->getResult(0), 0, 1, magnitude};
}
