//===- MergeSums.cpp - sums of products of sums ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Scores that heads mix before a softmax (talking heads, Shazeer et al., 2020) are sums of sums,
// sum(h) m[g, h] sum(c) q[h, t, c] k[h, s, c]: of each pair of positions one in the other, which no
// matrix unit multiplies. Over both indices at once they are products of wider heads, whose queries
// are mixed once: sum(h, c) (m[g, h] q[h, t, c]) k[h, s, c].
//
//===----------------------------------------------------------------------------------------===//

#include "Attention/PositionPairs.h"
#include "Cost.h"
#include "ElementWriter.h"
#include "ProductFactors.h"
#include "Separable.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

/// Terms of the outer sum, at most: each is computed again for every result.
static constexpr int64_t kMostTerms = 64;
/// Numbers that mixed queries have at most, if they are more than the scores.
static constexpr double kMostMixed = 1 << 24;

namespace {
/// The factors of a formula's element, at these values of its indices.
struct Factors {
  FormulaOpInterface formula;
  IndexValues indices;
  SmallVector<Value> values;
  double scale = 1.0;
};
} // namespace

static Factors getFactors(FormulaOpInterface formula, IndexValues indices) {
  Factors factors{formula, std::move(indices), {}, 1.0};
  Value element = formula->getRegion(0).front().getTerminator()->getOperand(0);
  collectFactors(element, factors.values, factors.scale);
  return factors;
}

/// What makes the tensor that `value` is an element of, if nothing else reads it, and its indices
/// there.
static std::optional<Factors> getProducer(Factors &from, Value value) {
  auto element = dyn_cast<BlockArgument>(value);
  if (!element || element.getOwner() != &from.formula->getRegion(0).front())
    return std::nullopt;
  Value tensor = from.formula.getInputs()[element.getArgNumber()];
  auto producer = dyn_cast_or_null<FormulaOpInterface>(tensor.getDefiningOp());
  if (!producer || !tensor.hasOneUse() || producer->getNumResults() != 1 ||
      !(isa<MapOp>(producer) || isPlainSum(dyn_cast<ReduceOp>(producer.getOperation()))))
    return std::nullopt;
  AffineMap map = from.formula.getInputMap(element.getArgNumber());
  SmallVector<AffineExpr> exprs;
  for (const IndexValue &index : from.indices)
    exprs.push_back(index.expr);
  IndexValues indices;
  for (AffineExpr place : map.getResults())
    indices.push_back({place.replaceDims(exprs), Value()});
  return getFactors(producer, std::move(indices));
}

/// The sum that a factor is, maybe times a constant, with what scales it.
static std::optional<Factors> findSum(Factors &outer, Value value) {
  std::optional<Factors> found = getProducer(outer, value);
  double scale = 1.0;
  while (found && isa<MapOp>(found->formula)) {
    auto map = cast<MapOp>(found->formula.getOperation());
    if (found->values.size() != 1 || map.getOutputMapsAttr())
      return std::nullopt;
    scale *= found->scale;
    found = getProducer(*found, found->values[0]);
  }
  if (found)
    found->scale *= scale;
  return found;
}

static double countTerms(FormulaOpInterface sum) {
  llvm::SmallBitVector reduced(sum.getNumIndices());
  reduced.set(sum.getNumOutputIndices(), sum.getNumIndices());
  return countPoints(sum, reduced);
}

/// Whether the results are those of two positions.
static bool isOverPairs(FormulaOpInterface formula) {
  llvm::SmallBitVector results(formula.getNumIndices());
  results.set(0, formula.getNumOutputIndices());
  return hasTwoPositions(formula, results);
}

/// Whether the sum is over few terms that are no positions, of pairs of positions, and makes
/// weights of keys: scores that are kept would be no less.
static bool makesScores(ReduceOp sum) {
  FormulaOpInterface formula = sum;
  int64_t terms = 1;
  for (unsigned i = formula.getNumOutputIndices(); i != formula.getNumIndices(); ++i) {
    if (formula.getIndexAttr(i).getDynamic())
      return false;
    terms *= formula.getIndexAttr(i).getSize();
    if (terms > kMostTerms)
      return false;
  }
  PositionPairs pairs;
  return isOverPairs(formula) &&
         llvm::any_of(llvm::seq(formula.getNumOutputIndices()), [&](unsigned dim) {
           return formula.getIndexAttr(dim).getDynamic() &&
                  pairs.areWeightsOver(sum->getResult(0), dim);
         });
}

/// Whether what is mixed once, for each query and all terms of both sums, takes little memory.
static bool isSmall(FormulaOpInterface outer, FormulaOpInterface inner) {
  double results = countPoints(inner) / countTerms(inner), keys = results;
  for (unsigned i = 0, e = outer.getNumOutputIndices(); i != e; ++i)
    if (IndexAttr index = outer.getIndexAttr(i); index.getDynamic())
      keys = std::min<double>(keys, double(index.getSize()));
  double mixed = countPoints(outer) / keys * countTerms(inner);
  return mixed <= std::max(results, kMostMixed);
}

bool weft::mergeSums(RewriterBase &rewriter, ReduceOp sum) {
  if (!isPlainSum(sum) || !makesScores(sum))
    return false;
  FormulaOpInterface formula = sum;
  Factors outer =
      getFactors(formula, getIdentityIndices(rewriter.getContext(), formula.getNumIndices()));
  std::optional<Factors> inner;
  Value merged;
  for (Value value : outer.values) {
    inner = findSum(outer, value);
    merged = value;
    if (inner)
      break;
  }
  if (!inner || outer.values.size() < 2 || llvm::count(outer.values, merged) > 1 ||
      !isOverPairs(inner->formula) || !isSmall(formula, inner->formula))
    return false;
  SmallVector<IndexAttr> indices = formula.getIndexList();
  for (unsigned i = inner->formula.getNumOutputIndices(); i != inner->formula.getNumIndices();
       ++i) {
    indices.push_back(withFreeName(inner->formula.getIndexAttr(i), indices));
    inner->indices.push_back({rewriter.getAffineDimExpr(indices.size() - 1), Value()});
  }
  rewriter.setInsertionPoint(sum);
  ElementWriter writer(rewriter, sum.getLoc(), indices);
  Value product;
  auto multiply = [&](const Factors &factors, Value value) {
    product = writer.multiply(product, writer.copy(factors.formula, value, factors.indices));
  };
  for (Value value : outer.values)
    if (value != merged)
      multiply(outer, value);
  for (Value value : inner->values)
    multiply(*inner, value);
  product = writer.scale(product, outer.scale * inner->scale);
  ReduceOp op = writer.buildReduce(sum->getResult(0).getType(), product);
  copyLabel(sum, op);
  addFolded(op, inner->formula);
  rewriter.replaceOp(sum, op->getResult(0));
  return true;
}
