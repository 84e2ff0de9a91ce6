//===- RegionEmitter.cpp - scalar regions of formulas, for several lanes --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RegionEmitter.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace weft;

SmallVector<Lanes> RegionEmitter::emit(Region &region, ArrayRef<Lanes> arguments) {
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    values[argument] = value;
  emitBlock(block);
  return llvm::to_vector(llvm::map_range(block.getTerminator()->getOperands(),
                                         [&](Value value) { return lookup(value); }));
}

void RegionEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    values[op.getResult(0)] = emitOp(op);
}

Lanes RegionEmitter::lookup(Value value) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  // Constants and sizes may have been moved out of the region.
  Lanes result = emitOp(*value.getDefiningOp());
  return values[value] = result;
}

Lanes RegionEmitter::load(Value buffer, AffineMap map) {
  SmallVector<Lanes> coordinates;
  for (AffineExpr expr : map.getResults())
    coordinates.push_back(lanes.apply(expr, indices));
  const Buffer &source = kernel.getBuffer(buffer);
  return loadElements(lanes, source, getOffset(lanes, source, coordinates), mask);
}

SmallVector<Lanes> RegionEmitter::loadInputs(OperandRange inputs, ArrayAttr maps, unsigned first) {
  SmallVector<Lanes> elements;
  for (unsigned i = first, e = inputs.size(); i != e; ++i)
    elements.push_back(load(inputs[i], cast<AffineMapAttr>(maps[i]).getValue()));
  return elements;
}

Lanes RegionEmitter::multiply(const Lanes &a, const Lanes &b) {
  bool uniform = a.isUniform() && b.isUniform();
  Value lhs = uniform ? a.value : lanes.materialize(a);
  Value rhs = uniform ? b.value : lanes.materialize(b);
  return lanes.uniform(
      arith::MulFOp::create(lanes.b, lanes.loc, lhs, rhs, arith::FastMathFlags::contract));
}

//===----------------------------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------------------------===//

Lanes RegionEmitter::emitOp(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (op.getResult(0).getType().isIndex())
      return lanes.constant(cast<IntegerAttr>(constant.getValue()).getInt());
    return lanes.uniform(lanes.b.clone(op)->getResult(0));
  }
  if (auto index = dyn_cast<IndexOp>(op))
    return indices[index.getPosition()];
  if (auto size = dyn_cast<SizeOp>(op))
    return kernel.getSymbol(size.getSymbol());
  if (auto at = dyn_cast<AtOp>(op))
    return emitAt(at);
  if (auto inner = dyn_cast<InnerOp>(op))
    return emitInner(inner);

  SmallVector<Lanes> operands;
  for (Value operand : op.getOperands())
    operands.push_back(lookup(operand));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return emitCast(op, operands[0]);
  if (isa<arith::SelectOp>(op))
    return emitSelect(operands, op.getResult(0).getType().isIndex());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    if (compare.getLhs().getType().isIndex())
      return lanes.uniform(lanes.compare(compare.getPredicate(), operands[0], operands[1]));
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return emitDivision(op, operands);
  if (op.getNumOperands() && op.getOperand(0).getType().isIndex())
    return emitIndexOp(op, operands);
  return emitElementwise(op, operands);
}

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

/// Division by 0 must not trap: not for lanes that do not exist, nor for what the data says.
Lanes RegionEmitter::emitDivision(Operation &op, ArrayRef<Lanes> operands) {
  OpBuilder &b = lanes.b;
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
  if (!constant || *constant == 0) {
    Value divisor = isIndex && c.isUniform() ? c.value : lanes.materialize(c);
    Value zero = arith::ConstantOp::create(b, lanes.loc, b.getZeroAttr(divisor.getType()));
    TypedAttr oneAttr = b.getIntegerAttr(getElementTypeOrSelf(divisor.getType()), 1);
    if (auto type = dyn_cast<VectorType>(divisor.getType()))
      oneAttr = DenseElementsAttr::get(type, Attribute(oneAttr));
    Value one = arith::ConstantOp::create(b, lanes.loc, oneAttr);
    Value isZero = arith::CmpIOp::create(b, lanes.loc, arith::CmpIPredicate::eq, divisor, zero);
    c.value = arith::SelectOp::create(b, lanes.loc, isZero, one, divisor);
    c.stride = 0;
  }
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

Lanes RegionEmitter::emitElementwise(Operation &op, ArrayRef<Lanes> operands) {
  bool uniform = llvm::all_of(operands, [](const Lanes &value) { return value.isUniform(); });
  SmallVector<Value> values;
  for (const Lanes &operand : operands)
    values.push_back(uniform ? operand.value : lanes.materialize(operand));
  Type type = op.getResult(0).getType();
  if (!uniform)
    type = lanes.vectorOf(type.isIndex() ? lanes.b.getI64Type() : type);
  OperationState state(lanes.loc, op.getName().getStringRef(), values, {type}, op.getAttrs());
  return lanes.uniform(lanes.b.create(state)->getResult(0));
}

//===----------------------------------------------------------------------------------------===//
// weft.at
//===----------------------------------------------------------------------------------------===//

Lanes RegionEmitter::emitAt(AtOp op) {
  const Buffer &source = kernel.getBuffer(op.getSource());
  SmallVector<Lanes> coordinates;
  for (Value coordinate : op.getCoordinates())
    coordinates.push_back(lookup(coordinate));
  Value uniformTest, laneTest;
  auto require = [&](arith::CmpIPredicate predicate, const Lanes &a, const Lanes &c) {
    Value test = lanes.compare(predicate, a, c);
    Value &all = isa<VectorType>(test.getType()) ? laneTest : uniformTest;
    all = lanes.andMask(all, test);
  };
  for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
    if (op.getInbounds())
      break;
    if (coordinate.interval.min < 0)
      require(arith::CmpIPredicate::sge, coordinate, lanes.constant(0));
    std::optional<int64_t> size = source.sizes[i].getConstant();
    if (!size || coordinate.interval.max >= *size)
      require(arith::CmpIPredicate::slt, coordinate, source.sizes[i]);
    if (size)
      coordinate.interval = {std::max<int64_t>(coordinate.interval.min, 0),
                             std::min(coordinate.interval.max, *size - 1)};
  }
  Lanes offset = getOffset(lanes, source, coordinates);
  if (uniformTest) // Somewhere harmless where it does not hold.
    offset.value = arith::SelectOp::create(
        lanes.b, lanes.loc, uniformTest, offset.value,
        arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(offset.value.getType())));
  Value readable = lanes.andMask(mask, laneTest);
  if (uniformTest && !offset.isUniform()) {
    Value test = lanes.materialize(lanes.uniform(uniformTest));
    readable = lanes.andMask(readable, test);
  }
  Lanes result = loadElements(lanes, source, offset, readable);
  if (!uniformTest || !offset.isUniform())
    return result;
  Value zero =
      arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(result.value.getType()));
  result.value = lanes.select(uniformTest, result.value, zero);
  return result;
}

