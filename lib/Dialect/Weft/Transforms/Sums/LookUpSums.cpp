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

#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

/// Results for each row of the table, at least: the product has at most half as many numbers; of
/// distances twice as many, as each takes much less than a sum that gathers. What data choose may
/// be few of many, as experts are.
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
  bool isChosen(AffineExpr place);
  bool matchPlaces(Value factor);
  bool matchTable(Value factor);
  bool match();
  bool isWorthIt();
  Value buildProduct();
  Value readProduct(ElementWriter &writer, Value product);
  Value buildReader(Value product);

  RewriterBase &rewriter;
  ReduceOp sum;
  FormulaOpInterface formula;
  double scale = 1.0;
  /// Where an element of the table is along a dimension: at an index, or as is computed.
  struct Place {
    std::optional<unsigned> index;
    AffineExpr expr; ///< of the formula's indices
    Value value;
  };
  Value table;
  bool isInbounds = false;
  SmallVector<Place> places;
  SmallVector<unsigned> chosen;     ///< dimensions of the table whose places are computed
  SmallVector<Value> summed, outer; ///< the other factors
  llvm::SmallBitVector used;        ///< indices of the product
};
} // namespace

/// As in t - s: other indices that move by the same step are the same row. Rows of one index alone,
/// or numbered by two, as those of blocks, are a matrix as they are.
bool SumLookUp::isChosen(AffineExpr place) {
  auto steps = getLinearCoefficients(place, formula.getNumIndices());
  if (!steps)
    return false;
  SmallVector<int64_t> sizes;
  for (unsigned i = 0; i != formula.getNumOutputIndices(); ++i)
    if ((*steps)[i] != 0)
      sizes.push_back(std::abs((*steps)[i]));
  llvm::sort(sizes);
  return std::adjacent_find(sizes.begin(), sizes.end()) != sizes.end();
}

bool SumLookUp::matchPlaces(Value factor) {
  places.clear();
  if (auto at = factor.getDefiningOp<AtOp>()) {
    table = at.getSource();
    isInbounds = at.getInbounds();
    for (Value coordinate : at.getCoordinates())
      if (auto index = coordinate.getDefiningOp<weft::IndexOp>())
        places.push_back({index.getPosition(), {}, {}});
      else
        places.push_back({std::nullopt, {}, coordinate});
    return true;
  }
  auto argument = dyn_cast<BlockArgument>(factor);
  if (!argument || argument.getOwner() != &sum.getBody().front())
    return false;
  table = formula.getInputs()[argument.getArgNumber()];
  for (AffineExpr expr : formula.getInputMap(argument.getArgNumber()).getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      places.push_back({dim.getPosition(), {}, {}});
    else if (isChosen(expr))
      places.push_back({std::nullopt, expr, {}});
    else
      return false;
  return true;
}

/// Some coordinates are indices, one of them summed over, the others computed from those of the
/// result.
bool SumLookUp::matchTable(Value factor) {
  chosen.clear();
  if (!matchPlaces(factor))
    return false;
  auto type = dyn_cast<RankedTensorType>(table.getType());
  if (!type || !type.hasStaticShape())
    return false;
  bool goesThrough = false;
  for (auto [dim, place] : llvm::enumerate(places)) {
    if (place.index) {
      if (formula.getIndexAttr(*place.index).getExtent() > type.getDimSize(dim))
        return false;
      goesThrough |= !isResult(*place.index);
      continue;
    }
    bool dependsOnSum = place.value && isSummed(getDependence(formula, place.value));
    for (unsigned i = formula.getNumOutputIndices(); place.expr && i != formula.getNumIndices();
         ++i)
      dependsOnSum |= place.expr.isFunctionOfDim(i);
    if (dependsOnSum)
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
  for (const Place &place : places)
    if (place.index)
      used.set(*place.index);
  return !summed.empty() && isWorthIt();
}

/// Results share rows, are so many for each of the product's, and there is memory for these.
bool SumLookUp::isWorthIt() {
  double rows = 1;
  SmallVector<IndexAttr> indices;
  for (unsigned dim : chosen) {
    int64_t size = cast<ShapedType>(table.getType()).getDimSize(dim);
    rows *= double(size);
    indices.push_back(IndexAttr::get(rewriter.getContext(), "n", "", size, /*dynamic=*/false));
  }
  for (unsigned i : used.set_bits())
    if (isResult(i))
      indices.push_back(formula.getIndexAttr(i));
  double points = countPoints(formula), own = countPoints(formula, used);
  double share = places[chosen.front()].expr ? kLeastShareOfDistances : kLeastShare;
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
  SmallVector<AffineExpr> rowPlaces(places.size());
  SmallVector<IndexAttr> taken = formula.getIndexList();
  for (unsigned dim : chosen) {
    int64_t rows = cast<ShapedType>(table.getType()).getDimSize(dim);
    taken.push_back(withFreeName(
        IndexAttr::get(rewriter.getContext(), "n", "", rows, /*dynamic=*/false), taken));
    rowPlaces[dim] = addIndex(taken.back());
  }
  Type type = getTensorType(indices, rewriter.getF32Type());
  for (unsigned i = formula.getNumOutputIndices(); i != formula.getNumIndices(); ++i)
    now[i].expr = addIndex(formula.getIndexAttr(i));
  for (auto [rowPlace, place] : llvm::zip_equal(rowPlaces, places))
    if (place.index)
      rowPlace = now[*place.index].expr;
  ElementWriter writer(rewriter, sum.getLoc(), indices);
  Value element;
  for (Value factor : summed)
    element = writer.multiply(element, writer.copy(formula, factor, now));
  element = writer.multiply(element, writer.read(table, rowPlaces));
  auto product = writer.buildReduce(type, element);
  labelPart(sum, product);
  return product->getResult(0);
}

/// At the indices that it has of the result, then at the places that are computed.
Value SumLookUp::readProduct(ElementWriter &writer, Value product) {
  MLIRContext *context = rewriter.getContext();
  if (places[chosen.front()].expr) {
    SmallVector<AffineExpr> exprs;
    for (unsigned i : used.set_bits())
      if (isResult(i))
        exprs.push_back(getAffineDimExpr(i, context));
    for (unsigned dim : chosen)
      exprs.push_back(places[dim].expr);
    return writer.read(product, exprs);
  }
  IndexValues identity = getIdentityIndices(context, formula.getNumOutputIndices());
  SmallVector<Value> coordinates;
  for (unsigned i : used.set_bits())
    if (isResult(i))
      coordinates.push_back(weft::IndexOp::create(writer.getBody(), writer.getLoc(), i));
  for (unsigned dim : chosen)
    coordinates.push_back(writer.copy(formula, places[dim].value, identity));
  return AtOp::create(writer.getBody(), writer.getLoc(), rewriter.getF32Type(), product,
                      coordinates, isInbounds);
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
