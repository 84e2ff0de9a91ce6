//===- SplitSums.cpp - sums of sums and of long products ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Cost.h"
#include "ElementWriter.h"
#include "ProductFactors.h"
#include "Separable.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

namespace {
/// A summand: factors times a constant.
struct Term {
  SmallVector<Value> factors;
  double scale = 1.0;
};
} // namespace

bool weft::isPlainSum(ReduceOp op) {
  return op && op.getKind() == ReduceKind::Sum && op.getPredicate().empty() &&
         !op.getOutputMapsAttr() &&
         cast<ShapedType>(op->getResult(0).getType()).getElementType().isF32();
}

static SmallVector<Value, 2> getAddends(Value value) {
  if (auto add = value.getDefiningOp<arith::AddFOp>())
    return {add.getLhs(), add.getRhs()};
  if (auto sub = value.getDefiningOp<arith::SubFOp>())
    return {sub.getLhs(), sub.getRhs()};
  return {};
}

static llvm::SmallBitVector getDependence(ReduceOp sum, const Term &term) {
  llvm::SmallBitVector used(sum.getNumIndices());
  for (Value factor : term.factors)
    used |= weft::getDependence(cast<FormulaOpInterface>(sum.getOperation()), factor);
  return used;
}

/// The terms of `sum` after distributing over the first factor that is itself a sum whose addends
/// have different indices; empty if there is none.
static SmallVector<Term> distribute(ReduceOp sum) {
  Term whole;
  collectFactors(sum.getBody().front().getTerminator()->getOperand(0), whole.factors, whole.scale);
  llvm::SmallBitVector all = getDependence(sum, whole);
  for (auto [i, factor] : llvm::enumerate(whole.factors)) {
    SmallVector<Value, 2> addends = getAddends(factor);
    // A factor with few indices is better a formula of its own than two sums.
    if (addends.empty() ||
        weft::getDependence(cast<FormulaOpInterface>(sum.getOperation()), factor) != all)
      continue;
    SmallVector<Term> terms;
    bool separates = false;
    for (auto [k, addend] : llvm::enumerate(addends)) {
      Term &term = terms.emplace_back();
      term.scale = whole.scale * (k && isa<arith::SubFOp>(factor.getDefiningOp()) ? -1.0 : 1.0);
      Term own;
      collectFactors(addend, own.factors, term.scale);
      llvm::SmallBitVector used = getDependence(sum, own);
      used.set(sum.getNumOutputIndices(), sum.getNumIndices());
      separates |= !used.all();
      ArrayRef<Value> factors = whole.factors;
      llvm::append_range(term.factors, factors.take_front(i));
      llvm::append_range(term.factors, own.factors);
      llvm::append_range(term.factors, factors.drop_front(i + 1));
    }
    // A term that is no product would gain nothing, and differences of large sums lose digits.
    separates &= llvm::all_of(terms, [](const Term &term) { return term.factors.size() > 1; });
    if (separates)
      return terms;
  }
  return {};
}

/// The sum of one term, over the indices of `sum`.
static ReduceOp buildSum(RewriterBase &rewriter, ReduceOp sum, const Term &term) {
  ElementWriter writer(rewriter, sum.getLoc(), FormulaOpInterface(sum).getIndexList());
  IndexValues indices = getIdentityIndices(rewriter.getContext(), sum.getNumIndices());
  Value product;
  for (Value factor : term.factors)
    product = writer.multiply(product, writer.copy(sum, factor, indices));
  product = product ? writer.scale(product, term.scale) : writer.constant(term.scale);
  ReduceOp op = writer.buildReduce(sum->getResult(0).getType(), product, sum.getKind());
  labelPart(sum, op);
  return op;
}

