//===- AttentionFusion.cpp - one op for weights and the sum that consumes them --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionFusion.h"

#include "Cost.h"
#include "ElementWriter.h"
#include "Exponentials.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

using namespace mlir;
using namespace weft;

/// The scale of the consumer, applied to what it would have scaled.
Value AttentionFusion::buildScale(Value attention) {
  if (match.scale == 1.0)
    return attention;
  SmallVector<IndexAttr> indices = consumer.getIndexList();
  indices.truncate(consumer.getNumOutputIndices());
  ElementWriter writer(rewriter, consumer.getLoc(), indices);
  Value element = writer.scale(writer.read(attention), match.scale);
  MapOp op = writer.buildMap(attention.getType(), element);
  exponents ? labelPart(consumer, op) : copyLabel(consumer, op);
  return op->getResult(0);
}

/// Emits the score and the predicate (null if there is none); false and a reason if that fails.
bool AttentionFusion::emitScore(AttentionScore &score, FormulaBuilder &formula, Value &element,
                                Value &condition) {
  AffineMap map = consumer.getInputMap(match.weightOperand);
  OpBuilder body = getBuilderAtEnd(formula.getBody(), rewriter.getContext());
  OpBuilder predicate = getBuilderAtEnd(formula.getPredicate(), rewriter.getContext());
  IndexValues identity = getIdentityIndices(rewriter.getContext(), consumer.getNumIndices());
  FormulaOpInterface owner = softmax ? FormulaOpInterface(softmax) : consumer;
  if (softmax)
    element =
        score.emitRegion(body, formula.getBody(), softmax, softmax.getBody(), getIndexValues(map));
  else
    element = score.emitElement(body, formula.getBody(), exponents ? exponents : match.getWeights(),
                                map, identity, consumer.getLoc());
  bool hasPredicate = owner->getNumRegions() > 1 && !owner->getRegion(1).empty();
  if (element && hasPredicate)
    condition = score.emitRegion(predicate, formula.getPredicate(), owner, owner->getRegion(1),
                                 softmax ? getIndexValues(map) : identity);
  if (element && (condition || !hasPredicate))
    return true;
  reason = score.getFailure().str();
  return false;
}

AttentionOp AttentionFusion::create(const AttentionScore &score, const FormulaBuilder &formula) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<double> scales;
  for (const DotProduct &dot : score.getDots()) {
    inputs.append({dot.query, dot.key});
    maps.append({formula.getMap(dot.queryAt), formula.getMap(dot.keyAt)});
    scales.push_back(dot.scale);
  }
  inputs.push_back(match.getValue());
  maps.push_back(formula.getMap(consumer.getInputMap(match.valueOperand).getResults()));
  llvm::append_range(inputs, formula.getReads());
  llvm::append_range(maps, formula.getReadMaps());

  SmallVector<Type> types = {consumer->getResult(0).getType()};
  ArrayAttr outputMaps;
  if (needsSums) {
    SmallVector<AffineExpr> all, row;
    SmallVector<IndexAttr> ofRow;
    for (unsigned i = 0; i != consumer.getNumOutputIndices(); ++i)
      all.push_back(rewriter.getAffineDimExpr(i));
    for (unsigned index : match.rowIndices) {
      row.push_back(all[index]);
      ofRow.push_back(consumer.getIndexAttr(index));
    }
    SmallVector<AffineMap> ofOutputs = {formula.getMap(all)};
    types.append(needsLargest ? 2 : 1, getTensorType(ofRow, rewriter.getF32Type()));
    ofOutputs.resize(types.size(), formula.getMap(row));
    outputMaps = rewriter.getAffineMapArrayAttr(ofOutputs);
  }
  bool isSoftmax = softmax || exponents;
  Location loc =
      rewriter.getFusedLoc({match.getWeights().getDefiningOp()->getLoc(), consumer.getLoc()});
  rewriter.setInsertionPoint(consumer);
  return AttentionOp::create(
      rewriter, loc, types,
      NormalizerAttr::get(rewriter.getContext(),
                          isSoftmax ? Normalizer::Softmax : Normalizer::None),
      inputs, ValueRange(), rewriter.getI64IntegerAttr(scales.size()), formula.getIndicesAttr(),
      rewriter.getAffineMapArrayAttr(maps), outputMaps, rewriter.getDenseF64ArrayAttr(scales),
      AffineMapAttr(), AffineMapAttr(), ArrayAttr());
}

