//===- ExtremesEmitter.cpp - where the values of a region lie
//----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/ExtremesEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;

Extremes ExtremesEmitter::emit(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Extremes result;
  if (std::optional<Extremes> given = leaf(value))
    result = *given;
  else if (Operation *op = value.getDefiningOp())
    result = emitOp(*op);
  return known[value] = result;
}

Value ExtremesEmitter::apply(Operation &op, ArrayRef<Value> operands) {
  if (llvm::is_contained(operands, Value()))
    return {};
  OperationState state(loc, op.getName().getStringRef(), operands, op.getResultTypes(),
                       op.getAttrs());
  return b.create(state)->getResult(0);
}

Value ExtremesEmitter::negate(Value condition) {
  if (!condition)
    return {};
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  return arith::XOrIOp::create(b, loc, condition, yes);
}

Value ExtremesEmitter::meet(Value a, Value c) {
  return a && c ? combine<arith::AndIOp>(a, c) : a ? a : c;
}

static bool isCondition(Value value) { return value.getType().isInteger(1); }

/// Whether an op grows with its first operand alone: it divides by a positive constant.
static bool dividesByConstant(Operation &op) {
  IntegerAttr divisor;
  return isa<arith::FloorDivSIOp, arith::DivSIOp, arith::CeilDivSIOp>(op) &&
         matchPattern(op.getOperand(1), m_Constant(&divisor)) &&
         divisor.getValue().isStrictlyPositive();
}

Extremes ExtremesEmitter::emitOp(Operation &op) {
  SmallVector<Extremes> operands;
  for (Value operand : op.getOperands())
    operands.push_back(emit(operand));
  if (isa<arith::AddIOp, arith::AddFOp, arith::MaxSIOp, arith::MinSIOp, arith::AndIOp, arith::OrIOp,
          arith::IndexCastOp, arith::SIToFPOp, arith::ExtSIOp>(op) ||
      dividesByConstant(op))
    return emitGrowing(op, operands);
  if (isa<arith::SubIOp, arith::SubFOp>(op))
    return emitDifference(op, operands[0], operands[1]);
  if (isa<arith::MulIOp>(op))
    return emitProduct(op, operands[0], operands[1]);
  if (isa<arith::SelectOp>(op))
    return emitSelect(op, operands[0], operands[1], operands[2]);
  if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && !isCondition(compare.getLhs()))
    return emitComparison(compare.getPredicate(), operands[0], operands[1]);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return emitComparison(compare.getPredicate(), operands[0], operands[1]);
  if (isa<arith::XOrIOp>(op) && matchPattern(op.getOperand(1), m_One()))
    return {negate(operands[0].max), negate(operands[0].min)};
  return {};
}

Extremes ExtremesEmitter::emitGrowing(Operation &op, ArrayRef<Extremes> operands) {
  SmallVector<Value> least, largest;
  for (const Extremes &operand : operands) {
    least.push_back(operand.min);
    largest.push_back(operand.max);
  }
  // Logic grows with conditions, not with numbers, and arithmetic the other way round.
  if (isa<arith::AndIOp, arith::OrIOp>(op) != isCondition(op.getOperand(0)))
    return {};
  Extremes result{apply(op, least), apply(op, largest)};
  // One that is known is an end of both.
  auto endOf = [](ArrayRef<Value> ends) { return ends[0] ? ends[0] : ends[1]; };
  if (isa<arith::MaxSIOp, arith::OrIOp>(op) && !result.min)
    result.min = endOf(least);
  if (isa<arith::MinSIOp, arith::AndIOp>(op) && !result.max)
    result.max = endOf(largest);
  return result;
}

Extremes ExtremesEmitter::emitDifference(Operation &op, const Extremes &a, const Extremes &c) {
  if (isCondition(op.getResult(0)))
    return {};
  return {apply(op, {a.min, c.max}), apply(op, {a.max, c.min})};
}

Extremes ExtremesEmitter::emitProduct(Operation &op, const Extremes &a, const Extremes &factor) {
  IntegerAttr constant;
  if (isCondition(op.getResult(0)) || !matchPattern(op.getOperand(1), m_Constant(&constant)))
    return {};
  bool turns = constant.getValue().isNegative();
  return {apply(op, {turns ? a.max : a.min, factor.min}),
          apply(op, {turns ? a.min : a.max, factor.min})};
}

Extremes ExtremesEmitter::emitSelect(Operation &op, const Extremes &condition, const Extremes &yes,
                                     const Extremes &no) {
  Type type = op.getResult(0).getType();
  if (isa<FloatType>(type))
    return {};
  if (!type.isInteger(1))
    return {combine<arith::MinSIOp>(yes.min, no.min), combine<arith::MaxSIOp>(yes.max, no.max)};
  Extremes result{combine<arith::AndIOp>(yes.min, no.min), {}};
  if (!yes.max && !no.max)
    return result;
  auto meets = [&](Value chosen, Value way) {
    Value holds = meet(chosen, way);
    return holds ? holds : arith::ConstantIntOp::create(b, loc, 1, 1).getResult();
  };
  result.max =
      combine<arith::OrIOp>(meets(yes.max, condition.max), meets(no.max, negate(condition.min)));
  return result;
}

Extremes ExtremesEmitter::emitComparison(arith::CmpIPredicate predicate, const Extremes &a,
                                         const Extremes &c) {
  using P = arith::CmpIPredicate;
  auto compare = [&](P predicate, Value x, Value y) -> Value {
    return x && y ? arith::CmpIOp::create(b, loc, predicate, x, y).getResult() : Value();
  };
  switch (predicate) {
  case P::slt:
  case P::sle:
    return {compare(predicate, a.max, c.min), compare(predicate, a.min, c.max)};
  case P::sgt:
  case P::sge:
    return {compare(predicate, a.min, c.max), compare(predicate, a.max, c.min)};
  case P::eq: {
    Value isOne = compare(P::eq, a.min, c.max), isOther = compare(P::eq, a.max, c.min);
    return {combine<arith::AndIOp>(isOne, isOther),
            meet(compare(P::sle, a.min, c.max), compare(P::sle, c.min, a.max))};
  }
  case P::ne: {
    Extremes equal = emitComparison(P::eq, a, c);
    return {negate(equal.max), negate(equal.min)};
  }
  default:
    return {};
  }
}

/// What is no number may be among the values, so none is known to hold for all; and an end that is
/// none, as of a difference of infinities, says nothing.
Extremes ExtremesEmitter::emitComparison(arith::CmpFPredicate predicate, const Extremes &a,
                                         const Extremes &c) {
  using P = arith::CmpFPredicate;
  auto fails = [&](P otherwise, Value x, Value y) -> Value {
    return x && y ? negate(arith::CmpFOp::create(b, loc, otherwise, x, y)) : Value();
  };
  switch (predicate) {
  case P::OLT:
    return {{}, fails(P::OGE, a.min, c.max)};
  case P::OLE:
    return {{}, fails(P::OGT, a.min, c.max)};
  case P::OGT:
    return {{}, fails(P::OLE, a.max, c.min)};
  case P::OGE:
    return {{}, fails(P::OLT, a.max, c.min)};
  case P::OEQ:
    return {{}, meet(fails(P::OGT, a.min, c.max), fails(P::OGT, c.min, a.max))};
  default:
    return {};
  }
}
