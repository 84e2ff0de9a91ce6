//===- GuardBounds.cpp - where a condition lets the loops of a sum begin and end ------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/GuardBounds.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/RowFactor.h"
#include "weft/Dialect/Weft/IR/AccessRange.h"
#include "weft/Dialect/Weft/IR/Conjuncts.h"
#include "weft/Dialect/Weft/IR/EmitAffine.h"
#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

bool GuardBounds::add(AffineExpr margin) {
  auto isOf = [&](unsigned i) { return margin.isFunctionOfDim(i); };
  SmallVector<unsigned> order = getStoredOrder(op);
  bool isOfTile = (!order.empty() && isOf(order.back())) ||
                  (plan.across > 1 && isOf(plan.acrossIndex)) ||
                  (plan.alongReduced && isOf(plan.lane));
  auto loops = llvm::reverse(plan.reduced);
  auto loop = llvm::find_if(loops, isOf);
  if (isOfTile || loop == loops.end())
    return false;
  AffineExpr index = getAffineDimExpr(*loop, op.getContext());
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  AffineExpr rest = margin.replace(index, zero);
  auto isRest = [&](AffineExpr other) {
    return simplifyAffineExpr(margin - other - rest, op.getNumIndices(), symbols.size()) == zero;
  };
  bool isFirst = isRest(index);
  if (!isFirst && !isRest(-index))
    return false;
  bounds.push_back({*loop, isFirst ? -rest : rest + 1, isFirst});
  margins.push_back(margin);
  return true;
}

/// Whether `expr` is not negative where all margins are not.
bool GuardBounds::isImplied(AffineExpr expr) {
  return llvm::any_of(margins, [&](AffineExpr margin) {
    return isNonNegative(simplifyAffineExpr(expr - margin, op.getNumIndices(), symbols.size()));
  });
}

bool GuardBounds::isInside(AtOp at) {
  auto type = cast<ShapedType>(at.getSource().getType());
  SmallVector<IndexAttr> indices = op.getIndexList();
  for (auto [i, coordinate] : llvm::enumerate(at.getCoordinates())) {
    AffineExpr place = getAffineExpr(coordinate);
    if (!place)
      return false;
    if (isProvenInRange(place, indices, type, i))
      continue;
    StringRef symbol = type.isDynamicDim(i) ? getSymbolOf(at.getSource(), i) : StringRef();
    if (type.isDynamicDim(i) && symbol.empty())
      return false;
    AffineExpr size = type.isDynamicDim(i)
                          ? getSize(symbol)
                          : getAffineConstantExpr(type.getDimSize(i), op.getContext());
    std::optional<int64_t> least = getMinimum(place, indices);
    if (!((least && *least >= 0) || isImplied(place)) || !isImplied(size - 1 - place))
      return false;
  }
  return true;
}

std::optional<GuardBounds> GuardBounds::match(ReduceOp op, const ReductionPlan &plan) {
  if (op.getKind() != ReduceKind::Sum || op.getPredicate().empty())
    return std::nullopt;
  GuardBounds guard(op, plan);
  SmallVector<Conjunct> conjuncts;
  collectConjuncts(op.getPredicate().front().getTerminator()->getOperand(0), /*negated=*/false,
                   conjuncts);
  for (Conjunct conjunct : conjuncts) {
    AffineExpr margin =
        getMargin(conjunct, [&](SizeOp size) { return guard.getSize(size.getSymbol()); });
    if (!margin || !guard.add(margin))
      return std::nullopt;
  }
  op.getBody().walk([&](AtOp at) {
    if (guard.isInside(at))
      guard.inside.insert(at);
  });
  return guard;
}

std::pair<Lanes, Lanes> GuardBounds::get(LaneBuilder &lanes, const Kernel &kernel,
                                         unsigned position, ArrayRef<Lanes> values,
                                         const Lanes &extent) const {
  SmallVector<Lanes> sizes =
      llvm::map_to_vector(symbols, [&](StringRef symbol) { return kernel.getSymbol(symbol); });
  Lanes first = lanes.constant(0), end = extent;
  for (const Bound &bound : bounds)
    if (bound.position == position) {
      Lanes value = lanes.apply(bound.value, values, sizes);
      (bound.isFirst ? first : end) =
          bound.isFirst ? lanes.max(first, value) : lanes.min(end, value);
    }
  return {first, end};
}
