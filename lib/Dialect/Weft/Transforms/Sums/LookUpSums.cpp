//===- LookUpSums.cpp - sums with a row of a table that is chosen for each result -----------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A query times the key of a distance, sum(c) q[t, c] r[clip(s - t), c] (Shaw et al., 2018), is the
// same for all keys at that distance. As it is written it is a sum for each pair of positions; over
// the rows of the table it is a product of matrices, of which a pair looks one number up.
//
//===----------------------------------------------------------------------------------------===//

#include "Cost.h"
#include "ElementWriter.h"
#include "IndexDependence.h"
#include "ProductFactors.h"
#include "Separable.h"

using namespace mlir;
using namespace weft;

/// Results for each row of the table, at least: the product has at most half as many numbers.
static constexpr double kLeastShare = 2;

namespace {
class SumLookUp {
public:
  SumLookUp(RewriterBase &rewriter, ReduceOp sum)
      : rewriter(rewriter), sum(sum), formula(sum), used(formula.getNumIndices()) {}

  bool run();

private:
  bool isResult(unsigned position) { return position < formula.getNumOutputIndices(); }
  bool isSummed(const llvm::SmallBitVector &dependence) {
    return dependence.find_last() >= int(formula.getNumOutputIndices());
  }
  bool matchTable(Value factor);
  bool match();
  bool isWorthIt();
  Value buildProduct();
  Value buildReader(Value product);

  RewriterBase &rewriter;
  ReduceOp sum;
  FormulaOpInterface formula;
  double scale = 1.0;
  AtOp table;
  SmallVector<unsigned> chosen;     ///< dimensions of the table whose coordinates are computed
  SmallVector<Value> summed, outer; ///< the other factors
  llvm::SmallBitVector used;        ///< indices of the product
};
} // namespace

/// Some coordinates are indices, one of them summed over, the others computed from those of the
/// result.
bool SumLookUp::matchTable(Value factor) {
  table = factor.getDefiningOp<AtOp>();
  auto type = table ? dyn_cast<RankedTensorType>(table.getSource().getType()) : RankedTensorType();
  if (!type || !type.hasStaticShape())
    return false;
  chosen.clear();
  bool goesThrough = false;
  for (auto [dim, coordinate] : llvm::enumerate(table.getCoordinates())) {
    if (auto index = coordinate.getDefiningOp<weft::IndexOp>()) {
      unsigned position = index.getPosition();
      if (formula.getIndexAttr(position).getExtent() > type.getDimSize(dim))
        return false;
      goesThrough |= !isResult(position);
      continue;
    }
    if (isSummed(getDependence(formula, coordinate)))
      return false;
    chosen.push_back(dim);
  }
  return goesThrough && !chosen.empty();
}

bool SumLookUp::match() {
  if (!isPlainSum(sum))
    return false;
  SmallVector<Value> factors;
  collectFactors(sum.getBody().front().getTerminator()->getOperand(0), factors, scale);
  auto found = llvm::find_if(factors, [&](Value factor) { return matchTable(factor); });
  if (found == factors.end() || llvm::count(factors, *found) > 1)
    return false;
  for (Value factor : factors)
    if (factor != *found) {
      llvm::SmallBitVector own = getDependence(formula, factor);
      (isSummed(own) ? summed : outer).push_back(factor);
      if (isSummed(own))
        used |= own;
    }
  used.set(formula.getNumOutputIndices(), formula.getNumIndices());
  for (Value coordinate : table.getCoordinates())
    if (auto index = coordinate.getDefiningOp<weft::IndexOp>())
      used.set(index.getPosition());
  return !summed.empty() && isWorthIt();
}

/// Results are at least so many times as many as the product's.
bool SumLookUp::isWorthIt() {
  double rows = 1;
  for (unsigned dim : chosen)
    rows *= double(cast<ShapedType>(table.getSource().getType()).getDimSize(dim));
  return countPoints(formula) >= kLeastShare * rows * countPoints(formula, used);
}

/// Over the indices of the result that it depends on, then the rows, and those of the sum.
Value SumLookUp::buildProduct() {
  SmallVector<IndexAttr> indices;
  IndexValues now(formula.getNumIndices());
  auto addIndex = [&](IndexAttr index) {
    indices.push_back(index);
    return rewriter.getAffineDimExpr(indices.size() - 1);
  };
  for (unsigned i : used.set_bits())
    if (isResult(i))
      now[i].expr = addIndex(formula.getIndexAttr(i));
  SmallVector<AffineExpr> places(table.getCoordinates().size());
  SmallVector<IndexAttr> taken = formula.getIndexList();
  for (unsigned dim : chosen) {
    int64_t rows = cast<ShapedType>(table.getSource().getType()).getDimSize(dim);
    taken.push_back(withFreeName(
        IndexAttr::get(rewriter.getContext(), "n", "", rows, /*dynamic=*/false), taken));
    places[dim] = addIndex(taken.back());
  }
  Type type = getTensorType(indices, rewriter.getF32Type());
  for (unsigned i = formula.getNumOutputIndices(); i != formula.getNumIndices(); ++i)
    now[i].expr = addIndex(formula.getIndexAttr(i));
  for (auto [place, coordinate] : llvm::zip_equal(places, table.getCoordinates()))
    if (auto index = coordinate.getDefiningOp<weft::IndexOp>(); index && !place)
      place = now[index.getPosition()].expr;
  ElementWriter writer(rewriter, sum.getLoc(), indices);
  Value element;
  for (Value factor : summed)
    element = writer.multiply(element, writer.copy(formula, factor, now));
  element = writer.multiply(element, writer.read(table.getSource(), places));
  auto product = writer.buildReduce(type, element);
  labelPart(sum, product);
  return product->getResult(0);
}

Value SumLookUp::buildReader(Value product) {
  unsigned numResults = formula.getNumOutputIndices();
  SmallVector<IndexAttr> indices = formula.getIndexList();
  indices.truncate(numResults);
  ElementWriter writer(rewriter, sum.getLoc(), indices);
  IndexValues identity = getIdentityIndices(rewriter.getContext(), numResults);
  SmallVector<Value> coordinates;
  for (unsigned i : used.set_bits())
    if (isResult(i))
      coordinates.push_back(weft::IndexOp::create(writer.getBody(), writer.getLoc(), i));
  for (unsigned dim : chosen)
    coordinates.push_back(writer.copy(formula, table.getCoordinates()[dim], identity));
  Value element = AtOp::create(writer.getBody(), writer.getLoc(), rewriter.getF32Type(), product,
                               coordinates, table.getInbounds());
  for (Value factor : outer)
    element = writer.multiply(element, writer.copy(formula, factor, identity));
  MapOp reader = writer.buildMap(sum->getResult(0).getType(), writer.scale(element, scale));
  copyLabel(sum, reader);
  return reader->getResult(0);
}

bool SumLookUp::run() {
  if (!match())
    return false;
  rewriter.setInsertionPoint(sum);
  rewriter.replaceOp(sum, buildReader(buildProduct()));
  return true;
}

bool weft::lookUpSum(RewriterBase &rewriter, ReduceOp sum) {
  return SumLookUp(rewriter, sum).run();
}