//===----------------------------------------------------------------------------------------===//
// weft.inner
//===----------------------------------------------------------------------------------------===//

TypedAttr weft::getNeutral(LaneBuilder &lanes, ReduceKind kind, Type type) {
  OpBuilder &b = lanes.b;
  Type element = getElementTypeOrSelf(type);
  TypedAttr scalar;
  if (isa<FloatType>(element)) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    float value = kind == ReduceKind::Prod                                ? 1
                  : kind == ReduceKind::Min                               ? infinity
                  : kind == ReduceKind::Max || kind == ReduceKind::ArgMax ? -infinity
                                                                          : 0;
    scalar = b.getFloatAttr(element, value);
  } else {
    unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    APInt value = kind == ReduceKind::Prod  ? APInt(bits, 1)
                  : kind == ReduceKind::Min ? APInt::getSignedMaxValue(bits)
                  : kind == ReduceKind::Max || kind == ReduceKind::ArgMax
                      ? APInt::getSignedMinValue(bits)
                      : APInt(bits, 0);
    scalar = b.getIntegerAttr(element, value);
  }
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(vector, Attribute(scalar));
  return scalar;
}

Value weft::combine(LaneBuilder &lanes, ReduceKind kind, Value accumulator, Value value) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  switch (kind) {
  case ReduceKind::Prod:
    return isFloat ? arith::MulFOp::create(b, loc, accumulator, value).getResult()
                   : arith::MulIOp::create(b, loc, accumulator, value).getResult();
  case ReduceKind::Max:
    return isFloat ? arith::MaxNumFOp::create(b, loc, accumulator, value).getResult()
                   : arith::MaxSIOp::create(b, loc, accumulator, value).getResult();
  case ReduceKind::Min:
    return isFloat ? arith::MinNumFOp::create(b, loc, accumulator, value).getResult()
                   : arith::MinSIOp::create(b, loc, accumulator, value).getResult();
  default:
    break;
  }
  if (!isFloat)
    return arith::AddIOp::create(b, loc, accumulator, value);
  return arith::AddFOp::create(b, loc, accumulator, value, arith::FastMathFlags::contract);
}

bool RegionEmitter::dependsOnLane(Block &block) {
  auto varies = [&](Value value) {
    auto it = values.find(value);
    return it != values.end() && !it->second.isUniform();
  };
  return block
      .walk([&](Operation *op) {
        if (auto index = dyn_cast<IndexOp>(op))
          if (!indices[index.getPosition()].isUniform())
            return WalkResult::interrupt();
        return llvm::any_of(op->getOperands(), varies) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

Lanes RegionEmitter::emitInner(InnerOp op) {
  Block &body = op.getBody().front();
  bool varies = lanes.width > 1 && dependsOnLane(body);
  ReduceKind kind = op.getKind();
  Type type = varies ? lanes.vectorOf(lanes.b.getF32Type()) : lanes.b.getF32Type();
  Value init = arith::ConstantOp::create(lanes.b, lanes.loc, getNeutral(lanes, kind, type));
  Lanes extent = kernel.getExtent(lanes, op.getRange());
  // Values first met inside the loop do not exist after it.
  llvm::DenseMap<Value, Lanes> outside = values;
  Value result = lanes.loop(extent, init, [&](const Lanes &iv, ValueRange carried) {
    values[body.getArgument(0)] = iv;
    emitBlock(body);
    Lanes element = lookup(body.getTerminator()->getOperand(0));
    Value value = varies ? lanes.materialize(element) : element.value;
    return SmallVector<Value>{combine(lanes, kind, carried[0], value)};
  })[0];
  values = std::move(outside);
  if (kind == ReduceKind::Mean) {
    Value count =
        arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getI64Type(), extent.value);
    Value divisor = arith::SIToFPOp::create(lanes.b, lanes.loc, lanes.b.getF32Type(), count);
    if (varies)
      divisor = lanes.materialize(lanes.uniform(divisor));
    result = arith::DivFOp::create(lanes.b, lanes.loc, result, divisor);
  }
  return lanes.uniform(result);
}
