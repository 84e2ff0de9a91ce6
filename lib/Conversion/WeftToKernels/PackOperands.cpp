//===- PackOperands.cpp - panels for factors that are no weights ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A product of two activations gets the factor of its columns in panels from a formula of its own,
// which is a kernel: no task packs what another needs, too. Transposition happens on the way. So do
// keys and values of an attention that more than one task reads.
//
//===----------------------------------------------------------------------------------------===//

#include "ProductLayout.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

#include "llvm/Support/MathExtras.h"

namespace weft {
#define GEN_PASS_DEF_PACKOPERANDS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Whether each of several matrices is multiplied with a vector of its own.
static bool isOfVectors(ContractOp op, const Product &product) {
  return countOfExample(op, product.m) == 1 && countOfExample(op, product.batch) > 1;
}

namespace {

/// Rows of a panel below which a product is no work for register tiles.
constexpr int64_t kLeastSteps = 8;

struct PackOperandsPass : weft::impl::PackOperandsBase<PackOperandsPass> {
  using PackOperandsBase::PackOperandsBase;

  void runOnOperation() override {
    if (nr < 1 || !llvm::isPowerOf2_64(nr)) {
      getOperation().emitError() << "the panel width " << nr << " is not a power of two";
      return signalPassFailure();
    }
    TensorClasses classes(getOperation());
    ManyRows manyRows(getOperation());
    // A step, or the last of its rows, adds up in the order of the whole, by the same unit.
    // Matrices of one row each are read once, where a step keeps them in whatever order.
    bool anyRows = generates(getOperation());
    packed.clear();
    getOperation().walk([&](ContractOp op) {
      std::optional<Product> product = chooseColumns(op);
      if (product && anyRows) // of the formula, as rows may lie otherwise in a step
        llvm::sort(product->k);
      if (product && isWorthIt(op, *product, classes) &&
          (anyRows ? !isOfVectors(op, *product) : manyRows.of(op, *product)))
        pack(op, *product);
    });
    getOperation().walk([&](AttentionOp op) {
      if (manyRows.of(op))
        pack(op, classes);
    });
  }

private:
  bool isWorthIt(ContractOp op, const Product &product, const TensorClasses &classes);
  void pack(ContractOp op, const Product &product);
  void pack(AttentionOp op, const TensorClasses &classes);
  void packInput(AttentionOp op, unsigned input, ArrayRef<unsigned> k, ArrayRef<unsigned> n);
  Value copy(Operation *reader, Value source, ArrayRef<IndexAttr> indices, AffineMap map,
             size_t numBatch, size_t numColumns);

  /// What a function has packed already.
  DenseMap<std::tuple<Value, AffineMap, Type>, Value> packed;
};

} // namespace

/// Weights are packed before they are written to the file, or not at all.
bool PackOperandsPass::isWorthIt(ContractOp op, const Product &product,
                                 const TensorClasses &classes) {
  Value columns = op.getInputs()[product.columns], rows = op.getInputs()[product.getRows()];
  if (product.chosen || classes.isWeight(columns) || getLayout(columns.getType()) ||
      getLayout(rows.getType()) ||
      !canMultiply(getElementTypeOrSelf(rows), getElementTypeOrSelf(columns)))
    return false;
  return countOfExample(op, product.n) > nr / 2 &&
         getBoundProduct(op.getIndices(), product.k) >= kLeastSteps;
}

/// The elements of `source` at `map` of the indices, first those that count matrices, last those of
/// columns.
Value PackOperandsPass::copy(Operation *reader, Value source, ArrayRef<IndexAttr> indices,
                             AffineMap map, size_t numBatch, size_t numColumns) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(indices.size())));
  ArrayRef<int64_t> all(dims);
  Type element = getElementTypeOrSelf(source);
  auto layout =
      LayoutAttr::get(&getContext(), all.take_front(numBatch), all.take_back(numColumns),
                      all.drop_front(numBatch).drop_back(numColumns), {nr, getPanelDepth(element)});
  RankedTensorType type = withLayout(getTensorType(indices, element), layout);
  Value &known = packed[{source, map, type}];
  if (known)
    return known;
  OpBuilder builder(reader);
  builder.setInsertionPointAfterValue(source); // before all who read it
  MapOp formula = createCopy(builder, reader->getLoc(), source, indices, map, layout);
  if (StringAttr label = attrs::Label::get(reader))
    attrs::Label::set(formula, (label.getValue() + ".panels").str());
  ++numPacked;
  return known = formula.getResult();
}

