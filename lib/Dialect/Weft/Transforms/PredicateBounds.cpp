//===- PredicateBounds.cpp - intervals from predicates --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PredicateBounds.h"

#include "FormulaBuilder.h"
#include "weft/Dialect/Weft/IR/AffineValue.h"

using namespace mlir;
using namespace weft;
using arith::CmpIPredicate;

void IndexInterval::start(AffineMapAttr lower, AffineMapAttr upper, ArrayAttr names) {
  if (lower)
    llvm::append_range(lowers, lower.getValue().getResults());
  if (upper)
    llvm::append_range(uppers, upper.getValue().getResults());
  if (names)
    for (StringAttr name : names.getAsRange<StringAttr>())
      symbols.push_back(name.getValue());
}

AffineExpr IndexInterval::getExpr(Value value) {
  return getAffineExpr(
      value, [&](SizeOp size) { return getSymbolExpr(size.getSymbol(), symbols, context); });
}

/// The predicate of `b ? a` for that of `a ? b`.
static CmpIPredicate swapOperands(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::slt:
    return CmpIPredicate::sgt;
  case CmpIPredicate::sle:
    return CmpIPredicate::sge;
  case CmpIPredicate::sgt:
    return CmpIPredicate::slt;
  case CmpIPredicate::sge:
    return CmpIPredicate::sle;
  default:
    return predicate;
  }
}

AffineExpr IndexInterval::simplify(AffineExpr expr) const {
  return simplifyAffineExpr(expr, std::max(index + 1, numBoundDims), symbols.size());
}

/// Adds `difference predicate 0`, where difference is `s + rest` or `rest - s`.
bool IndexInterval::addComparison(CmpIPredicate predicate, AffineExpr difference) {
  AffineExpr s = getAffineDimExpr(index, context), zero = getAffineConstantExpr(0, context);
  AffineExpr rest = simplify(difference.replace(s, zero));
  auto isDifference = [&](AffineExpr expr) { return simplify(difference - rest - expr) == zero; };
  for (unsigned dim = numBoundDims; dim <= index; ++dim)
    if (rest.isFunctionOfDim(dim))
      return false;
  if (isDifference(-s))
    rest = -rest;
  else if (!isDifference(s))
    return false;
  else // s + rest < 0 is -rest > s.
    predicate = swapOperands(predicate);
  // Now `-rest predicate s`.
  AffineExpr bound = simplify(-rest);
  switch (predicate) {
  case CmpIPredicate::slt:
    lowers.push_back(bound + 1);
    return true;
  case CmpIPredicate::sle:
    lowers.push_back(bound);
    return true;
  case CmpIPredicate::sgt:
    uppers.push_back(bound);
    return true;
  case CmpIPredicate::sge:
    uppers.push_back(bound + 1);
    return true;
  case CmpIPredicate::eq:
    lowers.push_back(bound);
    uppers.push_back(bound + 1);
    return true;
  default:
    return false;
  }
}

/// s // w < e is s < e * w, and so on for the other comparisons.
bool IndexInterval::addQuotient(CmpIPredicate predicate, AffineExpr quotient, AffineExpr other) {
  auto division = dyn_cast<AffineBinaryOpExpr>(quotient);
  AffineExpr s = getAffineDimExpr(index, context);
  if (!division || division.getKind() != AffineExprKind::FloorDiv || division.getLHS() != s ||
      other.isFunctionOfDim(index))
    return false;
  AffineExpr first = other * division.getRHS(), next = (other + 1) * division.getRHS();
  switch (predicate) {
  case CmpIPredicate::slt:
    return addComparison(CmpIPredicate::slt, s - first);
  case CmpIPredicate::sle:
    return addComparison(CmpIPredicate::slt, s - next);
  case CmpIPredicate::sgt:
    return addComparison(CmpIPredicate::sge, s - next);
  case CmpIPredicate::sge:
    return addComparison(CmpIPredicate::sge, s - first);
  case CmpIPredicate::eq:
    return addComparison(CmpIPredicate::sge, s - first) &&
           addComparison(CmpIPredicate::slt, s - next);
  default:
    return false;
  }
}

