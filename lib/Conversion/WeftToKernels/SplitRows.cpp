//===- SplitRows.cpp - tiles of rows for products of parts ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A matrix unit multiplies tiles of 32 rows with 64 bytes of each. Of factors that are split these
// lie one after the other, a tile for each part, so that a step of the unit reads one run of
// memory.
//
//===----------------------------------------------------------------------------------------===//

#include "ProductLayout.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/CopyFormula.h"

namespace weft {
#define GEN_PASS_DEF_SPLITROWS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

struct SplitRowsPass : weft::impl::SplitRowsBase<SplitRowsPass> {
  using SplitRowsBase::SplitRowsBase;

  void runOnOperation() override {
    copies.clear();
    getOperation().walk([&](ContractOp op) {
      if (!attrs::Parts::isOn(op))
        return;
      // Panels may be those of another product, which this one reads otherwise, or in part.
      if (std::optional<Product> product = Product::matchPacked(op))
        if (Type type = op.getInputs()[product->columns].getType(); hasSplitPanels(type))
          split(op, product->columns, getLayout(type));
    });
    for (auto &[key, copy] : copies)
      storeWhereMade(copy);
  }

private:
  void split(ContractOp op, unsigned columns, LayoutAttr panels);
  void storeWhereMade(MapOp copy);

  llvm::MapVector<std::tuple<Value, AffineMap, Attribute>, MapOp> copies;
};

} // namespace

/// The indices that read the dimensions, as far as the other factor has them.
static SmallVector<unsigned> getSharedIndices(AffineMap columns, ArrayRef<int64_t> dims,
                                              AffineMap rows) {
  SmallVector<unsigned> positions;
  for (int64_t dim : dims)
    if (unsigned position = columns.getDimPosition(dim); rows.isFunctionOfDim(position))
      positions.push_back(position);
  return positions;
}

/// A copy of the rows by the product's indices: those of matrices, rows, and what is summed over.
void SplitRowsPass::split(ContractOp op, unsigned columns, LayoutAttr panels) {
  FormulaOpInterface formula = op;
  std::optional<Product> product = Product::match(op, columns);
  unsigned rows = 1 - columns;
  AffineMap map = formula.getInputMap(rows), other = formula.getInputMap(columns);
  SmallVector<unsigned> batch = getSharedIndices(other, panels.getBatch(), map);
  SmallVector<unsigned> k = getSharedIndices(other, panels.getK(), map), m(product->m);
  llvm::erase_if(m, [&](unsigned position) { return !map.isFunctionOfDim(position); });
  SmallVector<unsigned> order(batch);
  llvm::append_range(order, m);
  llvm::append_range(order, k);
  FactorView view(formula, rows, order);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(order.size())));
  ArrayRef<int64_t> all(dims);
  auto layout =
      LayoutAttr::get(op.getContext(), all.take_front(batch.size()),
                      all.slice(batch.size(), m.size()), all.take_back(k.size()),
                      {kSplitTile, kSplitTile}, /*nibbles=*/0, attrs::Parts::getInt(op, 1));
  Value source = op.getInputs()[rows];
  MapOp &copy = copies[{source, view.source, Attribute(layout)}];
  if (!copy) {
    OpBuilder builder(op);
    builder.setInsertionPointAfterValue(source); // before all who read it
    // A weight may be the rows, of fewer bits.
    copy = createCopy(builder, op.getLoc(), source, view.indices, view.source, layout,
                      builder.getF32Type());
    if (StringAttr label = attrs::Label::get(op))
      attrs::Label::set(copy, (label.getValue() + ".rows").str());
    ++numCopied;
  }
  formula.setInputMap(rows, view.reads);
  op->setOperand(rows, copy.getResult());
}

/// Whether the copy has all elements of the tensor, at their places.
static bool copiesAll(MapOp copy) {
  auto sizesOf = [](Value tensor) {
    return getIndicesOf(cast<RankedTensorType>(tensor.getType()));
  };
  return FormulaOpInterface(copy).getInputMap(0).isIdentity() &&
         sizesOf(copy.getInputs().front()) == sizesOf(copy.getResult());
}

/// What is made for the copy alone is made as it is stored.
void SplitRowsPass::storeWhereMade(MapOp copy) {
  Value source = copy.getInputs().front();
  Operation *producer = source.getDefiningOp();
  if (!isa_and_nonnull<MapOp, ContractOp, RowOp>(producer) || !source.hasOneUse() ||
      !copiesAll(copy) || getLayout(source.getType()))
    return;
  source.setType(copy.getResult().getType());
  copy.getResult().replaceAllUsesWith(source);
  copy.erase();
  --numCopied;
  ++numStored;
}
