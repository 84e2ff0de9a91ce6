//===- PackOperands.cpp - panels for factors that are no weights ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A product of two activations gets the factor of its columns in panels from a formula of its own,
// which is a kernel: no task packs what another needs, too. Transposition happens on the way.
//
//===----------------------------------------------------------------------------------------===//

#include "ProductLayout.h"
#include "TensorClasses.h"
#include "weft/Conversion/WeftToKernels/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace weft {
#define GEN_PASS_DEF_PACKOPERANDS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

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
    packed.clear();
    getOperation().walk([&](ContractOp op) {
      std::optional<Product> product = chooseColumns(op);
      if (product && isWorthIt(op, *product, classes) && manyRows.of(op, *product))
        pack(op, *product);
    });
  }

private:
  bool isWorthIt(ContractOp op, const Product &product, const TensorClasses &classes);
  void pack(ContractOp op, const Product &product);
  Value getPacked(ContractOp op, const Product &product, ArrayRef<unsigned> order);

  /// What a function has packed already.
  DenseMap<std::tuple<Value, AffineMap, Type>, Value> packed;
};

} // namespace

/// Weights are packed before they are written to the file, or not at all.
bool PackOperandsPass::isWorthIt(ContractOp op, const Product &product,
                                 const TensorClasses &classes) {
  Value columns = op.getInputs()[product.columns], rows = op.getInputs()[product.getRows()];
  auto isF32 = [](Value value) { return getElementTypeOrSelf(value).isF32(); };
  if (classes.isWeight(columns) || getLayout(columns.getType()) || getLayout(rows.getType()) ||
      !isF32(columns) || !isF32(rows))
    return false;
  auto bound = [&](ArrayRef<unsigned> positions, int64_t enough) {
    int64_t size = 1;
    for (unsigned position : positions)
      size = std::min(
          size * std::min(FormulaOpInterface(op).getIndexAttr(position).getSize(), enough), enough);
    return size;
  };
  return bound(product.n, nr) * 2 > nr && bound(product.k, kLeastSteps) == kLeastSteps;
}

/// The factor by its indices in `order`, of which the last ones are columns.
Value PackOperandsPass::getPacked(ContractOp op, const Product &product, ArrayRef<unsigned> order) {
  FormulaOpInterface formula = op;
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> places(formula.getNumIndices(), getAffineConstantExpr(0, context));
  SmallVector<IndexAttr> indices;
  for (auto [i, position] : llvm::enumerate(order)) {
    places[position] = getAffineDimExpr(i, context);
    indices.push_back(formula.getIndexAttr(position));
  }
  AffineMap map = formula.getInputMap(product.columns)
                      .replaceDimsAndSymbols(places, {}, order.size(), /*numResultSyms=*/0);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(order.size())));
  ArrayRef<int64_t> all(dims);
  size_t batch = product.batch.size(), n = product.n.size();
  auto layout = LayoutAttr::get(context, all.take_front(batch), all.take_back(n),
                                all.drop_front(batch).drop_back(n), {nr, 1}, BoundsAttr());
  Value source = op.getInputs()[product.columns];
  RankedTensorType type = withLayout(getTensorType(indices, getElementTypeOrSelf(source)), layout);
  Value &known = packed[{source, map, type}];
  if (known)
    return known;
  OpBuilder builder(op);
  if (Operation *producer = source.getDefiningOp())
    builder.setInsertionPointAfter(producer); // before all who read it
  else
    builder.setInsertionPointToStart(&op->getParentOfType<func::FuncOp>().getBody().front());
  auto copy =
      MapOp::create(builder, op.getLoc(), type, source, /*output=*/Value(),
                    builder.getArrayAttr(SmallVector<Attribute>(indices.begin(), indices.end())),
                    builder.getAffineMapArrayAttr(map), AffineMapAttr());
  if (StringAttr label = attrs::Label::get(op))
    attrs::Label::set(copy, (label.getValue() + ".panels").str());
  Block *body = builder.createBlock(&copy.getBody());
  YieldOp::create(builder, op.getLoc(), body->addArgument(type.getElementType(), op.getLoc()));
  ++numPacked;
  return known = copy.getResult();
}

void PackOperandsPass::pack(ContractOp op, const Product &product) {
  AffineMap map = FormulaOpInterface(op).getInputMap(product.columns);
  SmallVector<unsigned> order(product.batch);
  for (unsigned position : product.k)
    if (map.isFunctionOfDim(position)) // the others have one value
      order.push_back(position);
  llvm::append_range(order, product.n);
  Value columns = getPacked(op, product, order);
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(
      order, [&](unsigned position) { return getAffineDimExpr(position, op.getContext()); });
  setMap(op, product.columns, AffineMap::get(map.getNumDims(), 0, exprs, op.getContext()));
  op->setOperand(product.columns, columns);
}
