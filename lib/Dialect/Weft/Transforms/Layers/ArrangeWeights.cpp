//===- ArrangeWeights.cpp - weft-arrange-weights --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A weight lies as its checkpoint has it. A sum of which it is a factor may count its columns with
// two indices, or go through it across its rows: then it reads a copy with its own indices as
// dimensions, which weft-derive-weights makes a weight.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/AccessCost.h"
#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/IR/Product.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

#include "llvm/ADT/SetVector.h"

namespace weft {
#define GEN_PASS_DEF_ARRANGEWEIGHTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Reals of a checkpoint, not codes.
static bool isOfReals(Value tensor, const TensorClasses &classes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return classes.isWeight(tensor) && type.hasStaticShape() && type.getElementType().isF32() &&
         llvm::none_of(classes.getMembers(classes.classOf(tensor)), [](Value member) {
           auto weight = member.getDefiningOp<WeightOp>();
           return weight && weight.getCoded();
         });
}

/// The indices by which an input is read, as its dimensions have them.
static SmallVector<unsigned> getUsedInOrder(AffineMap map) {
  llvm::SetVector<unsigned> used;
  for (AffineExpr place : map.getResults())
    place.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        used.insert(dim.getPosition());
    });
  return used.takeVector();
}

/// Whether several indices count a dimension, each element of it once at most.
static bool hasCountedDims(FormulaOpInterface op, unsigned input, ArrayRef<unsigned> used) {
  AffineMap map = op.getInputMap(input);
  bool isCounted = llvm::any_of(map.getResults(), [&](AffineExpr place) {
    return llvm::count_if(used, [&](unsigned i) { return place.isFunctionOfDim(i); }) > 1;
  });
  int64_t elements = cast<RankedTensorType>(op.getInputs()[input].getType()).getNumElements();
  return isCounted && getBoundProduct(op.getIndices(), used) <= elements;
}

/// Whether vectors of results go through a factor across its rows, where no product of matrices
/// packs it: as all that it is read by others are read by, too (a depthwise convolution).
static bool isReadAcross(FormulaOpInterface op, unsigned input) {
  std::optional<unsigned> last = getLastOutput(op);
  AffineMap map = op.getInputMap(input);
  if (!last || !map.isFunctionOfDim(*last) ||
      isContiguous(map, cast<ShapedType>(op.getInputs()[input].getType()), *last))
    return false;
  llvm::SmallBitVector own = getUsedIndices(map), others(op.getNumIndices());
  for (auto [i, access] : llvm::enumerate(getReadIndices(op, getNumFactors(op))))
    if (i != input)
      others |= access.direct;
  own.reset(others);
  bool hasColumns = llvm::any_of(own.set_bits(), [&](unsigned i) {
    return !op.isReduced(i) && op.getIndexAttr(i).getExtent() != 1;
  });
  return others.test(*last) && !hasColumns;
}

namespace {
class ArrangeWeightsPass : public weft::impl::ArrangeWeightsPassBase<ArrangeWeightsPass> {
public:
  using ArrangeWeightsPassBase::ArrangeWeightsPassBase;

  void runOnOperation() override {
    TensorClasses classes(getOperation());
    getOperation().walk([&](FormulaOpInterface op) {
      auto sum = dyn_cast<ReduceOp>(op.getOperation());
      auto contract = dyn_cast<ContractOp>(op.getOperation());
      bool isSum = sum ? sum.getKind() == ReduceKind::Sum : contract && !contract.getChosen();
      for (unsigned input = 0; isSum && input != getNumFactors(op); ++input)
        if (isOfReals(op.getInputs()[input], classes))
          arrange(op, input);
    });
  }

private:
  void arrange(FormulaOpInterface op, unsigned input) {
    SmallVector<unsigned> order = getUsedInOrder(op.getInputMap(input));
    bool isAcross = isReadAcross(op, input);
    if (order.empty() || (!isAcross && !hasCountedDims(op, input, order)))
      return;
    if (isAcross) { // side by side
      unsigned last = *getLastOutput(op);
      llvm::erase(order, last);
      order.push_back(last);
    }
    FactorView view(op, input, order);
    OpBuilder builder(op);
    Value weight = op.getInputs()[input];
    MapOp copy = createCopy(builder, weight.getLoc(), weight, view.indices, view.source);
    op.setInputMap(input, view.reads);
    op->setOperand(input, copy.getResult());
    ++numArranged;
  }
};
} // namespace