bool IndexInterval::addComparison(CmpIPredicate predicate, Value lhs, Value rhs) {
  bool isLess = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
  bool isGreater = predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
  // max(a, b) <= w is a <= w and b <= w; what bounds only one of them is still true.
  auto addBoth = [&](Operation *op, bool isLeft) {
    auto add = [&](Value value) {
      return isLeft ? addComparison(predicate, value, rhs) : addComparison(predicate, lhs, value);
    };
    bool first = add(op->getOperand(0)), second = add(op->getOperand(1));
    return first && second;
  };
  Operation *left = lhs.getDefiningOp(), *right = rhs.getDefiningOp();
  if ((isLess && isa_and_nonnull<arith::MaxSIOp>(left)) ||
      (isGreater && isa_and_nonnull<arith::MinSIOp>(left)))
    return addBoth(left, true);
  if ((isLess && isa_and_nonnull<arith::MinSIOp>(right)) ||
      (isGreater && isa_and_nonnull<arith::MaxSIOp>(right)))
    return addBoth(right, false);
  if (auto abs = lhs.getDefiningOp<math::AbsIOp>(); abs && isLess) {
    // abs(e) <= w is -w <= e and e <= w.
    AffineExpr inner = getExpr(abs.getOperand()), width = getExpr(rhs);
    return inner && width && addComparison(predicate, inner - width) &&
           addComparison(swapOperands(predicate), inner + width);
  }
  AffineExpr a = getExpr(lhs), b = getExpr(rhs);
  return a && b &&
         (addQuotient(predicate, a, b) || addQuotient(swapOperands(predicate), b, a) ||
          addComparison(predicate, a - b));
}

bool IndexInterval::add(Conjunct conjunct) {
  auto compare = conjunct.condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex())
    return false;
  CmpIPredicate predicate =
      conjunct.negated ? arith::invertPredicate(compare.getPredicate()) : compare.getPredicate();
  return addComparison(predicate, compare.getLhs(), compare.getRhs());
}

bool IndexInterval::contains(AffineExpr value) const {
  auto holds = [&](AffineExpr difference) { return isNonNegative(simplify(difference)); };
  return llvm::all_of(lowers, [&](AffineExpr lower) { return holds(value - lower); }) &&
         llvm::all_of(uppers, [&](AffineExpr upper) { return holds(upper - 1 - value); });
}

bool IndexInterval::endsAt(AffineExpr value) const {
  return llvm::any_of(uppers,
                      [&](AffineExpr upper) { return isNonNegative(simplify(value + 1 - upper)); });
}

std::optional<int64_t> IndexInterval::reachBelow(AffineExpr value) const {
  std::optional<int64_t> reach;
  for (AffineExpr lower : lowers)
    if (auto distance = dyn_cast<AffineConstantExpr>(simplify(value - lower)))
      reach = std::min(reach.value_or(distance.getValue()), distance.getValue());
  return reach;
}

AffineMapAttr IndexInterval::getMap(ArrayRef<AffineExpr> exprs) const {
  if (exprs.empty())
    return AffineMapAttr();
  SmallVector<AffineExpr> unique;
  for (AffineExpr expr : exprs)
    if (!llvm::is_contained(unique, expr))
      unique.push_back(expr);
  return AffineMapAttr::get(AffineMap::get(numBoundDims, symbols.size(), unique, context));
}

ArrayAttr IndexInterval::getSymbols() const {
  if (symbols.empty())
    return ArrayAttr();
  return Builder(context).getStrArrayAttr(symbols);
}

AffineExpr weft::getIndexExpr(Value value) {
  return IndexInterval(value.getContext(), 0, 0).getExpr(value);
}
