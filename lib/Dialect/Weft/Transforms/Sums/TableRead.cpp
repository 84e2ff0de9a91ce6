//===- TableRead.cpp - where a factor of a sum reads its table ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TableRead.h"

#include "weft/Dialect/Weft/IR/IndexDependence.h"

#include "weft/Dialect/Weft/IR/Product.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace weft;

/// Whether `place` rests on an element of a tensor.
static bool readsData(Value place, Operation *formula) {
  SetVector<Operation *> code;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return formula->isProperAncestor(op); };
  if (failed(getBackwardSlice(place, &code, options)))
    return true;
  return llvm::any_of(code, [](Operation *op) {
    return isa<AtOp>(op) || llvm::any_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
  });
}

/// As in t - s: other indices that move by the same step are the same row. Rows of one index alone,
/// or numbered by two, as those of blocks, are a matrix as they are.
static bool isChosen(FormulaOpInterface formula, AffineExpr place) {
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

bool TableRead::matchPlaces(ReduceOp sum, Value factor) {
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
  FormulaOpInterface formula = sum;
  table = formula.getInputs()[argument.getArgNumber()];
  for (AffineExpr expr : formula.getInputMap(argument.getArgNumber()).getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      places.push_back({dim.getPosition(), {}, {}});
    else if (isChosen(formula, expr))
      places.push_back({std::nullopt, expr, {}});
    else
      return false;
  return true;
}

/// The indices of the formula on which a computed place depends.
static llvm::SmallBitVector getIndices(FormulaOpInterface formula, const TableRead::Place &place) {
  return place.expr ? getUsedIndices(place.expr, formula.getNumIndices())
                    : getDependence(formula, place.value);
}

/// Whether all values of the index are places along dimension `dim`.
static bool isWithin(IndexAttr index, RankedTensorType type, unsigned dim) {
  if (type.isDynamicDim(dim))
    return index.getDynamic() && index.getDim() == getSymbol(type, dim);
  return index.getSize() <= type.getDimSize(dim);
}

std::optional<TableRead> TableRead::match(ReduceOp sum, Value factor) {
  TableRead read;
  FormulaOpInterface formula = sum;
  if (!read.matchPlaces(sum, factor))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(read.table.getType());
  if (!type)
    return std::nullopt;
  unsigned numResults = formula.getNumOutputIndices();
  bool goesThrough = false;
  for (auto [dim, place] : llvm::enumerate(read.places)) {
    if (place.index) {
      if (!isWithin(formula.getIndexAttr(*place.index), type, dim))
        return std::nullopt;
      goesThrough |= *place.index >= numResults;
      continue;
    }
    if (getIndices(formula, place).find_last() >= int(numResults))
      return std::nullopt;
    read.chosen.push_back(dim);
  }
  return goesThrough && !read.chosen.empty() ? std::optional(read) : std::nullopt;
}

bool TableRead::isDistance(ReduceOp sum) const {
  llvm::SmallBitVector positions(sum.getIndices().size());
  for (unsigned dim : chosen) {
    if (places[dim].value && readsData(places[dim].value, sum))
      return false;
    positions |= getIndices(sum, places[dim]);
  }
  return positions.count() > 1;
}

IndexAttr TableRead::getRows(unsigned dim) const {
  auto type = cast<RankedTensorType>(table.getType());
  return IndexAttr::get(type.getContext(), "n", getSymbol(type, dim), getBound(type, dim),
                        type.isDynamicDim(dim));
}