/// The factor by the product's indices.
void PackOperandsPass::pack(ContractOp op, const Product &product) {
  FormulaOpInterface formula = op;
  AffineMap map = formula.getInputMap(product.columns);
  SmallVector<unsigned> order(product.batch);
  for (unsigned position : product.k)
    if (map.isFunctionOfDim(position)) // the others have one value
      order.push_back(position);
  llvm::append_range(order, product.n);
  FactorView view(formula, product.columns, order);
  Value columns = copy(op, op.getInputs()[product.columns], view.indices, view.source,
                       product.batch.size(), product.n.size());
  formula.setInputMap(product.columns, view.reads);
  op->setOperand(product.columns, columns);
}

/// Scores are the product of queries with keys as columns, results that of weights with values.
void PackOperandsPass::pack(AttentionOp op, const TensorClasses &classes) {
  FormulaOpInterface formula = op;
  unsigned key = op.getKeyIndex(), value = 2 * op.getDots();
  auto isPackable = [&](unsigned input) {
    Value tensor = op.getInputs()[input];
    return !classes.isWeight(tensor) && !getLayout(tensor.getType()) && isStoredAsComputed(tensor);
  };
  for (unsigned dot = 0; dot != op.getDots(); ++dot) {
    SmallVector<unsigned> contracted;
    for (unsigned i = key + 1; i != formula.getNumIndices(); ++i)
      if (formula.getInputMap(2 * dot).isFunctionOfDim(i))
        contracted.push_back(i);
    if (isPackable(2 * dot + 1))
      packInput(op, 2 * dot + 1, contracted, key);
  }
  SmallVector<unsigned> columns;
  for (AffineExpr expr : formula.getOutputIndexingMap().getResults()) {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    bool isElsewhere = llvm::any_of(llvm::seq<unsigned>(0, op.getInputs().size()), [&](unsigned i) {
      return i != value && formula.getInputMap(i).isFunctionOfDim(position);
    });
    if (!isElsewhere && formula.getInputMap(value).isFunctionOfDim(position))
      columns.push_back(position);
  }
  if (isPackable(value))
    packInput(op, value, key, columns);
}

/// The tensor, its dimensions in the order of panels; of those that are read at one place, that.
void PackOperandsPass::packInput(AttentionOp op, unsigned input, ArrayRef<unsigned> k,
                                 ArrayRef<unsigned> n) {
  FormulaOpInterface formula = op;
  auto rows = getDimsReadBy(formula, input, k), columns = getDimsReadBy(formula, input, n);
  if (!rows || !columns || rows->empty() || columns->empty())
    return;
  Value source = op.getInputs()[input];
  SmallVector<IndexAttr> indices = getIndicesOf(cast<RankedTensorType>(source.getType())), ordered;
  AffineMap map = formula.getInputMap(input);
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim != int64_t(indices.size()); ++dim)
    if (!llvm::is_contained(*rows, dim) && !llvm::is_contained(*columns, dim) &&
        !isa<AffineConstantExpr>(map.getResult(dim)))
      order.push_back(dim);
  size_t numBatch = order.size();
  llvm::append_range(order, *rows);
  llvm::append_range(order, *columns);
  SmallVector<AffineExpr> places(map.getResults()), reads;
  for (auto [i, dim] : llvm::enumerate(order)) {
    places[dim] = getAffineDimExpr(i, op.getContext());
    reads.push_back(map.getResult(dim));
    ordered.push_back(indices[dim]);
  }
  Value panels = copy(op, source, ordered, AffineMap::get(order.size(), 0, places, op.getContext()),
                      numBatch, columns->size());
  formula.setInputMap(input, AffineMap::get(map.getNumDims(), 0, reads, op.getContext()));
  op->setOperand(input, panels);
}
