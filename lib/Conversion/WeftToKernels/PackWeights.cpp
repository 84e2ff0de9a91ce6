//===- PackWeights.cpp - weights in panels --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every contraction that reads a weight, in whichever function, votes for a matrix view of it,
// K x N. If they are of one mind and all other readers can follow, the weight and all arguments it
// is passed through become panels, and readers go through (n floordiv nr, k, n mod nr).
//
//===----------------------------------------------------------------------------------------===//

#include "TensorClasses.h"
#include "weft/Conversion/WeftToKernels/Panels.h"
#include "weft/Conversion/WeftToKernels/Passes.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

namespace weft {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

/// The dimensions of a weight's view that make up K and N, each slowest first.
struct MatrixView {
  SmallVector<int64_t> k, n;
  bool operator==(const MatrixView &other) const { return k == other.k && n == other.n; }
};

struct PackWeightsPass : weft::impl::PackWeightsBase<PackWeightsPass> {
  using PackWeightsBase::PackWeightsBase;
  void runOnOperation() override;

private:
  std::optional<MatrixView> chooseView(TensorClasses &classes, unsigned id);
  void pack(ArrayRef<Value> members, const MatrixView &view);
};

} // namespace

/// If the last results of `map` are exactly the indices in `wanted`, each alone, and no other
/// result uses them: these indices in the order of the results. Their dimensions are then one
/// contiguous run of memory.
static std::optional<SmallVector<unsigned>> trailingRun(AffineMap map,
                                                        const llvm::SmallBitVector &wanted) {
  unsigned first = map.getNumResults() - std::min<unsigned>(map.getNumResults(), wanted.count());
  SmallVector<unsigned> run;
  llvm::SmallBitVector seen(wanted.size());
  for (unsigned i = 0; i != map.getNumResults(); ++i) {
    AffineExpr result = map.getResult(i);
    if (i < first) {
      for (unsigned index : wanted.set_bits())
        if (result.isFunctionOfDim(index))
          return std::nullopt;
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || !wanted.test(dim.getPosition()) || seen.test(dim.getPosition()))
      return std::nullopt;
    seen.set(dim.getPosition());
    run.push_back(dim.getPosition());
  }
  if (seen != wanted)
    return std::nullopt;
  return run;
}

/// The dimension of `map` that each index of `indices` alone addresses.
static SmallVector<int64_t> dimensionsOf(AffineMap map, ArrayRef<unsigned> indices) {
  SmallVector<int64_t> dimensions;
  for (unsigned index : indices)
    dimensions.push_back(*map.getResultPosition(getAffineDimExpr(index, map.getContext())));
  return dimensions;
}

/// The view that makes `op` a plain product of row-major activations with panels of the weight.
static std::optional<MatrixView> viewFor(FormulaOpInterface op, unsigned weight) {
  AffineMap weightMap = op.getInputMap(weight), activationMap = op.getInputMap(1 - weight);
  if (!weightMap.isProjectedPermutation())
    return std::nullopt;
  llvm::SmallBitVector reduced(op.getNumIndices()), columns(op.getNumIndices());
  for (unsigned index = 0; index != op.getNumIndices(); ++index)
    if (index >= op.getNumOutputIndices())
      reduced.set(index);
    else if (weightMap.isFunctionOfDim(index))
      columns.set(index);
  for (unsigned index : columns.set_bits())
    if (activationMap.isFunctionOfDim(index))
      return std::nullopt; // one matrix for each value of the index
  for (unsigned index : reduced.set_bits())
    if (!weightMap.isFunctionOfDim(index))
      return std::nullopt;
  auto k = trailingRun(activationMap, reduced);
  auto n = trailingRun(op.getOutputIndexingMap(), columns);
  if (!k || !n || k->empty() || n->empty())
    return std::nullopt;
  return MatrixView{dimensionsOf(weightMap, *k), dimensionsOf(weightMap, *n)};
}

/// A gather can follow where a coordinate outside its dimension is outside the packed weight too.
static bool canFollow(AtOp at, const MatrixView &view) {
  return at.getInbounds() || (view.k.size() == 1 && view.n.size() == 1);
}

std::optional<MatrixView> PackWeightsPass::chooseView(TensorClasses &classes, unsigned id) {
  std::optional<MatrixView> view;
  SmallVector<AtOp> gathers;
  for (Value value : classes.getMembers(id)) {
    auto type = cast<RankedTensorType>(value.getType());
    auto source = value.getDefiningOp<WeightOp>();
    bool argument = isa<BlockArgument>(value);
    if (!(argument || (source && !source.getPack())) || !type.hasStaticShape() ||
        !type.getElementType().isF32())
      return std::nullopt;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      unsigned input = use.getOperandNumber();
      if (auto at = dyn_cast<AtOp>(user)) {
        gathers.push_back(at);
      } else if (isa<ContractOp>(user) && input < 2 &&
                 !classes.isWeight(user->getOperand(1 - input))) {
        std::optional<MatrixView> vote = viewFor(cast<FormulaOpInterface>(user), input);
        if (!vote || (view && !(*vote == *view))) {
          ++numUnpacked;
          return std::nullopt;
        }
        view = vote;
      } else if (!getMapsOf(user) && !isa<func::CallOp>(user)) {
        return std::nullopt;
      }
    }
  }
  if (view && !llvm::all_of(gathers, [&](AtOp at) { return canFollow(at, *view); }))
    return std::nullopt;
  return view;
}

