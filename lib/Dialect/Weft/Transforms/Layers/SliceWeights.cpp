//===- SliceWeights.cpp - weft-slice-weights ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Checkpoints store the matrices of gates and of what they let through as one. A product reads its
// own, and is one of matrices only if its weight is: so each becomes a tensor, which
// weft-derive-weights makes a weight. Codes of the checkpoint are taken out of it where they are
// neighbours, as whole rows.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

namespace weft {
#define GEN_PASS_DEF_SLICEWEIGHTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// The place in each dimension that has one.
using Places = SmallVector<std::optional<int64_t>>;

/// The part of a tensor at these places, whose other dimensions are the tensor's.
static Value makeSlice(OpBuilder &builder, Value tensor, const Places &places) {
  auto type = cast<RankedTensorType>(tensor.getType());
  MLIRContext *context = builder.getContext();
  SmallVector<IndexAttr> indices;
  SmallVector<AffineExpr> read;
  for (auto [dim, place] : llvm::enumerate(places)) {
    if (place) {
      read.push_back(getAffineConstantExpr(*place, context));
      continue;
    }
    read.push_back(getAffineDimExpr(indices.size(), context));
    std::string name = "d" + std::to_string(indices.size());
    indices.push_back(IndexAttr::get(context, name, "", type.getDimSize(unsigned(dim)), false));
  }
  auto map = AffineMap::get(indices.size(), 0, read, context);
  return createCopy(builder, tensor.getLoc(), tensor, indices, map).getResult();
}

namespace {
class SliceWeightsPass : public weft::impl::SliceWeightsPassBase<SliceWeightsPass> {
public:
  using SliceWeightsPassBase::SliceWeightsPassBase;

  void runOnOperation() override {
    TensorClasses known(getOperation());
    classes = &known;
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (auto contract = dyn_cast<ContractOp>(op))
        sliceFactors(contract);
      else if (auto at = dyn_cast<AtOp>(op); at && at->getParentOfType<ReduceOp>())
        sliceChosen(at);
  }

private:
  bool canTake(Value tensor, const Places &places) const;
  void sliceFactors(ContractOp op);
  void sliceChosen(AtOp op);

  const TensorClasses *classes = nullptr;
};
} // namespace

/// Whether that part of codes is codes: whole rows, of the matrices at leading places.
static bool isOfRows(CodedAttr coded, const Places &places) {
  auto isFree = [](std::optional<int64_t> place) { return !place; };
  auto behind = llvm::find_if(places, isFree);
  return std::all_of(behind, places.end(), isFree) &&
         llvm::all_of(coded.getAlong(),
                      [&](int64_t dim) { return dim >= behind - places.begin(); });
}

/// Whether it is a weight of constant sizes of which such a part can be taken.
bool SliceWeightsPass::canTake(Value tensor, const Places &places) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!classes->isWeight(tensor) || !type.hasStaticShape() ||
      !isa<FloatType>(type.getElementType()))
    return false;
  return llvm::all_of(classes->getMembers(classes->classOf(tensor)), [&](Value member) {
    auto weight = member.getDefiningOp<WeightOp>();
    if (!weight)
      return isa<BlockArgument>(member);
    return !weight.getCoded() || isOfRows(*weight.getCoded(), places);
  });
}

/// Factors with a matrix left.
void SliceWeightsPass::sliceFactors(ContractOp op) {
  FormulaOpInterface formula = op;
  for (unsigned input : {0u, 1u}) {
    Value tensor = op.getInputs()[input];
    AffineMap map = formula.getInputMap(input);
    Places places = llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      return constant ? std::optional(constant.getValue()) : std::nullopt;
    });
    int64_t left = llvm::count(places, std::nullopt);
    if (left < 2 || left == int64_t(places.size()) || !canTake(tensor, places))
      continue;
    OpBuilder builder(op);
    SmallVector<AffineExpr> read;
    for (auto [place, expr] : llvm::zip_equal(places, map.getResults()))
      if (!place)
        read.push_back(expr);
    op->setOperand(input, makeSlice(builder, tensor, places));
    formula.setInputMap(input, AffineMap::get(map.getNumDims(), 0, read, op.getContext()));
    ++numSliced;
  }
}

/// The matrices among which data choose.
void SliceWeightsPass::sliceChosen(AtOp op) {
  Places places;
  SmallVector<Value> read;
  for (Value coordinate : op.getCoordinates()) {
    std::optional<int64_t> place = getConstantIntValue(coordinate);
    places.push_back(place);
    if (!place)
      read.push_back(coordinate);
  }
  if (read.size() < 3 || read.size() == places.size() || !canTake(op.getSource(), places))
    return;
  OpBuilder builder(op->getParentOfType<ReduceOp>());
  Value slice = makeSlice(builder, op.getSource(), places);
  builder.setInsertionPoint(op);
  auto at = AtOp::create(builder, op.getLoc(), op.getType(), slice, read, op.getInbounds());
  op.replaceAllUsesWith(at.getResult());
  op.erase();
  ++numSliced;
}
