//===- ProductLayout.cpp - which factor of a product lies in panels, and how ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ProductLayout.h"

#include "weft/Dialect/Weft/IR/AccessCost.h"
#include "weft/Dialect/Weft/IR/DiscardableAttrs.h"

using namespace mlir;
using namespace weft;

std::optional<Product> weft::chooseColumns(ContractOp op) {
  std::optional<unsigned> last = getLastOutput(op);
  for (unsigned input : {1u, 0u}) {
    std::optional<Product> product = Product::matchAny(op, input);
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
  Value columns = op.getInputs()[product.columns];
  int64_t kr = getPanelDepth(cast<ShapedType>(columns.getType()).getElementType());
  if (attrs::Parts::isOn(op))
    nr = kSplitTile;
  return LayoutAttr::get(op.getContext(), *batch, *n, *k, {nr, kr});
}

/// Packing reads and writes each column once for all rows, and a panel is several times as fast.
static constexpr int64_t kManyRows = 16;
/// What a task of an attention has, at most: rows beyond them are another task's.
static constexpr int64_t kQueriesOfTask = 128;

ManyRows::ManyRows(ModuleOp module) : batch(getBatchDim(module)) {
  for (auto function : module.getOps<func::FuncOp>())
    if (StepAttr step = attrs::Step::get(function))
      counts.insert(step.getCount());
}

/// New positions of a step count as one: it is called for one more often than not. So do examples.
bool ManyRows::isCount(IndexAttr index) const {
  return index.getDim() == batch || (index.getDynamic() && counts.contains(index.getDim()));
}

bool ManyRows::of(ContractOp op, const Product &product) const {
  SmallVector<unsigned> counted(product.m);
  llvm::erase_if(counted, [&](unsigned position) {
    return isCount(FormulaOpInterface(op).getIndexAttr(position));
  });
  return getBoundProduct(op.getIndices(), counted) >= kManyRows;
}

/// How many neighbouring values of an output index read the same keys and values: G of a group of
/// heads, `h floordiv G`.
static int64_t countSharing(AttentionOp op, unsigned position) {
  FormulaOpInterface formula = op;
  int64_t sharing = formula.getIndexAttr(position).getSize();
  auto look = [&](unsigned input) {
    for (AffineExpr expr : formula.getInputMap(input).getResults()) {
      auto division = dyn_cast<AffineBinaryOpExpr>(expr);
      bool isGroup = division && expr.getKind() == AffineExprKind::FloorDiv;
      auto group = isGroup ? dyn_cast<AffineConstantExpr>(division.getRHS()) : nullptr;
      if (expr.isFunctionOfDim(position))
        sharing = std::min(sharing, group ? group.getValue() : 1);
    }
  };
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    look(2 * dot + 1);
  look(2 * op.getDots());
  return sharing;
}

bool ManyRows::of(AttentionOp op) const {
  FormulaOpInterface formula = op;
  int64_t queries = 1, rows = 1;
  for (unsigned position = 0; position != formula.getNumOutputIndices(); ++position) {
    IndexAttr index = formula.getIndexAttr(position);
    if (isCount(index))
      continue;
    int64_t sharing = std::min(countSharing(op, position), kQueriesOfTask + 1);
    rows = std::min(rows * sharing, kQueriesOfTask + 1);
    if (sharing == std::min(index.getSize(), kQueriesOfTask + 1))
      queries = std::max(queries, sharing);
  }
  return queries >= kManyRows && rows > kQueriesOfTask;
}
