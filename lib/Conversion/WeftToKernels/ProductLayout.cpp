//===- ProductLayout.cpp - which factor of a product lies in panels, and how ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ProductLayout.h"

using namespace mlir;
using namespace weft;

std::optional<Product> weft::chooseColumns(ContractOp op) {
  FormulaOpInterface formula = op;
  std::optional<unsigned> last;
  for (AffineExpr expr : formula.getOutputIndexingMap().getResults()) {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    if (formula.getIndexAttr(position).getExtent() != 1)
      last = position;
  }
  for (unsigned input : {1u, 0u}) {
    std::optional<Product> product = Product::match(op, input);
    if (product && last && llvm::is_contained(product->n, *last))
      return product;
  }
  return std::nullopt;
}

LayoutAttr weft::getPanels(ContractOp op, const Product &product, int64_t nr) {
  FormulaOpInterface formula = op;
  AffineMap map = formula.getInputMap(product.columns);
  SmallVector<unsigned> rows = product.k;
  llvm::erase_if(rows, [&](unsigned position) { return !map.isFunctionOfDim(position); });
  auto batch = getDimsReadBy(formula, product.columns, product.batch);
  auto n = getDimsReadBy(formula, product.columns, product.n);
  auto k = getDimsReadBy(formula, product.columns, rows);
  if (!batch || !n || !k || k->empty() ||
      batch->size() + n->size() + k->size() != map.getNumResults())
    return {};
  return LayoutAttr::get(op.getContext(), *batch, *n, *k, {nr, 1}, /*bounds=*/BoundsAttr());
}

/// Packing reads and writes each column once for all rows, and a panel is several times as fast.
static constexpr int64_t kManyRows = 16;
/// A task has 128 queries; so many that another one packs its keys again and again.
static constexpr int64_t kManyQueries = 257;

ManyRows::ManyRows(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (StepAttr step = attrs::Step::get(function))
      counts.insert(step.getCount());
}

bool ManyRows::reach(FormulaOpInterface op, ArrayRef<unsigned> positions, int64_t enough) const {
  SmallVector<unsigned> counted(positions);
  llvm::erase_if(counted, [&](unsigned position) {
    IndexAttr index = op.getIndexAttr(position);
    return index.getDynamic() && counts.contains(index.getDim());
  });
  return getBoundProduct(op.getIndices(), counted) >= enough;
}

bool ManyRows::of(ContractOp op, const Product &product) const {
  return reach(op, product.m, kManyRows);
}

bool ManyRows::of(AttentionOp op) const {
  FormulaOpInterface formula = op;
  auto isOfKeys = [&](unsigned position) {
    for (unsigned dot = 0; dot != op.getDots(); ++dot)
      if (formula.getInputMap(2 * dot + 1).isFunctionOfDim(position))
        return true;
    return formula.getInputMap(2 * op.getDots()).isFunctionOfDim(position);
  };
  for (unsigned position = 0; position != formula.getNumOutputIndices(); ++position)
    if (!isOfKeys(position) && reach(op, position, kManyQueries))
      return true;
  return false;
}
