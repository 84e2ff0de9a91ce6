//===- Accumulator.cpp - what the loops of a reduction carry --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Accumulator.h"

using namespace mlir;
using namespace weft;

/// What a reduction of this kind begins with, in every lane.
static Value getInit(LaneBuilder &lanes, Type type, ReduceKind kind) {
  Type laneType = type.isIndex() && lanes.width > 1 ? lanes.b.getI64Type() : type;
  TypedAttr neutral = getNeutral(lanes, kind, lanes.vectorOf(laneType));
  return arith::ConstantOp::create(lanes.b, lanes.loc, neutral);
}

SmallVector<Value> Accumulator::getInits(LaneBuilder &lanes) const {
  SmallVector<Value> inits{getInit(lanes, element, kind)};
  if (isArgMax()) // behind all positions: it has seen no number yet, be it minus infinity
    inits.push_back(getInit(lanes, lanes.b.getIndexType(), ReduceKind::Min));
  if (countsElements())
    inits.push_back(getInit(lanes, lanes.b.getF32Type(), ReduceKind::Sum));
  return inits;
}

/// Floats or integers, compared by one of these predicates.
static Value compare(LaneBuilder &lanes, arith::CmpFPredicate real, arith::CmpIPredicate integer,
                     Value a, Value b) {
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return arith::CmpFOp::create(lanes.b, lanes.loc, real, a, b);
  return arith::CmpIOp::create(lanes.b, lanes.loc, integer, a, b);
}

Value weft::isBefore(LaneBuilder &lanes, Value value, Value position, ValueRange other) {
  Value larger =
      compare(lanes, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, value, other[0]);
  Value equal =
      compare(lanes, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, value, other[0]);
  Value first =
      arith::CmpIOp::create(lanes.b, lanes.loc, arith::CmpIPredicate::slt, position, other[1]);
  return arith::OrIOp::create(lanes.b, lanes.loc, larger,
                              arith::AndIOp::create(lanes.b, lanes.loc, equal, first));
}

SmallVector<Value> Accumulator::add(LaneBuilder &lanes, ValueRange carried,
                                    const ReducedElement &next) const {
  SmallVector<Value> result;
  if (isArgMax()) {
    Value larger = lanes.andMask(isBefore(lanes, next.value, next.position, carried), next.holds);
    result = {lanes.select(larger, next.value, carried[0]),
              lanes.select(larger, next.position, carried[1])};
  } else {
    result = {lanes.select(next.holds, combine(lanes, kind, carried[0], next.value), carried[0])};
  }
  if (countsElements()) {
    Value one = lanes.floatVector(1), zero = lanes.floatVector(0);
    result.push_back(arith::AddFOp::create(lanes.b, lanes.loc, carried.back(),
                                           lanes.select(next.holds, one, zero)));
  }
  return result;
}

SmallVector<Value> Accumulator::merge(LaneBuilder &lanes, ValueRange a, ValueRange b) const {
  SmallVector<Value> result;
  if (isArgMax()) {
    Value isSecond = isBefore(lanes, b[0], b[1], a);
    result = {lanes.select(isSecond, b[0], a[0]), lanes.select(isSecond, b[1], a[1])};
  } else {
    result = {combine(lanes, kind, a[0], b[0])};
  }
  if (countsElements())
    result.push_back(combine(lanes, ReduceKind::Sum, a.back(), b.back()));
  return result;
}

void Accumulator::combineLanes(LaneBuilder &lanes, MutableArrayRef<Value> carried) const {
  OpBuilder &b = lanes.b;
  if (countsElements())
    carried.back() = reduceLanes(lanes, ReduceKind::Sum, carried.back());
  if (!isArgMax()) {
    carried[0] = reduceLanes(lanes, kind, carried[0]);
    return;
  }
  // The first of the lanes that hold the largest value.
  Value largest = reduceLanes(lanes, ReduceKind::Max, carried[0]);
  Value everywhere = lanes.materialize(lanes.uniform(largest));
  Value equal =
      compare(lanes, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, carried[0], everywhere);
  Value far = arith::ConstantOp::create(b, lanes.loc,
                                        getNeutral(lanes, ReduceKind::Min, carried[1].getType()));
  Value first = arith::SelectOp::create(b, lanes.loc, equal, carried[1], far);
  carried[0] = largest;
  carried[1] = reduceLanes(lanes, ReduceKind::Min, first);
}

SmallVector<Value> Accumulator::combineTogether(LaneBuilder &lanes, ArrayRef<Value> carried) const {
  SmallVector<Value> results;
  for (unsigned slot = 0; slot != size(); ++slot) {
    SmallVector<Value> vectors;
    for (size_t i = slot; i < carried.size(); i += size())
      vectors.push_back(carried[i]);
    results.push_back(reduceTogether(lanes, slot == 0 ? kind : ReduceKind::Sum, vectors));
  }
  return results;
}

Value Accumulator::finish(LaneBuilder &lanes, ArrayRef<Value> carried,
                          llvm::function_ref<Lanes()> getCount) const {
  OpBuilder &b = lanes.b;
  if (isArgMax()) { // of no numbers 0
    Type type = carried[1].getType();
    Value zero = arith::ConstantOp::create(b, lanes.loc, b.getZeroAttr(type));
    Value none = arith::ConstantOp::create(b, lanes.loc, getNeutral(lanes, ReduceKind::Min, type));
    Value isNone = arith::CmpIOp::create(b, lanes.loc, arith::CmpIPredicate::eq, carried[1], none);
    return arith::SelectOp::create(b, lanes.loc, isNone, zero, carried[1]);
  }
  Value value = carried[0];
  if (kind == ReduceKind::Mean) {
    Value count;
    if (countsElements()) {
      count = arith::MaxNumFOp::create(b, lanes.loc, carried.back(), lanes.floatVector(1));
    } else {
      Lanes total = getCount();
      Value integer = b.createOrFold<arith::IndexCastOp>(lanes.loc, b.getI64Type(), total.value);
      Value real = b.createOrFold<arith::SIToFPOp>(lanes.loc, b.getF32Type(), integer);
      count = lanes.materialize(lanes.uniform(real));
    }
    return arith::DivFOp::create(b, lanes.loc, value, count);
  }
  if (!countsElements())
    return value;
  Value some = arith::CmpFOp::create(b, lanes.loc, arith::CmpFPredicate::OGT, carried.back(),
                                     lanes.floatVector(0));
  Value zero = arith::ConstantOp::create(b, lanes.loc, b.getZeroAttr(value.getType()));
  return arith::SelectOp::create(b, lanes.loc, some, value, zero);
}
