//===- FormChoices.cpp - weft-form-choices --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A token reads the matrices of a few experts, and an expert's matrix is read by many tokens: as
// sums of gathered rows it is read again for each, as a product once for all that choose it.
//
//===----------------------------------------------------------------------------------------===//

#include "FormulaBuilder.h"
#include "ProductFactors.h"
#include "weft/Dialect/Weft/IR/AccessRange.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {
#define GEN_PASS_DEF_FORMCHOICESPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
class ChoiceFormer {
public:
  ChoiceFormer(RewriterBase &rewriter, ReduceOp reduce)
      : rewriter(rewriter), reduce(reduce), formula(reduce) {}

  bool run();

private:
  bool match();
  bool matchColumns(Value factor);
  bool matchIndices();
  bool matchRows(ArrayRef<Value> factors);
  bool isPlace(unsigned position) {
    return llvm::is_contained(places, rewriter.getAffineDimExpr(position));
  }
  AffineMap getMap(BlockArgument element) { return formula.getInputMap(element.getArgNumber()); }
  Value getTensor(BlockArgument element) { return reduce.getInputs()[element.getArgNumber()]; }

  Value buildProduct();

  RewriterBase &rewriter;
  ReduceOp reduce;
  FormulaOpInterface formula;
  double scale = 1.0;
  AtOp columns;                       ///< the element of the chosen matrix
  SmallVector<AffineExpr> places;     ///< its coordinates; null for the choice
  BlockArgument choice, rows;         ///< elements of inputs
  SmallVector<Value> outer;           ///< factors behind the product
  SmallVector<unsigned> kept, summed; ///< reduced indices by which is chosen, and the others
};
} // namespace

/// An element of a matrix: one coordinate is data, each of the others an index that goes through
/// all of its dimension.
bool ChoiceFormer::matchColumns(Value factor) {
  columns = factor.getDefiningOp<AtOp>();
  auto type = columns ? cast<RankedTensorType>(columns.getSource().getType()) : RankedTensorType();
  if (!type || !type.hasStaticShape())
    return false;
  places.clear();
  choice = {};
  for (auto [dim, coordinate] : llvm::enumerate(columns.getCoordinates())) {
    if (auto index = coordinate.getDefiningOp<weft::IndexOp>()) {
      unsigned position = index.getPosition();
      if (isPlace(position) || formula.getIndexAttr(position).getExtent() != type.getDimSize(dim))
        return false;
      places.push_back(rewriter.getAffineDimExpr(position));
      continue;
    }
    auto cast = coordinate.getDefiningOp<arith::IndexCastOp>();
    auto element = cast ? dyn_cast<BlockArgument>(cast.getIn()) : BlockArgument();
    if (!element || choice || !element.getType().isInteger(32) ||
        !(columns.getInbounds() || isCheckedBelow(getTensor(element), type.getDimSize(dim))))
      return false;
    choice = element;
    places.push_back({});
  }
  return bool(choice);
}

/// What is summed over and does not choose is of the matrix; so is an index of the result, which
/// numbers columns.
bool ChoiceFormer::matchIndices() {
  AffineMap by = getMap(choice);
  unsigned numOutputs = formula.getNumOutputIndices();
  for (unsigned i = numOutputs; i != formula.getNumIndices(); ++i)
    (by.isFunctionOfDim(i) ? kept : summed).push_back(i);
  auto isColumn = [&](unsigned i) { return isPlace(i) && !by.isFunctionOfDim(i); };
  return !summed.empty() && llvm::all_of(summed, isColumn) &&
         llvm::none_of(kept, [&](unsigned i) { return isPlace(i); }) &&
         llvm::any_of(llvm::seq(numOutputs), isColumn);
}

