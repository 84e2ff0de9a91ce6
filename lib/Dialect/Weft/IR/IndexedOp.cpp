//===- IndexedOp.cpp - what is done to indices and inputs -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The surgery of IndexedOpInterface. All of it is one rewriting: a list of new indices, and what
// each old index is in terms of them.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/EmitAffine.h"
#include "weft/Dialect/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------------------------===//

namespace {
/// New indices for an op, and what becomes of the old ones.
struct IndexRewrite {
  SmallVector<IndexAttr> indices;
  unsigned numOutputs;         ///< of the new indices
  SmallVector<AffineExpr> now; ///< the old ones, of the new ones

  explicit IndexRewrite(IndexedOpInterface op)
      : indices(op.getIndexList()), numOutputs(op.getNumOutputIndices()),
        now(weft::detail::getPlainOutputMap(op, indices.size()).getResults()) {}

  AffineMap get(AffineMap map) const {
    return map.replaceDimsAndSymbols(now, {}, indices.size(), 0);
  }
  void apply(IndexedOpInterface op) const;
  void applyToRegions(IndexedOpInterface op) const;
};
} // namespace

void IndexRewrite::applyToRegions(IndexedOpInterface op) const {
  op->walk([&](weft::IndexOp index) {
    AffineExpr expr = now[index.getPosition()];
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return index.setPosition(dim.getPosition());
    OpBuilder builder(index);
    index.replaceAllUsesWith(emitAffine(builder, index.getLoc(), expr, [&](unsigned position) {
      return weft::IndexOp::create(builder, index.getLoc(), position);
    }));
    index.erase();
  });
}

IndexAttr weft::withFreeName(IndexAttr index, ArrayRef<IndexAttr> others) {
  auto isTaken = [&](StringRef name) {
    return llvm::any_of(others, [&](IndexAttr other) { return other.getName() == name; });
  };
  std::string name = index.getName().str();
  for (unsigned i = 1; isTaken(name); ++i)
    name = index.getName().str() + std::to_string(i);
  return IndexAttr::get(index.getContext(), name, index.getDim(), index.getSize(),
                        index.getDynamic());
}

ArrayAttr weft::getIndexArray(MLIRContext *context, ArrayRef<IndexAttr> indices) {
  return ArrayAttr::get(context, SmallVector<Attribute>(indices.begin(), indices.end()));
}

/// All but how outputs are stored, which is not the same for what is added or removed.
void IndexRewrite::apply(IndexedOpInterface op) const {
  applyToRegions(op);
  op.setInputMaps(llvm::map_to_vector(op.getInputMaps(), [&](AffineMap map) { return get(map); }));
  op.rewriteIndexAttributes(now, numOutputs);
  op.setIndicesAttr(getIndexArray(op->getContext(), indices));
}

/// The output maps of a formula; none of a check.
static SmallVector<AffineMap> getOutputMaps(IndexedOpInterface op) {
  auto formula = dyn_cast<FormulaOpInterface>(op.getOperation());
  assert((!formula || !formula.hasBufferSemantics()) && "buffers have their types already");
  return formula ? formula.getOutputIndexingMaps() : SmallVector<AffineMap>();
}

static void setOutputMaps(IndexedOpInterface op, ArrayRef<AffineMap> maps) {
  if (auto formula = dyn_cast<FormulaOpInterface>(op.getOperation()))
    formula.setOutputIndexingMaps(maps);
}

void weft::detail::insertIndex(IndexedOpInterface op, unsigned position, IndexAttr index,
                               bool isOutput) {
  IndexRewrite rewrite(op);
  assert(isOutput ? position <= rewrite.numOutputs : position >= rewrite.numOutputs);
  SmallVector<AffineMap> outputs = getOutputMaps(op);
  rewrite.numOutputs += isOutput;
  rewrite.indices.insert(rewrite.indices.begin() + position, withFreeName(index, rewrite.indices));
  for (AffineExpr &expr : MutableArrayRef(rewrite.now).drop_front(position))
    expr = expr.shiftDims(rewrite.now.size(), 1);
  for (AffineMap &map : outputs) {
    // In front of the first dimension of an index behind it.
    unsigned place = 0;
    while (place != map.getNumResults() && map.getDimPosition(place) < position)
      ++place;
    map = rewrite.get(map);
    if (isOutput)
      map = map.insertResult(getAffineDimExpr(position, op->getContext()), place);
  }
  rewrite.apply(op);
  setOutputMaps(op, outputs);
}

