//===- Combine.cpp - what a reduction starts from and how it goes on ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Combine.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace weft;

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
  return arith::AddFOp::create(b, loc, accumulator, value, kContract);
}

Value weft::multiplyAdd(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  Value product = arith::MulFOp::create(b, loc, lhs, rhs, kContract);
  return arith::AddFOp::create(b, loc, sum, product, kContract);
}

Value weft::emitLarger(LaneBuilder &lanes, Value first, Value second) {
  Value isFirst =
      arith::CmpFOp::create(lanes.b, lanes.loc, arith::CmpFPredicate::OGT, first, second);
  return arith::SelectOp::create(lanes.b, lanes.loc, isFirst, first, second);
}

Value weft::reduceLanes(LaneBuilder &lanes, ReduceKind kind, Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  using Kind = vector::CombiningKind;
  Kind combining = kind == ReduceKind::Prod  ? Kind::MUL
                   : kind == ReduceKind::Max ? (isFloat ? Kind::MAXNUMF : Kind::MAXSI)
                   : kind == ReduceKind::Min ? (isFloat ? Kind::MINNUMF : Kind::MINSI)
                                             : Kind::ADD;
  // Without these flags a reduction is a chain of scalar instructions.
  auto flags = kind == ReduceKind::Max || kind == ReduceKind::Min
                   ? arith::FastMathFlags::nnan | arith::FastMathFlags::nsz
                   : arith::FastMathFlags::reassoc;
  return vector::ReductionOp::create(lanes.b, lanes.loc, combining, value,
                                     isFloat ? flags : arith::FastMathFlags::none);
}

Value weft::reduceTogether(LaneBuilder &lanes, ReduceKind kind, SmallVector<Value> vectors) {
  // A vector holds the partial results of `count` reductions in blocks of `size` lanes. Adding the
  // upper half of each block to the lower one leaves room for the blocks of another vector.
  int64_t count = 1, size = cast<VectorType>(vectors[0].getType()).getNumElements();
  for (; size > 1; size /= 2) {
    bool pairs = vectors.size() > 1;
    SmallVector<int64_t> low, high;
    for (int64_t block = 0; block != count * (pairs ? 2 : 1); ++block)
      for (int64_t i = 0; i != size / 2; ++i) {
        low.push_back(block * size + i);
        high.push_back(block * size + size / 2 + i);
      }
    SmallVector<Value> next;
    for (size_t i = 0; i != vectors.size(); i += pairs ? 2 : 1) {
      Value other = vectors[pairs ? i + 1 : i];
      Value lower = vector::ShuffleOp::create(lanes.b, lanes.loc, vectors[i], other, low);
      Value upper = vector::ShuffleOp::create(lanes.b, lanes.loc, vectors[i], other, high);
      next.push_back(combine(lanes, kind, lower, upper));
    }
    vectors = std::move(next);
    count *= pairs ? 2 : 1;
  }
  return vectors[0];
}