/// One of the other factors is summed over with the matrix: an element of an input.
bool ChoiceFormer::matchRows(ArrayRef<Value> factors) {
  for (Value factor : factors) {
    llvm::SmallBitVector used = getDependence(formula, factor);
    if (factor == columns.getResult())
      continue;
    if (llvm::none_of(summed, [&](unsigned i) { return used.test(i); })) {
      outer.push_back(factor);
      continue;
    }
    if (rows || !isa<BlockArgument>(factor) ||
        !llvm::all_of(summed, [&](unsigned i) { return used.test(i); }))
      return false;
    rows = cast<BlockArgument>(factor);
  }
  return bool(rows);
}

bool ChoiceFormer::match() {
  if (reduce.getKind() != ReduceKind::Sum || !reduce.getPredicate().empty() ||
      !getComputeTypeOf(reduce->getResult(0)).isF32())
    return false;
  SmallVector<Value> factors;
  collectFactors(reduce.getBody().front().getTerminator()->getOperand(0), factors, scale);
  return llvm::any_of(factors, [&](Value factor) { return matchColumns(factor); }) &&
         matchIndices() && matchRows(factors);
}

/// Over the indices of the result and those by which is chosen.
Value ChoiceFormer::buildProduct() {
  unsigned numOutputs = formula.getNumOutputIndices();
  SmallVector<IndexAttr> indices = formula.getIndexList(), ordered(indices);
  ordered.truncate(numOutputs);
  SmallVector<AffineExpr> now;
  for (unsigned i = 0; i != numOutputs; ++i)
    now.push_back(rewriter.getAffineDimExpr(i));
  now.resize(indices.size());
  for (ArrayRef<unsigned> positions : {ArrayRef(kept), ArrayRef(summed)})
    for (unsigned i : positions) {
      now[i] = rewriter.getAffineDimExpr(ordered.size());
      ordered.push_back(indices[i]);
    }
  auto source = cast<RankedTensorType>(columns.getSource().getType());
  AffineExpr chosen = rewriter.getAffineDimExpr(ordered.size());
  int64_t number = source.getDimSize(llvm::find(places, AffineExpr()) - places.begin());
  ordered.push_back(
      withFreeName(IndexAttr::get(rewriter.getContext(), "e", "", number, false), ordered));
  auto getNow = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(now, {}, ordered.size(), /*numResultSyms=*/0);
  };
  SmallVector<AffineExpr> read = llvm::map_to_vector(
      places, [&](AffineExpr place) { return place ? place.replaceDims(now) : chosen; });
  AffineMap maps[] = {getNow(getMap(rows)),
                      AffineMap::get(ordered.size(), 0, read, rewriter.getContext()),
                      getNow(getMap(choice))};
  bool isAll = kept.empty() && outer.empty();
  Type type = isAll ? reduce->getResult(0).getType()
                    : getTensorType(ArrayRef(ordered).take_front(numOutputs + kept.size()),
                                    rewriter.getF32Type());
  auto op = ContractOp::create(rewriter, reduce.getLoc(), type,
                               ValueRange{getTensor(rows), columns.getSource(), getTensor(choice)},
                               Value(), getIndexArray(rewriter.getContext(), ordered),
                               rewriter.getAffineMapArrayAttr(maps), ArrayAttr(),
                               rewriter.getF64FloatAttr(scale), rewriter.getUnitAttr(), UnitAttr());
  isAll ? copyLabel(reduce, op) : labelPart(reduce, op);
  return op->getResult(0);
}

bool ChoiceFormer::run() {
  if (!match())
    return false;
  rewriter.setInsertionPoint(reduce);
  rewriter.replaceOp(reduce, multiplyBehind(rewriter, reduce, buildProduct(), outer, kept));
  return true;
}

namespace {
class FormChoicesPass : public weft::impl::FormChoicesPassBase<FormChoicesPass> {
public:
  using FormChoicesPassBase::FormChoicesPassBase;

  void runOnOperation() override {
    SmallVector<ReduceOp> reduces;
    getOperation()->walk([&](ReduceOp op) { reduces.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (ReduceOp reduce : reduces)
      if (ChoiceFormer(rewriter, reduce).run())
        ++numFormed;
  }
};
} // namespace