bool weft::splitTerms(RewriterBase &rewriter, ReduceOp sum, SmallVectorImpl<ReduceOp> &sums) {
  if (!isPlainSum(sum))
    return false;
  SmallVector<Term> terms = distribute(sum);
  if (terms.empty())
    return false;
  Location loc = sum.getLoc();
  rewriter.setInsertionPoint(sum);
  SmallVector<IndexAttr> indices = FormulaOpInterface(sum).getIndexList();
  indices.truncate(sum.getNumOutputIndices());
  ElementWriter writer(rewriter, loc, indices);
  Value total;
  for (const Term &term : terms) {
    sums.push_back(buildSum(rewriter, sum, term));
    Value value = writer.read(sums.back()->getResult(0));
    total = total ? arith::AddFOp::create(writer.getBody(), loc, total, value) : value;
  }
  MapOp map = writer.buildMap(sum->getResult(0).getType(), total);
  copyLabel(sum, map);
  rewriter.replaceOp(sum, map->getResult(0));
  return true;
}

namespace {
/// Two factors to be multiplied first.
struct FactorPair {
  unsigned first = 0, second = 0;
  double size = std::numeric_limits<double>::infinity(); ///< products to form
  llvm::SmallBitVector used, reduced;
};
} // namespace

static FactorPair choosePair(ReduceOp sum, ArrayRef<Value> factors) {
  auto formula = cast<FormulaOpInterface>(sum.getOperation());
  SmallVector<llvm::SmallBitVector> used;
  for (Value factor : factors)
    used.push_back(weft::getDependence(formula, factor));
  FactorPair best;
  for (unsigned i = 0; i != factors.size(); ++i)
    for (unsigned j = i + 1; j != factors.size(); ++j) {
      llvm::SmallBitVector both = used[i];
      both |= used[j];
      double size = countPoints(formula, both);
      if (both.all() || size >= best.size)
        continue;
      llvm::SmallBitVector reduced = both;
      reduced.reset(0, formula.getNumOutputIndices());
      for (unsigned k = 0; k != factors.size(); ++k)
        if (k != i && k != j)
          reduced.reset(used[k]);
      best = {i, j, size, both, reduced};
    }
  return best;
}

bool weft::splitFactors(RewriterBase &rewriter, ReduceOp sum, SmallVectorImpl<ReduceOp> &sums) {
  if (!isPlainSum(sum))
    return false;
  Term term;
  Operation *yield = sum.getBody().front().getTerminator();
  collectFactors(yield->getOperand(0), term.factors, term.scale);
  if (term.factors.size() < 3)
    return false;
  FactorPair pair = choosePair(sum, term.factors);
  // A sum that would need no rest is a contraction of two; leave it to form-contractions.
  if (pair.used.empty() || pair.reduced.count() + sum.getNumOutputIndices() == sum.getNumIndices())
    return false;

  rewriter.setInsertionPoint(yield);
  Value product = arith::MulFOp::create(rewriter, sum.getLoc(), term.factors[pair.first],
                                        term.factors[pair.second]);
  rewriter.setInsertionPoint(sum);
  auto [tensor, map] = outlineFormula(
      rewriter, sum, product, llvm::to_vector_of<unsigned>(pair.used.set_bits()), pair.reduced);
  if (auto inner = tensor.getDefiningOp<ReduceOp>())
    sums.push_back(inner);

  SmallVector<IndexAttr> indices;
  IndexValues values(sum.getNumIndices(), {rewriter.getAffineConstantExpr(0), Value()});
  for (unsigned i = 0, e = sum.getNumIndices(); i != e; ++i)
    if (!pair.reduced.test(i)) {
      values[i].expr = rewriter.getAffineDimExpr(indices.size());
      indices.push_back(sum.getIndexAttr(i));
    }
  ElementWriter writer(rewriter, sum.getLoc(), indices);
  Value result = writer.readAt(tensor, map, values);
  for (auto [i, factor] : llvm::enumerate(term.factors))
    if (i != pair.first && i != pair.second)
      result = writer.multiply(result, writer.copy(sum, factor, values));
  result = writer.scale(result, term.scale);
  ReduceOp op = writer.buildReduce(sum->getResult(0).getType(), result, sum.getKind());
  copyLabel(sum, op);
  rewriter.replaceOp(sum, op->getResult(0));
  sums.push_back(op);
  return true;
}
