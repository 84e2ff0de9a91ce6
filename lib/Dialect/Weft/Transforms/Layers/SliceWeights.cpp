//===- SliceWeights.cpp - weft-slice-weights ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Checkpoints store the matrices of gates and of what they let through as one, or keys and values
// behind queries. A product reads its own, and is one of matrices only if its weight is: so each
// becomes a tensor, which weft-derive-weights makes a weight. Codes of the checkpoint are taken out
// of it where they are neighbours, as whole rows.
//
//===----------------------------------------------------------------------------------------===//

#include "Layers/DerivedModule.h"

#include "weft/Dialect/Weft/IR/CopyFormula.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

namespace weft {
#define GEN_PASS_DEF_SLICEWEIGHTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
/// What is read of a dimension: one place, or `size` of them from `begin`.
struct Place {
  int64_t begin;
  std::optional<int64_t> size;
};
} // namespace

/// The place in each dimension that is not read as a whole.
using Places = SmallVector<std::optional<Place>>;

static bool isPoint(const std::optional<Place> &place) { return place && !place->size; }

/// The part of a tensor at these places, whose other dimensions are the tensor's.
static Value makeSlice(OpBuilder &builder, Value tensor, const Places &places) {
  auto type = cast<RankedTensorType>(tensor.getType());
  MLIRContext *context = builder.getContext();
  SmallVector<IndexAttr> indices;
  SmallVector<AffineExpr> read;
  for (auto [dim, place] : llvm::enumerate(places)) {
    if (isPoint(place)) {
      read.push_back(getAffineConstantExpr(place->begin, context));
      continue;
    }
    read.push_back(getAffineDimExpr(indices.size(), context) + (place ? place->begin : 0));
    std::string name = "d" + std::to_string(indices.size());
    int64_t size = place ? *place->size : type.getDimSize(unsigned(dim));
    indices.push_back(IndexAttr::get(context, name, "", size, false));
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
  auto isFree = [](const std::optional<Place> &place) { return !place; };
  auto behind = llvm::find_if(places, [](const auto &place) { return !isPoint(place); });
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

/// The place that a coordinate says, or where the index that it adds to begins. What is read from
/// the beginning on needs no copy: the columns of a product may be fewer than its weight's.
static std::optional<Place> getPlace(FormulaOpInterface formula, AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Place{constant.getValue(), std::nullopt};
  std::optional<int64_t> begin = getShift(expr);
  if (!begin || *begin < 0)
    return std::nullopt;
  auto index = cast<AffineDimExpr>(cast<AffineBinaryOpExpr>(expr).getLHS());
  IndexAttr range = formula.getIndexAttr(index.getPosition());
  return range.getDynamic() ? std::nullopt : std::optional(Place{*begin, range.getSize()});
}

/// Factors with a matrix left.
void SliceWeightsPass::sliceFactors(ContractOp op) {
  FormulaOpInterface formula = op;
  for (unsigned input : {0u, 1u}) {
    Value tensor = op.getInputs()[input];
    AffineMap map = formula.getInputMap(input);
    Places places = llvm::map_to_vector(map.getResults(),
                                        [&](AffineExpr expr) { return getPlace(formula, expr); });
    bool isWhole = llvm::none_of(places, [](const auto &place) { return place.has_value(); });
    if (isWhole || places.size() - llvm::count_if(places, isPoint) < 2 || !canTake(tensor, places))
      continue;
    OpBuilder builder(op);
    SmallVector<AffineExpr> read;
    for (auto [place, expr] : llvm::zip_equal(places, map.getResults()))
      if (!isPoint(place))
        read.push_back(place ? expr - place->begin : expr);
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
    places.push_back(place ? std::optional(Place{*place, std::nullopt}) : std::nullopt);
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