AttentionOp AttentionFusion::build() {
  FormulaBuilder formula(rewriter.getContext(),
                         SmallVector<IndexAttr>(consumer.getIndices().getAsRange<IndexAttr>()));
  double numPoints =
      countPoints(consumer, getUsedIndices(consumer.getInputMap(match.weightOperand)));
  AttentionScore score(formula, consumer.getNumOutputIndices(), match.queries, numPoints);
  score.expectGone(gone);
  Value element, condition;
  if (!emitScore(score, formula, element, condition))
    return AttentionOp();
  AttentionOp attention = create(score, formula);
  finishRegion(formula.getBody(), attention.getScore(), element, attention.getLoc());
  if (condition)
    finishRegion(formula.getPredicate(), attention.getPredicate(), condition, attention.getLoc());
  if (match.scale == 1.0 && !exponents)
    copyLabel(consumer, attention);
  else
    labelPart(consumer, attention);
  formula.nameFolded(attention);
  addFolded(attention, match.getWeights().getDefiningOp());
  addFolded(attention, consumer);
  return attention;
}

AttentionOp AttentionFusion::fuseExponentials() {
  Exponentials sums(rewriter, match);
  gone = sums.getGone();
  needsLargest = sums.needsLargest();
  MapOp scores = sums.buildScores();
  exponents = scores->getResult(0);
  AttentionOp attention = build();
  rewriter.eraseOp(scores);
  if (attention)
    sums.replace(attention, buildScale(attention->getResult(0)));
  return attention;
}

/// The sums of the weights alone are the attention's second result, or copies of it.
void AttentionFusion::replaceTotals(AttentionOp attention) {
  for (WeightTotal &total : match.totals) {
    FormulaOpInterface formula = total.op;
    SmallVector<IndexAttr> indices = formula.getIndexList();
    indices.pop_back();
    SmallVector<AffineExpr> row;
    for (unsigned index : match.rowIndices)
      row.push_back(
          rewriter.getAffineDimExpr(llvm::find(total.indices, index) - total.indices.begin()));
    ElementWriter writer(rewriter, total.op.getLoc(), indices);
    MapOp map = writer.buildMap(total.op->getResult(0).getType(),
                                writer.read(attention->getResult(1), row));
    copyLabel(total.op, map);
    rewriter.replaceOp(total.op, map);
  }
}

/// The reductions of a softmax's scores that its attention gives.
void AttentionFusion::expectStatistics() {
  statistics = findStatistics(match);
  for (RowStatistic &statistic : statistics) {
    gone.push_back(statistic.op);
    needsLargest |= statistic.isLargest();
  }
  needsSums = !statistics.empty();
  auto dims = getDistinctDims(consumer.getInputMap(match.weightOperand));
  for (unsigned dim : *dims)
    if (dim != consumer.getNumOutputIndices())
      match.rowIndices.push_back(dim);
  llvm::sort(match.rowIndices);
}

Operation *AttentionFusion::run() {
  SmallVector<Operation *> formulas = match.getFormulas();
  Operation *weights = formulas.front();
  Block *block = weights->getBlock();
  bool hasTotals = needsSums = !match.totals.empty();
  if (hasTotals && readWhatIsMadeOf(formulas, ArrayRef(formulas).drop_front(2))) {
    reason = "what it sums depends on the sum of its weights";
    return nullptr;
  }
  if (match.areExponentials)
    return fuseExponentials();
  if (hasTotals)
    gone = formulas;
  if (softmax)
    expectStatistics();
  AttentionOp attention = build();
  if (!attention)
    return nullptr;
  Value sums = buildScale(attention->getResult(0));
  if (hasTotals)
    replaceTotals(attention);
  if (!statistics.empty()) {
    RowResults rows(rewriter, consumer, match.rowIndices, attention);
    replaceStatistics(rewriter, statistics, rows);
  }
  rewriter.replaceOp(consumer, sums);
  eraseIfDead(rewriter, weights);
  if (needsSums)
    sortTopologically(block);
  return attention;
}
