//===- AttentionScore.cpp - the score of a fused attention ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionScore.h"

#include "AttentionMatch.h"
#include "Cost.h"
#include "PositionPairs.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/AttentionLimits.h"

using namespace mlir;
using namespace weft;

std::string weft::getLabel(Operation *formula) {
  if (auto label = attrs::Label::get(formula))
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

/// Whether `producer` is a bias or mask that rests on positions and on tensors of one position.
bool AttentionScore::isRecomputable(FormulaOpInterface producer, AffineMap map,
                                    const IndexValues &indices) const {
  auto op = dyn_cast<MapOp>(*producer);
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

/// Whether a reader keeps `tensor` in memory whatever becomes of the scores that read it: one that
/// does not end in an attention, and is none of `visited`.
static bool isKept(Value tensor, llvm::SmallPtrSetImpl<Operation *> &visited) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *user) {
    auto reader = dyn_cast<FormulaOpInterface>(user);
    if (!visited.insert(user).second)
      return false;
    if (isa<MapOp>(user))
      return isKept(user->getResult(0), visited);
    AttentionMatch match;
    if (auto softmax = dyn_cast<SoftmaxOp>(user))
      return !match.matchSoftmax(softmax);
    return !isa<ContractOp, ReduceOp>(user) || !match.matchSum(reader);
  });
}

static bool canInline(FormulaOpInterface producer) {
  auto reduce = dyn_cast<ReduceOp>(*producer);
  return !reduce || isInnerReduction(reduce);
}

/// Whether `producer` is better read as a tensor, as far as it may be one: a tensor of position
/// pairs may if it is kept anyway, or if one as large is read for it.
bool AttentionScore::isBetterRead(FormulaOpInterface producer, AffineMap map,
                                  const IndexValues &indices, Block *reader) const {
  Value tensor = producer->getResult(0);
  llvm::SmallPtrSet<Operation *, 8> visited = gone;
  bool kept = !tensor.hasOneUse() && isKept(tensor, visited);
  if (!kept && PositionPairs().contain(tensor) && !isNoLargerThanRead(producer))
    return false;
  if (!canInline(producer))
    return true;
  // A mask or a bias of a few operations is better known than read: it may bound the keys.
  bool isCheap = isa<MapOp>(*producer) && getElementCost(producer) < kFunctionCost;
  if (isCheap && (!kept || isRecomputable(producer, map, indices)))
    return false;
  double points = numPoints;
  for (; auto inner = dyn_cast_or_null<InnerOp>(reader->getParentOp()); reader = inner->getBlock())
    points *= countValues(inner.getRange());
  // A score itself, of all pairs, is not made: an attention is what it is for.
  return kept || !isWorthInlining(producer, points, /*isLookedUp=*/!map.isProjectedPermutation());
}

Value AttentionScore::emitElement(OpBuilder &builder, Region &region, Value tensor, AffineMap map,
                                  const IndexValues &indices, Location loc) {
  auto producer = dyn_cast_or_null<FormulaOpInterface>(tensor.getDefiningOp());
  if (!producer || !isa<MapOp, ContractOp, ReduceOp>(*producer) || !isStoredAsComputed(tensor) ||
      !dependsOnPair(map, indices) ||
      isBetterRead(producer, map, indices, builder.getInsertionBlock()))
    return formula.readAt(builder, region, tensor, map, indices, loc);
  numOps += countScalarOps(producer);
  if (numOps > kMaxFusedOps)
    return fail("its score has more than " + Twine(kMaxFusedOps) + " operations");
  if (auto op = dyn_cast<MapOp>(*producer))
    return emitMap(builder, region, op, map, indices);
  if (auto op = dyn_cast<ContractOp>(*producer))
    return emitContraction(builder, region, op, map, indices);
  auto op = cast<ReduceOp>(*producer);
  if (!canInline(op))
    return fail(getLabel(op) + " is a reduction with a predicate or by " +
                stringifyReduceKind(op.getKind()) + ", for each pair of positions");
  return emitInner(builder, region, op, map, indices);
}

Value AttentionScore::emitContraction(OpBuilder &builder, Region &region, ContractOp op,
                                      AffineMap map, const IndexValues &indices) {
  formula.noteFolded(op);
  bool isScore = &region == &formula.getBody();
  Value sum = isScore ? tryDot(op, map, indices) : Value();
  if (dots.size() > kMaxDots)
    return fail("its score has more than " + Twine(kMaxDots) + " products of queries and keys");
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
  // Queries and keys are packed in blocks whose rows have a fixed length.
  for (unsigned i = op.getNumOutputIndices(), e = op.getNumIndices(); i != e; ++i)
    if (op.getIndexAttr(i).getDynamic())
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
