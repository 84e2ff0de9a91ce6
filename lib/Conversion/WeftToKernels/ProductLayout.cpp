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
  auto type = cast<ShapedType>(op.getInputs()[product.columns].getType());
  if (!map.isProjectedPermutation())
    return {};
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    if (formula.getIndexAttr(position).getExtent() != type.getDimSize(dim))
      return {};
  }
  auto dimensionsOf = [&](ArrayRef<unsigned> indices) {
    SmallVector<int64_t> dimensions;
    for (unsigned index : indices)
      if (auto dim = map.getResultPosition(getAffineDimExpr(index, map.getContext())))
        dimensions.push_back(*dim);
    return dimensions;
  };
  SmallVector<int64_t> k = dimensionsOf(product.k);
  if (k.empty())
    return {};
  return LayoutAttr::get(op.getContext(), dimensionsOf(product.batch), dimensionsOf(product.n), k,
                         {nr, 1}, /*bounds=*/BoundsAttr());
}

/// Packing reads and writes each column once for all rows, and a panel is several times as fast.
static constexpr int64_t kManyRows = 16;

ManyRows::ManyRows(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (StepAttr step = attrs::Step::get(function))
      counts.insert(step.getCount());
}

bool ManyRows::of(ContractOp op, const Product &product) const {
  FormulaOpInterface formula = op;
  int64_t rows = 1;
  for (unsigned position : product.m) {
    IndexAttr index = formula.getIndexAttr(position);
    bool isCount = index.getDynamic() && counts.contains(index.getDim());
    rows *= isCount ? 1 : std::clamp<int64_t>(index.getSize(), 0, kManyRows);
    rows = std::min(rows, kManyRows);
  }
  return rows >= kManyRows;
}