template <typename T> static SmallVector<T> select(ArrayRef<T> list, ArrayRef<int64_t> positions) {
  return llvm::map_to_vector(positions, [&](int64_t i) { return list[i]; });
}

/// The activation is the left factor of a packed product: one form for the code generator.
static void packContractionOperand(ContractOp op, unsigned input) {
  if (input != 0 || op.getLhs() == op.getRhs())
    return;
  Value weight = op.getLhs(), activation = op.getRhs();
  SmallVector<Attribute> maps(op.getMaps().getValue());
  std::swap(maps[0], maps[1]);
  op.setMapsAttr(ArrayAttr::get(op.getContext(), maps));
  op->setOperand(0, activation);
  op->setOperand(1, weight);
}

static Value linearizeValues(OpBuilder &builder, Location loc, ArrayRef<Value> coordinates,
                             ArrayRef<int64_t> sizes) {
  Value position = coordinates.front();
  for (auto [coordinate, size] : llvm::zip(coordinates.drop_front(), sizes.drop_front())) {
    Value factor = arith::ConstantIndexOp::create(builder, loc, size);
    position = arith::MulIOp::create(builder, loc, position, factor);
    position = arith::AddIOp::create(builder, loc, position, coordinate);
  }
  return position;
}

/// Shift and mask, for nr is a power of two: a negative n stays out of range and gives 0.
static void packGather(AtOp at, ArrayRef<int64_t> shape, const MatrixView &view, int64_t nr) {
  OpBuilder builder(at);
  Location loc = at.getLoc();
  SmallVector<Value> coordinates(at.getCoordinates());
  Value k = linearizeValues(builder, loc, select<Value>(coordinates, view.k),
                            select<int64_t>(shape, view.k));
  Value n = linearizeValues(builder, loc, select<Value>(coordinates, view.n),
                            select<int64_t>(shape, view.n));
  Value shift = arith::ConstantIndexOp::create(builder, loc, llvm::Log2_64(nr));
  Value mask = arith::ConstantIndexOp::create(builder, loc, nr - 1);
  Value panel = arith::ShRSIOp::create(builder, loc, n, shift);
  Value column = arith::AndIOp::create(builder, loc, n, mask);
  at.getCoordinatesMutable().assign({panel, k, column});
}

static void packMap(Operation *op, unsigned input, ArrayRef<int64_t> shape, const MatrixView &view,
                    int64_t nr) {
  AffineMap map = cast<AffineMapAttr>(getMapsOf(op)[input]).getValue();
  MLIRContext *context = op->getContext();
  ArrayRef<AffineExpr> results = map.getResults();
  AffineExpr k = linearize(select(results, view.k), select(shape, view.k), context);
  AffineExpr n = linearize(select(results, view.n), select(shape, view.n), context);
  setMap(op, input, AffineMap::get(map.getNumDims(), 0, panelCoordinates(k, n, nr), context));
}

void PackWeightsPass::pack(ArrayRef<Value> members, const MatrixView &view) {
  auto type = cast<RankedTensorType>(members.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  auto product = [&](ArrayRef<int64_t> dimensions) {
    int64_t size = 1;
    for (int64_t dimension : dimensions)
      size *= shape[dimension];
    return size;
  };
  auto packed = RankedTensorType::get(
      {int64_t(llvm::divideCeil(product(view.n), nr)), product(view.k), nr}, type.getElementType());
  auto attribute = PackAttr::get(&getContext(), shape, view.k, view.n, nr);
  for (Value value : members) {
    value.setType(packed);
    if (auto weight = value.getDefiningOp<WeightOp>())
      weight.setPackAttr(attribute);
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      Operation *user = use.getOwner();
      unsigned input = use.getOperandNumber();
      if (auto at = dyn_cast<AtOp>(user))
        packGather(at, shape, view, nr);
      else if (getMapsOf(user))
        packMap(user, input, shape, view, nr);
      if (auto contract = dyn_cast<ContractOp>(user))
        packContractionOperand(contract, input);
    }
  }
  ++numPacked;
}

void PackWeightsPass::runOnOperation() {
  if (nr < 1 || !llvm::isPowerOf2_64(nr)) {
    getOperation().emitError() << "the panel width " << nr << " is not a power of two";
    return signalPassFailure();
  }
  TensorClasses classes(getOperation());
  for (unsigned id = 0; id != classes.size(); ++id)
    if (classes.isWeight(id))
      if (std::optional<MatrixView> view = chooseView(classes, id))
        pack(classes.getMembers(id), *view);
  updateFunctionTypes(getOperation());
}
