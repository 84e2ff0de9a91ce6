//===- AttentionScore.cpp - the score of a fused attention ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionScore.h"
#include "IndexDependence.h"

using namespace mlir;
using namespace weft;

std::string weft::getLabel(Operation *formula) {
  if (auto label = formula->getAttrOfType<StringAttr>(attrs::kLabel))
    return "'" + label.str() + "'";
  return "the formula";
}

Value AttentionScore::fail(const Twine &reason) {
  failure = reason.str();
  return Value();
}

/// Coordinates that are scalars come from an inner reduction: they depend on no position.
static llvm::SmallBitVector getUsed(AffineMap map, const IndexValues &indices, unsigned count) {
  llvm::SmallBitVector used(count);
  for (auto [i, index] : llvm::enumerate(indices))
    if (index.expr && map.isFunctionOfDim(i))
      used |= getUsedIndices(index.expr, count);
  return used;
}

bool AttentionScore::dependsOnPair(AffineMap map, const IndexValues &indices) const {
  llvm::SmallBitVector used = getUsed(map, indices, queries.size());
  return used.test(key) && used.anyCommon(queries);
}

/// A bias or mask that rests on positions and on tensors of one position is computed in each score
/// that reads it rather than kept for all pairs.
bool AttentionScore::isRecomputable(Operation *producer, AffineMap map,
                                    const IndexValues &indices) const {
  auto op = dyn_cast<MapOp>(producer);
  auto coordinates = getAffineCoordinates(map, indices);
  if (!op || !coordinates)
    return false;
  IndexValues at;
  for (AffineExpr expr : *coordinates)
    at.push_back({expr, Value()});
  for (unsigned i = 0, e = op.getInputs().size(); i != e; ++i)
    if (op.getInputs()[i].getDefiningOp<FormulaOpInterface>() &&
        dependsOnPair(op.getInputMap(i), at))
      return false;
  return true;
}

Value AttentionScore::emitElement(OpBuilder &builder, Region &region, Value tensor, AffineMap map,
                                  const IndexValues &indices, Location loc) {
  Operation *producer = tensor.getDefiningOp();
  if (!isa_and_nonnull<MapOp, ContractOp, ReduceOp>(producer) || !dependsOnPair(map, indices))
    return formula.readAt(builder, region, tensor, map, indices, loc);
  if (!tensor.hasOneUse() && !isRecomputable(producer, map, indices))
    return fail(getLabel(producer) + " is used elsewhere");
  if (auto op = dyn_cast<MapOp>(producer))
    return emitMap(builder, region, op, map, indices);
  if (auto op = dyn_cast<ContractOp>(producer))
    return emitContraction(builder, region, op, map, indices);
  auto op = cast<ReduceOp>(producer);
  if (!isInnerReduction(op))
    return fail(getLabel(op) + " is a reduction with a predicate or by " +
                stringifyReduceKind(op.getKind()));
  return emitInner(builder, region, op, map, indices);
}

Value AttentionScore::emitContraction(OpBuilder &builder, Region &region, ContractOp op,
                                      AffineMap map, const IndexValues &indices) {
  bool isScore = &region == &formula.getBody();
  Value sum = isScore ? tryDot(op, map, indices) : Value();
  if (!sum)
    sum = emitProductSum(builder, region, op, map, indices);
  if (!sum || op.getEpilogue().empty())
    return sum;
  return emitRegion(builder, region, op, op.getEpilogue(),
                    compose(builder, map, indices, op.getLoc()), /*firstInput=*/2, sum);
}

Value AttentionScore::tryDot(ContractOp op, AffineMap map, const IndexValues &indices) {
  for (const IndexValue &index : indices)
    if (index.scalar)
      return Value();
  SmallVector<AffineExpr> coordinates = *getAffineCoordinates(map, indices);
  IndexValues at;
  for (AffineExpr expr : coordinates)
    at.push_back({expr, Value()});
  // Which factor is the query's is decided before the contracted indices are added.
  unsigned numOutput = op.getNumOutputIndices(), numIndices = formula.getIndices().size();
  llvm::SmallBitVector used[2];
  for (unsigned i : {0u, 1u}) {
    used[i].resize(queries.size());
    for (unsigned dim = 0; dim != numOutput; ++dim)
      if (op.getInputMap(i).isFunctionOfDim(dim))
        used[i] |= getUsedIndices(at[dim].expr, queries.size());
  }
  auto fits = [&](unsigned query) {
    return !used[query].test(key) && !used[1 - query].anyCommon(queries);
  };
  if (!fits(0) && !fits(1))
    return Value();
  unsigned query = fits(0) ? 0 : 1;
  for (unsigned i = numOutput, e = op.getNumIndices(); i != e; ++i) {
    formula.addIndex(op.getIndexAttr(i));
    at.push_back({getAffineDimExpr(numIndices + i - numOutput, op.getContext()), Value()});
  }
  dots.push_back({op.getInputs()[query], op.getInputs()[1 - query],
                  *getAffineCoordinates(op.getInputMap(query), at),
                  *getAffineCoordinates(op.getInputMap(1 - query), at),
                  op.getScale().convertToDouble()});
  return formula.addLeadingArgument(Builder(op.getContext()).getF32Type(), op.getLoc());
}

/// A contraction with a factor that depends on the pair itself, such as a table of relative keys.
Value AttentionScore::emitProductSum(OpBuilder &builder, Region &region, ContractOp op,
                                     AffineMap map, const IndexValues &indices) {
  Location loc = op.getLoc();
  Value result;
  {
    OpBuilder::InsertionGuard guard(builder);
    IndexValues at = compose(builder, map, indices, loc);
    SmallVector<IndexAttr> reduced;
    for (unsigned i = op.getNumOutputIndices(), e = op.getNumIndices(); i != e; ++i)
      reduced.push_back(op.getIndexAttr(i));
    InnerOp outermost = openInner(builder, ReduceKind::Sum, reduced, at, loc);
    Value lhs = emitElement(builder, region, op.getLhs(), op.getInputMap(0), at, loc);
    Value rhs =
        lhs ? emitElement(builder, region, op.getRhs(), op.getInputMap(1), at, loc) : Value();
    if (!rhs)
      return Value();
    result = closeInner(builder, outermost, arith::MulFOp::create(builder, loc, lhs, rhs));
  }
  double scale = op.getScale().convertToDouble();
  if (scale == 1.0)
    return result;
  Value factor = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(scale));
  return arith::MulFOp::create(builder, loc, result, factor);
}
