//===- TurnProducts.cpp - products of matrices that the last index numbers ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of `u[i, j, c] = sum(k) a[i, k, c] * b[j, k, c]` neither factor has columns that the output
// stores side by side. It stores a matrix after the other, the rows' factor as well, and a copy has
// the results where they are read: as many elements as that are next to nothing beside the sums.
//
//===----------------------------------------------------------------------------------------===//

#include "LayoutChooser.h"
#include "ProductLayout.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/AccessCost.h"
#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

namespace weft {
#define GEN_PASS_DEF_TURNPRODUCTS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

/// Rows, columns and products of a sum, each: what is copied is little beside them.
constexpr int64_t kLeastSize = 16;

struct TurnProductsPass : weft::impl::TurnProductsBase<TurnProductsPass> {
  void runOnOperation() override {
    // A step adds up as the whole does, and has other numbers of rows and columns.
    if (generates(getOperation()))
      return;
    TensorClasses classes(getOperation());
    SmallVector<std::pair<ContractOp, Product>, 1> found;
    getOperation().walk([&](ContractOp op) {
      if (auto product = match(op, classes))
        found.push_back({op, *product});
    });
    for (auto &[op, product] : found)
      turn(op, product);
  }

private:
  static std::optional<Product> match(ContractOp op, const TensorClasses &classes);
  void turn(ContractOp op, const Product &product);
};

} // namespace

std::optional<Product> TurnProductsPass::match(ContractOp op, const TensorClasses &classes) {
  std::optional<unsigned> last = getLastOutput(op);
  if (!last || op.getApart() || classes.isWeight(op.getLhs()) || classes.isWeight(op.getRhs()))
    return std::nullopt;
  for (unsigned input : {1u, 0u}) {
    std::optional<Product> product = Product::match(op, input);
    if (!product || !llvm::is_contained(product->batch, *last))
      continue;
    Value rows = op.getInputs()[product->getRows()], columns = op.getInputs()[input];
    int64_t least = std::min({countOfExample(op, product->m), countOfExample(op, product->n),
                              getBoundProduct(op.getIndices(), product->k)});
    if (least >= kLeastSize &&
        canMultiply(getElementTypeOrSelf(rows), getElementTypeOrSelf(columns)))
      return product;
  }
  return std::nullopt;
}

void TurnProductsPass::turn(ContractOp op, const Product &product) {
  FormulaOpInterface formula = op;
  OpBuilder builder(op);
  SmallVector<unsigned> rowsOrder(product.batch);
  llvm::append_range(rowsOrder, product.m);
  SmallVector<unsigned> order(rowsOrder);
  llvm::append_range(rowsOrder, product.k);
  llvm::append_range(order, product.n);

  // The rows' factor, where it is read as the sums go.
  FactorView view(formula, product.getRows(), rowsOrder);
  Value rows = op.getInputs()[product.getRows()];
  MapOp rowsCopy = createCopy(builder, op.getLoc(), rows, view.indices, view.source);
  formula.setInputMap(product.getRows(), view.reads);
  op->setOperand(product.getRows(), rowsCopy.getResult());

  // The results, as they were for all others.
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  builder.setInsertionPointAfter(op);
  MapOp copy = createCopy(builder, op.getLoc(), result, getIndicesOf(type),
                          builder.getMultiDimIdentityMap(type.getRank()));
  result.replaceAllUsesExcept(copy.getResult(), copy);
  AffineMap stored = formula.getOutputIndexingMap();
  permuteValue(result, llvm::map_to_vector(order, [&](unsigned position) {
                 return *stored.getResultPosition(builder.getAffineDimExpr(position));
               }));
  if (StringAttr label = attrs::Label::get(op)) {
    attrs::Label::set(rowsCopy, (label.getValue() + ".rows").str());
    attrs::Label::set(copy, (label.getValue() + ".turned").str());
  }
  ++numTurned;
}
