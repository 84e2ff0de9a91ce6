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
#include "ProductFactors.h"
#include "Separable.h"
#include "TableRead.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

/// Results for each row of the table, at least: the product has at most half as many numbers; of
/// distances, which positions alone say, twice as many, as each takes much less than a sum that
/// gathers. What data choose may be few of many, as experts are.
static constexpr double kLeastShare = 2, kLeastShareOfDistances = 0.49;

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
  bool match();
  bool isWorthIt();
  Value buildProduct();
  Value readProduct(ElementWriter &writer, Value product);
  Value buildReader(Value product);

  RewriterBase &rewriter;
  ReduceOp sum;
  FormulaOpInterface formula;
  double scale = 1.0;
  TableRead read;
  SmallVector<Value> summed, outer; ///< the other factors
  llvm::SmallBitVector used;        ///< indices of the product
};
} // namespace

bool SumLookUp::match() {
  if (!isPlainSum(sum))
    return false;
  SmallVector<Value> factors;
  collectFactors(sum.getBody().front().getTerminator()->getOperand(0), factors, scale);
  auto found = llvm::find_if(factors, [&](Value factor) {
    std::optional<TableRead> match = TableRead::match(sum, factor);
    read = match.value_or(TableRead());
    return match.has_value();
  });
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
  for (const TableRead::Place &place : read.places)
    if (place.index)
      used.set(*place.index);
  return !summed.empty() && isWorthIt();
}

/// Results share rows, are so many for each of the product's, and there is memory for these.
bool SumLookUp::isWorthIt() {
  double rows = 1;
  SmallVector<IndexAttr> indices;
  for (unsigned i : used.set_bits())
    if (isResult(i))
      indices.push_back(formula.getIndexAttr(i));
  for (unsigned dim : read.chosen) {
    indices.push_back(read.getRows(dim));
    rows *= countValues(indices.back());
  }
  double points = countPoints(formula), own = countPoints(formula, used);
  double share = read.isDistance(sum) ? kLeastShareOfDistances : kLeastShare;
  return points >= 2 * own && points >= share * rows * own &&
         mayBeMade(getTensorType(indices, rewriter.getF32Type()));
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
  SmallVector<AffineExpr> rowPlaces(read.places.size());
  SmallVector<IndexAttr> taken = formula.getIndexList();
  for (unsigned dim : read.chosen) {
    taken.push_back(withFreeName(read.getRows(dim), taken));
    rowPlaces[dim] = addIndex(taken.back());
  }
  Type type = getTensorType(indices, rewriter.getF32Type());
  for (unsigned i = formula.getNumOutputIndices(); i != formula.getNumIndices(); ++i)
    now[i].expr = addIndex(formula.getIndexAttr(i));
  for (auto [rowPlace, place] : llvm::zip_equal(rowPlaces, read.places))
    if (place.index)
      rowPlace = now[*place.index].expr;
  ElementWriter writer(rewriter, sum.getLoc(), indices);
  Value element;
  for (Value factor : summed)
    element = writer.multiply(element, writer.copy(formula, factor, now));
  element = writer.multiply(element, writer.read(read.table, rowPlaces));
  auto product = writer.buildReduce(type, element);
  labelPart(sum, product);
  return product->getResult(0);
}

/// At the indices that it has of the result, then at the places that are computed.
Value SumLookUp::readProduct(ElementWriter &writer, Value product) {
  MLIRContext *context = rewriter.getContext();
  if (read.places[read.chosen.front()].expr) {
    SmallVector<AffineExpr> exprs;
    for (unsigned i : used.set_bits())
      if (isResult(i))
        exprs.push_back(getAffineDimExpr(i, context));
    for (unsigned dim : read.chosen)
      exprs.push_back(read.places[dim].expr);
    return writer.read(product, exprs);
  }
  IndexValues identity = getIdentityIndices(context, formula.getNumOutputIndices());
  SmallVector<Value> coordinates;
  for (unsigned i : used.set_bits())
    if (isResult(i))
      coordinates.push_back(weft::IndexOp::create(writer.getBody(), writer.getLoc(), i));
  for (unsigned dim : read.chosen)
    coordinates.push_back(writer.copy(formula, read.places[dim].value, identity));
  return AtOp::create(writer.getBody(), writer.getLoc(), rewriter.getF32Type(), product,
                      coordinates, read.isInbounds);
}

Value SumLookUp::buildReader(Value product) {
  unsigned numResults = formula.getNumOutputIndices();
  SmallVector<IndexAttr> indices = formula.getIndexList();
  indices.truncate(numResults);
  ElementWriter writer(rewriter, sum.getLoc(), indices);
  IndexValues identity = getIdentityIndices(rewriter.getContext(), numResults);
  Value element = readProduct(writer, product);
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
