//===- ReadPlaces.cpp - formulas that each reader reads elsewhere ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ReadPlaces.h"
#include "FormulaBuilder.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;
using namespace weft;

AffineMap weft::getReadMap(OpOperand &use) {
  auto reader = dyn_cast<FormulaOpInterface>(use.getOwner());
  unsigned input = use.getOperandNumber();
  return reader && input < reader.getInputs().size() ? reader.getInputMap(input) : AffineMap();
}

namespace {
/// Where a formula reads along a dimension: from `offset` on, each `step`, so many places; by its
/// index `index`, if it is no constant.
struct Place {
  int64_t offset, step = 1, size = 1;
  std::optional<unsigned> index = {};

  bool isApart(const Place &other) const {
    if (step == other.step && (offset - other.offset) % step != 0)
      return true;
    return offset + step * (size - 1) < other.offset ||
           other.offset + other.step * (other.size - 1) < offset;
  }
};
} // namespace

static std::optional<Place> matchPlace(OpOperand &use, unsigned dim) {
  AffineMap map = getReadMap(use);
  SmallVector<int64_t> terms; // a coefficient for each index, then the constant
  if (!map || failed(getFlattenedAffineExpr(map.getResult(dim), map.getNumDims(), 0, &terms)) ||
      terms.size() != map.getNumDims() + 1)
    return std::nullopt;
  Place place{terms.pop_back_val()};
  for (auto [i, step] : llvm::enumerate(terms)) {
    if (step == 0)
      continue;
    IndexAttr index = cast<FormulaOpInterface>(use.getOwner()).getIndexAttr(i);
    if (step < 0 || place.index || index.getDynamic())
      return std::nullopt;
    place.step = step;
    place.size = index.getSize();
    place.index = i;
  }
  return place;
}

/// Whether no two readers share a place along the dimension.
static bool areApart(Value tensor, unsigned dim) {
  SmallVector<Place> places;
  for (OpOperand &use : tensor.getUses()) {
    std::optional<Place> place = matchPlace(use, dim);
    auto isApart = [&](const Place &other) { return place->isApart(other); };
    if (!place || !llvm::all_of(places, isApart))
      return false;
    places.push_back(*place);
  }
  return true;
}

std::optional<unsigned> weft::findPlaces(FormulaOpInterface op) {
  constexpr int64_t kMostReaders = 16;
  Value result = op->getResult(0);
  int64_t readers = std::distance(result.use_begin(), result.use_end());
  if (op.getOutputMapsAttr() || readers < 2 || readers > kMostReaders)
    return std::nullopt;
  for (unsigned dim = 0; dim != op.getNumOutputIndices(); ++dim)
    if (!op.isReduced(dim) && areApart(result, dim))
      return dim;
  return std::nullopt;
}

/// Makes `op` what one of its readers reads of it.
static void restrictTo(FormulaOpInterface op, unsigned dim, const Place &place, OpOperand &use) {
  MLIRContext *context = op.getContext();
  auto reader = cast<FormulaOpInterface>(use.getOwner());
  AffineMap map = getReadMap(use).dropResult(dim);
  if (place.index) {
    op.insertIndex(dim, reader.getIndexAttr(*place.index), /*isOutput=*/true);
    op.substituteIndex(dim + 1, getAffineDimExpr(dim, context) * place.step + place.offset);
    op.replaceIndex(dim, reader.getIndexAttr(*place.index)); // whose name is free now
    map = map.insertResult(getAffineDimExpr(*place.index, context), dim);
  } else {
    op.substituteIndex(dim, getAffineConstantExpr(place.offset, context));
  }
  reader.setInputMap(use.getOperandNumber(), map);
  use.set(op->getResult(0));
}

void weft::splitPlaces(RewriterBase &rewriter, FormulaOpInterface op) {
  std::optional<unsigned> dim = findPlaces(op);
  if (!dim)
    return;
  rewriter.setInsertionPoint(op);
  auto uses = llvm::to_vector(llvm::make_pointer_range(op->getResult(0).getUses()));
  for (OpOperand *use : llvm::reverse(uses)) { // as they stand
    auto part = cast<FormulaOpInterface>(rewriter.clone(*op));
    labelPart(op, part);
    restrictTo(part, *dim, *matchPlace(*use, *dim), *use);
  }
  SmallVector<Value> read(op.getInputs());
  rewriter.eraseOp(op);
  for (Value tensor : llvm::SetVector<Value>(read.begin(), read.end())) {
    auto source = tensor.getDefiningOp<FormulaOpInterface>();
    if (!isa_and_nonnull<MapOp, ContractOp, ReduceOp>(tensor.getDefiningOp()))
      continue;
    llvm::SmallBitVector all(source.getNumIndices());
    all.set(0, source.getNumOutputIndices());
    if (hasTwoPositions(source, all))
      splitPlaces(rewriter, source);
  }
}
