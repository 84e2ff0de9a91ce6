//===- FuseEpilogue.cpp - weft-fuse-epilogue ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Bias, activation, residual, gate, and any other element-wise formula of a contraction's result
// is applied while the accumulators are in registers.
//
//===----------------------------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {
#define GEN_PASS_DEF_FUSEEPILOGUEPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
/// Emits the map's code with the contraction's element in place of its read.
class EpilogueEmitter : public ElementEmitter {
public:
  EpilogueEmitter(FormulaBuilder &formula, Value contraction, Value element)
      : ElementEmitter(formula), contraction(contraction), element(element) {}

  Value emitElement(OpBuilder &builder, Region &region, Value tensor, AffineMap map,
                    const IndexValues &indices, Location loc) override {
    if (tensor == contraction)
      return element;
    return ElementEmitter::emitElement(builder, region, tensor, map, indices, loc);
  }

private:
  Value contraction, element;
};
} // namespace

/// Whether the indices reach all of the tensor, each of one of its dimensions. A part of a product
/// with a weight has other panels, and adds up otherwise: caches hold parts of what the whole has.
static bool reachAll(MapOp map, ArrayRef<unsigned> dims, RankedTensorType type) {
  return llvm::all_of(llvm::enumerate(dims), [&](auto dim) {
    return FormulaOpInterface(map).getIndexAttr(dim.value()).getExtent() ==
           type.getDimSize(dim.index());
  });
}

/// The contraction `map` can join: read once, at every index of the map in any order. Of several,
/// the last, because the others are then ready when it runs.
static ContractOp findContraction(MapOp map, unsigned &operand) {
  ContractOp last;
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    auto op = input.getDefiningOp<ContractOp>();
    if (!op || !input.hasOneUse() || op->getBlock() != map->getBlock() ||
        !isStoredAsComputed(input))
      continue;
    if (op.getApart() || countScalarOps(op) + countScalarOps(map) > kMaxFusedOps)
      continue;
    std::optional<SmallVector<unsigned>> dims = getDistinctDims(map.getInputMap(i));
    if (!dims || dims->size() != map.getNumIndices() || (last && op->isBeforeInBlock(last)) ||
        !reachAll(map, *dims, cast<RankedTensorType>(input.getType())))
      continue;
    last = op;
    operand = i;
  }
  return last;
}

/// Rebuilds `contract` with the code of `map` behind its own epilogue, at the place of `map`.
static void fuse(RewriterBase &rewriter, ContractOp contract, MapOp map, unsigned operand) {
  Location loc = rewriter.getFusedLoc({contract.getLoc(), map.getLoc()});
  unsigned numOutput = map.getNumIndices();
  // The fused op's output indices are the map's, then come the summed ones.
  SmallVector<IndexAttr> indices(map.getIndices().getAsRange<IndexAttr>());
  FormulaBuilder formula(rewriter.getContext(), indices);
  IndexValues at = getIndexValues(map.getInputMap(operand));
  for (unsigned i = numOutput, e = contract.getNumIndices(); i != e; ++i)
    at.push_back({rewriter.getAffineDimExpr(formula.addIndex(contract.getIndexAttr(i))), Value()});

  Value element = formula.addLeadingArgument(rewriter.getF32Type(), loc);
  OpBuilder body = getBuilderAtEnd(formula.getBody(), rewriter.getContext());
  if (!contract.getEpilogue().empty())
    element = ElementEmitter(formula).emitRegion(body, formula.getBody(), contract,
                                                 contract.getEpilogue(), at,
                                                 contract.getFirstElementInput(), element);
  EpilogueEmitter emitter(formula, contract->getResult(0), element);
  Value result = emitter.emitRegion(body, formula.getBody(), map, map.getBody(),
                                    getIdentityIndices(rewriter.getContext(), numOutput));

  SmallVector<Value> inputs(contract.getInputs().take_front(contract.getFirstElementInput()));
  SmallVector<AffineMap> maps;
  for (unsigned i = 0; i != inputs.size(); ++i)
    maps.push_back(formula.getMap(*getAffineCoordinates(contract.getInputMap(i), at)));
  llvm::append_range(inputs, formula.getReads());
  llvm::append_range(maps, formula.getReadMaps());
  rewriter.setInsertionPoint(map);
  auto op = ContractOp::create(rewriter, loc, map->getResult(0).getType(), inputs, Value(),
                               formula.getIndicesAttr(), rewriter.getAffineMapArrayAttr(maps),
                               ArrayAttr(), contract.getScaleAttr(), contract.getChosenAttr(),
                               UnitAttr());
  finishRegion(formula.getBody(), op.getEpilogue(), result, loc);
  copyLabel(map, op);
  if (auto lane = attrs::Lane::get(contract))
    attrs::Lane::set(op, lane);
  for (Operation *part : {contract.getOperation(), map.getOperation()})
    addFolded(op, part);
  rewriter.replaceOp(map, op->getResult(0));
  rewriter.eraseOp(contract);
}

namespace {
class FuseEpiloguePass : public weft::impl::FuseEpiloguePassBase<FuseEpiloguePass> {
public:
  using FuseEpiloguePassBase::FuseEpiloguePassBase;

  void runOnOperation() override {
    SmallVector<MapOp> maps;
    getOperation()->walk([&](MapOp op) { maps.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (MapOp map : maps) {
      unsigned operand = 0;
      ContractOp contract = findContraction(map, operand);
      if (!contract || !getComputeTypeOf(map->getResult(0)).isF32())
        continue;
      fuse(rewriter, contract, map, operand);
      ++numFused;
    }
  }
};
} // namespace
