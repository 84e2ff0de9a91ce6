//===- FuseElementwise.cpp - weft-fuse-elementwise ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An element-wise formula that is read once is computed where it is read, unless its work would be
// repeated there and costs more than keeping the result (Cost.h). So is one that costs less to
// compute than to load. No formula grows without end by it.
//
//===----------------------------------------------------------------------------------------===//

#include "Cost.h"
#include "ElementEmitter.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace weft {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Index arithmetic and a few operations on at most one element: cheaper than a tensor.
static bool isCheap(MapOp map, unsigned maxOps) {
  return map.getInputs().size() <= 1 && getElementCost(map) <= maxOps &&
         map.getBody().getOps<AtOp>().empty();
}

/// What is said of pairs of positions.
static bool isMask(MapOp map) {
  FormulaOpInterface formula = map;
  return hasTwoPositions(formula, llvm::SmallBitVector(formula.getNumIndices(), true));
}

/// Whether a mask is only part of what the formula computes of a pair. A sum of masks, or of a
/// mask's products with values, has it for weights.
static bool hidesPairs(FormulaOpInterface op) {
  if (!isa<ReduceOp>(*op))
    return true;
  return llvm::any_of(llvm::enumerate(op.getInputs()), [&](auto input) {
    auto map = input.value().template getDefiningOp<MapOp>();
    return !(map && map.getInputs().empty()) &&
           hasTwoPositions(op, getUsedIndices(op.getInputMap(input.index())));
  });
}

namespace {
/// Inlines the maps a consumer reads, where that is never more work.
class ElementwiseEmitter : public ElementEmitter {
public:
  /// For a reader of `numPoints` points that has room for so many operations of others.
  ElementwiseEmitter(FormulaBuilder &formula, const FuseElementwisePassOptions &options,
                     double numPoints, unsigned room)
      : ElementEmitter(formula), options(options), numPoints(numPoints), room(room) {}

  Value emitElement(OpBuilder &builder, Region &region, Value tensor, AffineMap map,
                    const IndexValues &indices, Location loc) override {
    auto producer = tensor.getDefiningOp<MapOp>();
    if (!producer || !mayInline(producer))
      return ElementEmitter::emitElement(builder, region, tensor, map, indices, loc);
    room -= countScalarOps(producer);
    return emitMap(builder, region, producer, map, indices);
  }

  bool mayInline(MapOp producer) const {
    if (countScalarOps(producer) > room || !isStoredAsComputed(producer->getResult(0)))
      return false;
    bool cheap = isCheap(producer, options.maxCheapOps);
    if (producer.getInputs().empty() && cheap)
      return !options.masks || isMask(producer);
    if (options.masks)
      return false;
    return producer->hasOneUse() && (cheap || isWorthInlining(producer, numPoints));
  }

private:
  const FuseElementwisePassOptions &options;
  double numPoints;
  unsigned room;
};

/// Rebuilds a map, reduction or softmax with its producers inlined.
class ElementwiseFusion {
public:
  ElementwiseFusion(RewriterBase &rewriter, const FuseElementwisePassOptions &options)
      : rewriter(rewriter), options(options) {}

  template <typename OpTy> bool run(OpTy op);

private:
  RewriterBase &rewriter;
  FuseElementwisePassOptions options;
};
} // namespace

static Region *getPredicateRegion(Operation *op) {
  return op->getNumRegions() > 1 && !op->getRegion(1).empty() ? &op->getRegion(1) : nullptr;
}

template <typename OpTy> bool ElementwiseFusion::run(OpTy op) {
  if (options.masks && !hidesPairs(op))
    return false;
  FormulaBuilder formula(rewriter.getContext(),
                         SmallVector<IndexAttr>(op.getIndices().template getAsRange<IndexAttr>()));
  unsigned size = countScalarOps(op);
  ElementwiseEmitter emitter(formula, options, countPoints(op),
                             kMaxFusedOps - std::min(size, kMaxFusedOps));
  llvm::SetVector<Operation *> producers;
  for (Value input : op.getInputs())
    if (auto map = input.getDefiningOp<MapOp>())
      if (emitter.mayInline(map))
        producers.insert(map);
  if (producers.empty())
    return false;

  IndexValues indices = getIdentityIndices(rewriter.getContext(), op.getNumIndices());
  auto emit = [&](Region &into, Region &source) {
    OpBuilder builder = getBuilderAtEnd(into, rewriter.getContext());
    return emitter.emitYields(builder, into, op, source, indices);
  };
  SmallVector<Value> element = emit(formula.getBody(), op.getBody()), condition;
  Region *predicate = getPredicateRegion(op);
  if (predicate)
    condition = emit(formula.getPredicate(), *predicate);

  // Of several there may not be room for all: the others are still read.
  for (Value read : formula.getReads())
    producers.remove(read.getDefiningOp());
  // Last what the result stands for, as in the other fusions.
  SmallVector<Location> locations;
  for (Operation *producer : producers)
    locations.push_back(producer->getLoc());
  locations.push_back(op.getLoc());

  rewriter.modifyOpInPlace(op, [&] {
    op.getInputsMutable().assign(formula.getReads());
    op.setMapsAttr(formula.getMapsAttr());
    finishRegion(formula.getBody(), op.getBody(), element, op.getLoc());
    if (predicate)
      finishRegion(formula.getPredicate(), *predicate, condition, op.getLoc());
    op->setLoc(rewriter.getFusedLoc(locations));
    formula.nameFolded(op);
  });
  for (Operation *producer : producers)
    eraseIfDead(rewriter, producer);
  return true;
}

namespace {
class FuseElementwisePass : public weft::impl::FuseElementwisePassBase<FuseElementwisePass> {
public:
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    ElementwiseFusion fusion(rewriter, {maxCheapOps, masks});
    SmallVector<Operation *> consumers;
    getOperation()->walk([&](Operation *op) {
      if (isa<MapOp, ReduceOp, SoftmaxOp>(op))
        consumers.push_back(op);
    });
    // Producers come first, so a consumer sees them already fused; those erased by a later fusion
    // were visited before.
    for (Operation *op : consumers) {
      bool fused = llvm::TypeSwitch<Operation *, bool>(op).Case<MapOp, ReduceOp, SoftmaxOp>(
          [&](auto op) { return fusion.run(op); });
      numFused += fused;
    }
  }
};
} // namespace
