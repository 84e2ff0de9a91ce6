//===- RowStatistics.cpp - what else is made of the scores of a softmax --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowStatistics.h"

#include "Exponents.h"
#include "SameCode.h"
#include "WeightFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

/// The index of `other` that each index of `op` is, by a tensor that both read at all of them.
static std::optional<SmallVector<unsigned>> matchPlaces(FormulaOpInterface op,
                                                        FormulaOpInterface other) {
  unsigned count = op.getNumIndices();
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    for (auto [j, same] : llvm::enumerate(other.getInputs())) {
      if (input != same)
        continue;
      auto here = getDistinctDims(op.getInputMap(i)), there = getDistinctDims(other.getInputMap(j));
      if (!here || !there || here->size() != count || other.getNumIndices() != count)
        continue;
      SmallVector<unsigned> places(count);
      for (auto [mine, yours] : llvm::zip(*here, *there))
        places[mine] = yours;
      return places;
    }
  return std::nullopt;
}

/// What a sum of exponentials has for its exponents: the score, and what is subtracted from it.
static Value matchExponent(RowStatistic &statistic, ArrayRef<unsigned> places,
                           SmallVectorImpl<MaskedValue> &masks) {
  FormulaOpInterface formula = statistic.op;
  math::ExpOp exp = getExponential(getYielded(formula), &masks);
  auto difference = exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  auto shift = difference ? dyn_cast<BlockArgument>(difference.getRhs()) : BlockArgument();
  if (!shift)
    return exp ? exp.getOperand() : Value();
  auto dims = getDistinctDims(formula.getInputMap(shift.getArgNumber()));
  if (!dims || llvm::is_contained(*dims, formula.getNumOutputIndices()))
    return exp.getOperand();
  statistic.shift = shift.getArgNumber();
  for (unsigned dim : *dims)
    statistic.shiftIndices.push_back(places[dim]);
  return difference.getLhs();
}

static std::optional<RowStatistic> matchStatistic(AttentionMatch &match, ReduceOp op) {
  FormulaOpInterface formula = op, scores = match.softmax, consumer = match.consumer;
  bool isMax = op.getKind() == ReduceKind::Max;
  unsigned key = formula.getNumOutputIndices();
  auto places = matchPlaces(formula, scores);
  if ((!isMax && op.getKind() != ReduceKind::Sum) || op.getOutputMapsAttr() || !places ||
      formula.getNumIndices() != key + 1 || (*places)[key] != match.softmax.getAxis() ||
      !isStoredAsComputed(op->getResult(0)))
    return std::nullopt;
  AffineMap ofWeights = consumer.getInputMap(match.weightOperand);
  auto dims = getDistinctDims(ofWeights);
  IndexValues indices;
  for (auto [i, place] : llvm::enumerate(*places)) {
    IndexAttr index = scores.getIndexAttr(place);
    place = (*dims)[place];
    if (!haveSameRange(formula.getIndexAttr(i), index) ||
        !haveSameRange(consumer.getIndexAttr(place), index))
      return std::nullopt;
    indices.push_back({getAffineDimExpr(place, op.getContext()), Value()});
  }
  RowStatistic statistic{op, SmallVector<unsigned>(ArrayRef(*places).drop_back()), {}, {}};
  SmallVector<MaskedValue> masks;
  Value exponent = isMax ? getYielded(formula) : matchExponent(statistic, *places, masks);
  FormulaCode seen(consumer), other(consumer);
  IndexValues ofScores = getIndexValues(ofWeights);
  if (!exponent || !isSameCode(seen, seen.emit(scores, getYielded(scores), ofScores), other,
                               other.emit(formula, exponent, indices)))
    return std::nullopt;
  Conditions counted(other);
  counted.addPredicate(formula, indices);
  counted.addMasks(formula, masks, indices);
  if (!counted.areAll(seen, seen.emitPredicate(scores, ofScores)))
    return std::nullopt;
  return statistic;
}

SmallVector<RowStatistic> weft::findStatistics(AttentionMatch &match) {
  SmallVector<RowStatistic> found;
  Operation *attention[] = {match.softmax, match.consumer};
  for (auto op : match.softmax->getBlock()->getOps<ReduceOp>())
    if (std::optional<RowStatistic> statistic = matchStatistic(match, op))
      if (!readWhatIsMadeOf(attention, statistic->op.getOperation()))
        found.push_back(*statistic);
  return found;
}

void weft::replaceStatistics(RewriterBase &rewriter, ArrayRef<RowStatistic> statistics,
                             RowResults &rows) {
  for (RowStatistic statistic : statistics) {
    ReduceOp op = statistic.op;
    if (statistic.isLargest() && !rows.tellsEmpty())
      continue;
    auto emit = [&](RowWriter &writer) -> Value {
      if (statistic.isLargest())
        return rows.readLargest(writer);
      Value exponent = rows.readLogSum(writer);
      if (statistic.shift) {
        Value shift = writer.readRow(op.getInputs()[*statistic.shift], statistic.shiftIndices);
        exponent = arith::SubFOp::create(writer.getBody(), writer.getLoc(), exponent, shift);
      }
      return math::ExpOp::create(writer.getBody(), writer.getLoc(), exponent);
    };
    MapOp made = rows.build(op->getResult(0), statistic.indices, emit, statistic.isLargest());
    copyLabel(op, made);
    rewriter.replaceOp(op, made);
  }
}
