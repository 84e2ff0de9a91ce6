//===- ExtendRow.cpp - further outputs of rows ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ExtendRow.h"

#include "FormulaBuilder.h"
#include "RowGroup.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace weft;

/// The last row that the map reads.
static RowOp findRow(MapOp map) {
  RowOp last;
  for (Value input : map.getInputs())
    if (auto row = input.getDefiningOp<RowOp>(); row && row->getBlock() == map->getBlock())
      if (!last || last->isBeforeInBlock(row))
        last = row;
  return last;
}

/// Where among the indices of the row those of the map are; nothing if it reads another place, or
/// not all rows and all or nothing of each.
static std::optional<Place> findPlace(RowOp row, MapOp map) {
  auto rows = cast<FormulaOpInterface>(row.getOperation());
  auto formula = cast<FormulaOpInterface>(map.getOperation());
  Place place(formula.getNumIndices(), kNowhere);
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    if (input.getDefiningOp() != row)
      continue;
    AffineMap made = rows.getOutputIndexingMap(cast<OpResult>(input).getResultNumber());
    for (auto [j, expr] : llvm::enumerate(formula.getInputMap(i).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || !assignPlace(place, dim.getPosition(), made.getDimPosition(j)))
        return std::nullopt;
    }
  }
  bool isRow = llvm::is_contained(place, row.getAxis());
  if (place.size() + !isRow != rows.getNumIndices() ||
      !isPlaceInRange(formula.getIndexList(), place, rows.getIndexList()))
    return std::nullopt;
  return place;
}

/// Whether the row can read what the map does, and gives it as it computes it.
static bool canExtend(RowOp row, MapOp map) {
  if (FormulaOpInterface(map).getOutputMapsAttr() ||
      countScalarOps(row) + countScalarOps(map) > kMaxFusedOps)
    return false;
  llvm::SetVector<Value> read;
  getUsedValuesDefinedAbove(map->getRegions(), read);
  if (llvm::any_of(read, [&](Value value) { return value.getDefiningOp() == row; }))
    return false;
  read.insert(map->operand_begin(), map->operand_end());
  return llvm::all_of(read, [&](Value value) {
    Operation *source = value.getDefiningOp();
    if (source == row)
      return isStoredAsComputed(value);
    return !source || source->getBlock() != row->getBlock() || source->isBeforeInBlock(row);
  });
}

/// Puts the code of the map at the end of the element region; gives what it yields.
static Value emitMap(RowOp row, MapOp map, const IndexValues &indices) {
  auto rows = cast<FormulaOpInterface>(row.getOperation());
  Block &element = row.getElement().front();
  SmallVector<Value> arguments;
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    if (input.getDefiningOp() == row) {
      unsigned number = cast<OpResult>(input).getResultNumber();
      arguments.push_back(element.getTerminator()->getOperand(number));
      continue;
    }
    auto at = getAffineCoordinates(FormulaOpInterface(map).getInputMap(i), indices);
    rows.appendInput(input, AffineMap::get(rows.getNumIndices(), 0, *at, row.getContext()));
    arguments.push_back(element.getArguments().back());
  }
  OpBuilder builder(element.getTerminator());
  return cloneScalarCode(builder, map.getBody(), arguments, indices).front();
}

/// The row with one more output.
static RowOp addOutput(RewriterBase &rewriter, RowOp row, Type type, AffineMap map, Location loc) {
  SmallVector<AffineMap> maps = FormulaOpInterface(row).getOutputIndexingMaps();
  maps.push_back(map);
  SmallVector<Type> types(row->getResultTypes());
  types.push_back(type);
  auto extended =
      RowOp::create(rewriter, loc, types, row.getInputs(), ValueRange(), row.getAxisAttr(),
                    row.getKindsAttr(), row.getIndicesAttr(), row.getMapsAttr(),
                    rewriter.getAffineMapArrayAttr(maps), row.getNumReductions());
  extended->setDiscardableAttrs(row->getDiscardableAttrDictionary());
  for (auto [to, from] : llvm::zip_equal(extended->getRegions(), row->getRegions()))
    to.takeBody(from);
  rewriter.replaceOp(row, extended->getResults().drop_back());
  return extended;
}

bool weft::extendRow(RewriterBase &rewriter, MapOp map) {
  RowOp row = findRow(map);
  std::optional<Place> place = row ? findPlace(row, map) : std::nullopt;
  if (!place || !canExtend(row, map))
    return false;
  IndexValues indices;
  SmallVector<AffineExpr> stored;
  for (unsigned position : *place) {
    stored.push_back(rewriter.getAffineDimExpr(position));
    indices.push_back({stored.back(), Value()});
  }
  Value value = emitMap(row, map, indices);
  Operation *yield = row.getElement().front().getTerminator();
  yield->insertOperands(yield->getNumOperands(), value);
  rewriter.setInsertionPoint(row);
  auto output = AffineMap::get(row.getIndices().size(), 0, stored, row.getContext());
  RowOp extended = addOutput(rewriter, row, map.getResult().getType(), output,
                             rewriter.getFusedLoc({map.getLoc(), row.getLoc()}));
  addFolded(extended, map);
  rewriter.replaceOp(map, extended->getResults().back());
  return true;
}
