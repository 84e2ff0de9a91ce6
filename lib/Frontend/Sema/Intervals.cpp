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
  Interval result = clamp(compute(scalar), {-maxKnown, maxKnown});
  known[scalar] = result;
  return result;
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
    range.max = std::min(range.max, other.max - strict);
  else
    range.min = std::max(range.min, other.min + strict);
  return range.min <= range.max ? range : Interval{range.min, range.min};
}

/// Integers that are summed or compared; there may be none, which gives 0 (of `prod` 1).
Interval BoundsAnalysis::reduction(const Scalar *scalar) {
  Interval body = interval(scalar->args[0]).unionWith({0, 0}), count{1, 1};
  switch (scalar->reduction) {
  case ast::ReductionKind::Sum:
    for (const Index *binder : scalar->binders)
      count = count * Interval{binder->extent->size, binder->extent->size};
    break;
  case ast::ReductionKind::Max:
  case ast::ReductionKind::Min:
    break;
  default:
    return {};
  }
  return count * body;
}

Interval BoundsAnalysis::compute(const Scalar *scalar) {
  if (!scalar->isInt())
    return {};
  auto arg = [&](unsigned i) { return interval(scalar->args[i]); };
  switch (scalar->op) {
  case ScalarOp::Constant:
    return {scalar->integer, scalar->integer};
  case ScalarOp::Index:
    return {0, scalar->index->extent->size - 1};
  case ScalarOp::Size:
    return {1, scalar->symbol->size};
  case ScalarOp::Read:
    return scalar->tensor->bounds.value_or(Interval());
  case ScalarOp::Reduce:
    if (scalar->reduction == ast::ReductionKind::ArgMax ||
        scalar->reduction == ast::ReductionKind::ArgTop)
      return {0, scalar->binders[0]->extent->size - 1};
    return reduction(scalar);
  case ScalarOp::Negate:
    return -arg(0);
  case ScalarOp::Add:
    return arg(0) + arg(1);
  case ScalarOp::Subtract:
    return arg(0) - arg(1);
  case ScalarOp::Multiply:
    return arg(0) * arg(1);
  case ScalarOp::FloorDivide:
    return floorDivide(arg(0), arg(1));
  case ScalarOp::Modulo:
    return floorModulo(arg(0), arg(1));
  case ScalarOp::Min:
    return min(arg(0), arg(1));
  case ScalarOp::Max:
    return max(arg(0), arg(1));
  case ScalarOp::Select:
    return refined(scalar->args[1], scalar->args[0], true)
        .unionWith(refined(scalar->args[2], scalar->args[0], false));
  case ScalarOp::Abs:
    return abs(arg(0));
  case ScalarOp::BitAnd: // of a mask that is a constant
    return {0, arg(1).max};
  default:
    return {};
  }
}

namespace {
/// What isTight has seen so far.
struct TightForm {
  DenseSet<const Index *> indices;
  bool hasGaps = false; ///< not every number between the ends is a value
};
} // namespace

static bool visitTight(const Scalar *scalar, TightForm &form) {
  auto args = [&] {
    return all_of(scalar->args, [&](auto *arg) { return visitTight(arg, form); });
  };
  auto isConstant = [&](unsigned i) { return scalar->args[i]->op == ScalarOp::Constant; };
  switch (scalar->op) {
  case ScalarOp::Constant:
    return true;
  case ScalarOp::Index:
    return form.indices.insert(scalar->index).second;
  case ScalarOp::Negate:
  case ScalarOp::Add:
  case ScalarOp::Subtract:
  case ScalarOp::Min:
  case ScalarOp::Max:
    return args();
  case ScalarOp::Multiply:
    form.hasGaps = true;
    return (isConstant(0) || isConstant(1)) && args();
  case ScalarOp::FloorDivide: // rises with its dividend, as all above do with their operands
    return isConstant(1) && scalar->args[1]->integer > 0 && args();
  case ScalarOp::Modulo:
  case ScalarOp::Abs: // these turn between the ends
    return args() && !form.hasGaps && (scalar->op == ScalarOp::Abs || isConstant(1));
  default:
    return false;
  }
}

bool BoundsAnalysis::isTight(const Scalar *scalar) {
  TightForm form;
  return scalar->isInt() && visitTight(scalar, form) && isKnown(interval(scalar));
}

} // namespace weft::sema
