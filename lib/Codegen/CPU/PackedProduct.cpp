//===- PackedProduct.cpp - what the factors of a product are --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GemmSchedule.h"
#include "NibbleProduct.h"
#include "WholeProduct.h"

#include "weft/Codegen/CPU/Units.h"

using namespace mlir;
using namespace weft;

PackedProduct::PackedProduct(ContractOp op, const Product &product)
    : Product(product), nr(getLayout(op.getInputs()[columns].getType()).getNr()),
      sizeN(getBoundProduct(op.getIndices(), n)), sizeK(getBoundProduct(op.getIndices(), k)),
      numPanels(llvm::divideCeil(sizeN, nr)) {
  Type element = getElementTypeOrSelf(op.getInputs()[columns]);
  LayoutAttr layout = getLayout(op.getInputs()[columns].getType());
  LayoutAttr tiles = getLayout(op.getInputs()[getRows()].getType());
  parts = tiles ? tiles.getParts() : 1;
  columnParts = std::min(parts, getExactParts(element));
  columnType = element;
  depth = layout.getKr();
  stepWords = nr * depth * element.getIntOrFloatBitWidth() / 32;
  isCodes = element.isInteger(8);
  isNarrow = layout.getNarrow();
  hasWholeSteps = sizeK % depth == 0 && llvm::none_of(k, [&](unsigned position) {
                    return cast<IndexAttr>(op.getIndices()[position]).getDynamic();
                  });
  hasEvenRows = !chosen && RowFactor(op, product).hasEvenRows();
  if (layout.getNibbles())
    nibbles = layout.getNibblePanel(sizeK);
  if (layout.getTable() != CodeTable::None)
    scaled = layout.getScaledPanel(sizeK);
  isWhole = scaled && getElementTypeOrSelf(op.getInputs()[getRows()]).isInteger(8);
  Type rows = getElementTypeOrSelf(op.getInputs()[getRows()]);
  hasHalfRows = rows.isBF16() || rows.isF16();
  isDot = isCodes || (rows.isBF16() && element.isBF16());
}

int64_t PackedProduct::getPanelBytes() const {
  if (isEncoded())
    return nibbles ? nibbles->getBytes() : scaled->getBytes();
  return llvm::divideCeil(sizeK, depth) * stepWords * kElement;
}

int64_t PackedProduct::getWholeRows(int64_t most) const {
  bool isOne = (nibbles ? nibbles->getGroups() : scaled->getGroups()) == 1;
  int64_t group = isOne ? 1 : nibbles ? nibbles->group : scaled->group;
  return std::max(most / group, int64_t(1)) * group;
}

bool weft::hasTiles(const PackedProduct &product, const RowFactor &rows) {
  if (product.isSplit())
    return product.sizeK % kSplitDepth == 0;
  return product.isDot && product.nr == kTileColumns && rows.isOneRun() && product.hasWholeSteps &&
         rows.isContiguous();
}

bool weft::hasHalves(const PackedProduct &product) {
  bool isRow = product.isSplit() || (product.columnType.isBF16() && product.hasEvenRows);
  return isRow && getHalfBytes(product) <= kTaskStack / 2;
}

bool weft::hasReals(const PackedProduct &product, const RowFactor &rows) {
  return product.hasHalfRows && !product.isExpanded() && rows.isOneRun() && rows.isContiguous();
}

bool weft::sharesBlocks(const GemmSchedule &schedule, const PackedProduct &product) {
  return (schedule.k < product.sizeK && !product.isEncoded()) || spreadsRows(schedule, product);
}

int64_t weft::countLocals(ContractOp op) {
  return llvm::count_if(*op->getBlock(), llvm::IsaPred<LocalOp>);
}

int64_t weft::getLocalBytes(const GemmSchedule &schedule) {
  return schedule.rows * schedule.panels * schedule.tile[1] * kElement;
}

bool weft::copiesRows(const GemmSchedule &schedule, const PackedProduct &product) {
  return schedule.unit == kTilesUnit && !product.isSplit() && !product.hasEvenRows;
}

bool weft::multipliesInPlace(const GemmSchedule &schedule, const PackedProduct &product) {
  return schedule.unit == kTilesUnit && !product.isSplit() && product.hasEvenRows;
}

bool weft::spreadsRows(const GemmSchedule &schedule, const PackedProduct &product) {
  return schedule.unit == kRealsUnit || copiesRows(schedule, product);
}

int64_t weft::getSpreadWords(const GemmSchedule &schedule, const PackedProduct &product) {
  return llvm::divideCeil(schedule.k, schedule.unit == kRealsUnit ? 1 : product.depth);
}

bool weft::hasWords(const PackedProduct &product) {
  return product.isWhole || (product.nibbles && canMultiplyNibbles(*product.nibbles));
}

/// Whether blocks of whole groups, or of lines of the only one, can be expanded.
static bool canExpand(const ScaledPanel &panel) {
  return panel.getGroups() == 1 || panel.group <= kExpandedRows;
}

bool weft::fitsStack(const PackedProduct &product, int64_t rows) {
  return rows <= kTaskStack / 2 / getGroupSumBytes(*product.scaled);
}

bool weft::canStep(const PackedProduct &product, const RowFactor &rows) {
  if (product.isWhole && (!rows.isContiguous() || !fitsStack(product, /*rows=*/1)))
    return false;
  if (product.scaled)
    return rows.isOneRun() && canExpand(*product.scaled);
  if (product.isSplit())
    return hasTiles(product, rows);
  return product.depth == 1 || (rows.isOneRun() && (!product.isDot || rows.isContiguous()) &&
                                (!product.isCodes || product.hasWholeSteps));
}
