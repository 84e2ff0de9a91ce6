//===- Intervals.cpp - What an integer expression lies between ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Bounds.h"

using namespace llvm;

namespace weft::sema {

Interval BoundsAnalysis::interval(const Scalar *scalar) {
  auto it = known.find(scalar);
  if (it != known.end())
    return it->second;
  Interval result = compute(scalar);
  known[scalar] = result;
  return result;
}

static Interval corners(std::initializer_list<__int128> values) {
  return {saturate(std::min(values)), saturate(std::max(values))};
}

/// The interval of `scalar` where `condition`, a comparison of it with something, has this value.
Interval BoundsAnalysis::refined(const Scalar *scalar, const Scalar *condition, bool holds) {
  Interval range = interval(scalar);
  ScalarOp op = condition->op;
  if (op < ScalarOp::Less || op > ScalarOp::GreaterEqual || condition->args[0] != scalar ||
      !scalar->isInt())
    return range;
  Interval other = interval(condition->args[1]);
  bool less = (op == ScalarOp::Less || op == ScalarOp::LessEqual) == holds;
  bool strict = (op == ScalarOp::Less || op == ScalarOp::Greater) == holds;
  if (less)
    range.high = std::min(range.high, saturate(__int128(other.high) - strict));
  else
    range.low = std::max(range.low, saturate(__int128(other.low) + strict));
  return range.low <= range.high ? range : Interval{range.low, range.low};
}

static Interval quotient(Interval a, Interval b) {
  if (b.low < 1)
    return {};
  return corners({floorDivide(a.low, b.low), floorDivide(a.low, b.high), floorDivide(a.high, b.low),
                  floorDivide(a.high, b.high)});
}

static Interval remainder(Interval a, Interval b) {
  if (b.low < 1)
    return {};
  return {0, a.low >= 0 ? std::min(b.high - 1, a.high) : b.high - 1};
}

/// Integers that are summed or compared; there may be none, which gives 0 (of `prod` 1).
Interval BoundsAnalysis::reduction(const Scalar *scalar) {
  Interval body = interval(scalar->args[0]);
  __int128 count = 1;
  switch (scalar->reduction) {
  case ast::ReductionKind::Sum:
    for (const Index *binder : scalar->binders)
      count = saturate(count * binder->extent->size);
    break;
  case ast::ReductionKind::Max:
  case ast::ReductionKind::Min:
    break;
  default:
    return {};
  }
  return {saturate(count * std::min<int64_t>(body.low, 0)),
          saturate(count * std::max<int64_t>(body.high, 0))};
}

Interval BoundsAnalysis::compute(const Scalar *scalar) {
  if (!scalar->isInt())
    return {};
  auto arg = [&](unsigned i) { return interval(scalar->args[i]); };
  switch (scalar->op) {
  case ScalarOp::Constant:
    return {saturate(scalar->integer), saturate(scalar->integer)};
  case ScalarOp::Index:
    return {0, saturate(scalar->index->extent->size - 1)};
  case ScalarOp::Size:
    return {1, saturate(scalar->symbol->size)};
  case ScalarOp::Read:
    if (scalar->tensor->bounds)
      return {scalar->tensor->bounds->first, scalar->tensor->bounds->second};
    return {};
  case ScalarOp::Reduce:
    if (scalar->reduction == ast::ReductionKind::ArgMax ||
        scalar->reduction == ast::ReductionKind::ArgTop)
      return {0, saturate(scalar->binders[0]->extent->size - 1)};
    return reduction(scalar);
  case ScalarOp::Negate:
    return {-arg(0).high, -arg(0).low};
  case ScalarOp::Add:
    return {saturate(__int128(arg(0).low) + arg(1).low),
            saturate(__int128(arg(0).high) + arg(1).high)};
  case ScalarOp::Subtract:
    return {saturate(__int128(arg(0).low) - arg(1).high),
            saturate(__int128(arg(0).high) - arg(1).low)};
  case ScalarOp::Multiply: {
    Interval a = arg(0), b = arg(1);
    return corners({__int128(a.low) * b.low, __int128(a.low) * b.high, __int128(a.high) * b.low,
                    __int128(a.high) * b.high});
  }
  case ScalarOp::FloorDivide:
    return quotient(arg(0), arg(1));
  case ScalarOp::Modulo:
    return remainder(arg(0), arg(1));
  case ScalarOp::Min:
    return {std::min(arg(0).low, arg(1).low), std::min(arg(0).high, arg(1).high)};
  case ScalarOp::Max:
    return {std::max(arg(0).low, arg(1).low), std::max(arg(0).high, arg(1).high)};
  case ScalarOp::Select: {
    Interval a = refined(scalar->args[1], scalar->args[0], true);
    Interval b = refined(scalar->args[2], scalar->args[0], false);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  case ScalarOp::Abs: {
    Interval a = arg(0);
    int64_t high = std::max(std::abs(a.low), std::abs(a.high));
    return {a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, high};
  }
  default:
    return {};
  }
}

} // namespace weft::sema