void weft::detail::substituteIndex(IndexedOpInterface op, unsigned position, AffineExpr value) {
  assert(!value.isFunctionOfDim(position) && "an index is no expression of itself");
  IndexRewrite rewrite(op);
  SmallVector<AffineMap> outputs = getOutputMaps(op);
  rewrite.numOutputs -= position < rewrite.numOutputs;
  rewrite.indices.erase(rewrite.indices.begin() + position);
  for (AffineExpr &expr : MutableArrayRef(rewrite.now).drop_front(position + 1))
    expr = getAffineDimExpr(cast<AffineDimExpr>(expr).getPosition() - 1, op->getContext());
  rewrite.now[position] = value.replaceDims(rewrite.now);
  AffineExpr erased = getAffineDimExpr(position, op->getContext());
  for (AffineMap &map : outputs) {
    if (std::optional<unsigned> place = map.getResultPosition(erased))
      map = map.dropResult(*place);
    map = rewrite.get(map);
  }
  rewrite.apply(op);
  setOutputMaps(op, outputs);
}

void weft::detail::replaceIndex(IndexedOpInterface op, unsigned position, IndexAttr index) {
  SmallVector<AffineMap> outputs = getOutputMaps(op);
  SmallVector<IndexAttr> indices = op.getIndexList();
  indices[position] = index;
  op.setIndicesAttr(getIndexArray(op->getContext(), indices));
  setOutputMaps(op, outputs);
}

void weft::detail::permuteIndices(IndexedOpInterface op, ArrayRef<unsigned> order) {
  IndexRewrite rewrite(op);
  SmallVector<AffineMap> outputs = getOutputMaps(op);
  for (auto [position, old] : llvm::enumerate(order)) {
    assert((position < rewrite.numOutputs) == (old < rewrite.numOutputs));
    rewrite.indices[position] = op.getIndexAttr(old);
    rewrite.now[old] = getAffineDimExpr(position, op->getContext());
  }
  for (AffineMap &map : outputs)
    map = rewrite.get(map);
  rewrite.apply(op);
  setOutputMaps(op, outputs);
}

//===----------------------------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------------------------===//

AffineMap weft::detail::getPlainOutputMap(IndexedOpInterface op, unsigned rank) {
  return AffineMap::getMultiDimIdentityMap(op.getNumIndices(), op->getContext())
      .getSliceMap(0, rank);
}

void weft::detail::setOutputIndexingMaps(FormulaOpInterface op, ArrayRef<AffineMap> maps) {
  AffineMap plain = getPlainOutputMap(op, maps.front().getNumResults());
  bool isPlain = llvm::all_of(maps, [&](AffineMap map) { return map == plain; });
  op.setOutputMapsAttr(isPlain ? ArrayAttr()
                               : Builder(op->getContext()).getAffineMapArrayAttr(maps));
  for (OpResult result : op->getResults()) {
    SmallVector<IndexAttr> stored =
        llvm::map_to_vector(maps[result.getResultNumber()].getResults(), [&](AffineExpr expr) {
          return op.getIndexAttr(cast<AffineDimExpr>(expr).getPosition());
        });
    result.setType(getTensorType(stored, cast<ShapedType>(result.getType()).getElementType()));
  }
}

//===----------------------------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------------------------===//

SmallVector<BlockArgument> weft::detail::getElementArguments(IndexedOpInterface op,
                                                             unsigned input) {
  SmallVector<BlockArgument> arguments;
  unsigned fromEnd = op.getInputs().size() - input;
  if (input >= op.getFirstElementInput())
    for (Region &region : op->getRegions())
      if (!region.empty() && fromEnd <= region.getNumArguments())
        arguments.push_back(region.getArgument(region.getNumArguments() - fromEnd));
  return arguments;
}

void weft::detail::eraseInput(IndexedOpInterface op, unsigned input) {
  for (BlockArgument argument : getElementArguments(op, input))
    argument.getOwner()->eraseArgument(argument.getArgNumber());
  SmallVector<AffineMap> maps = op.getInputMaps();
  maps.erase(maps.begin() + input);
  op.setInputMaps(maps);
  op.getInputsMutable().erase(input);
}

void weft::detail::appendInput(IndexedOpInterface op, Value input, AffineMap map) {
  Type type = getComputeTypeOf(input);
  for (Region &region : op->getRegions())
    if (!region.empty())
      region.addArgument(type, input.getLoc());
  SmallVector<AffineMap> maps = op.getInputMaps();
  maps.push_back(map);
  op.setInputMaps(maps);
  op.getInputsMutable().append(input);
}

void weft::detail::swapFactors(IndexedOpInterface op, unsigned i, unsigned j) {
  assert(std::max(i, j) < op.getFirstElementInput() && "elements have arguments");
  SmallVector<AffineMap> maps = op.getInputMaps();
  std::swap(maps[i], maps[j]);
  op.setInputMaps(maps);
  // No other operand is touched: the caller may go through the uses of one of the two.
  OpOperand &first = op.getInputsMutable()[i], &second = op.getInputsMutable()[j];
  Value value = first.get();
  first.set(second.get());
  second.set(value);
}
