//===- FormulaBuilder.cpp - a formula under construction ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FormulaBuilder.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;

IndexValues weft::getIdentityIndices(MLIRContext *context, unsigned count) {
  IndexValues values;
  for (unsigned i = 0; i != count; ++i)
    values.push_back({getAffineDimExpr(i, context), Value()});
  return values;
}

IndexValues weft::getIndexValues(AffineMap map) {
  IndexValues values;
  for (AffineExpr expr : map.getResults())
    values.push_back({expr, Value()});
  return values;
}

FormulaBuilder::FormulaBuilder(MLIRContext *context, ArrayRef<IndexAttr> indices)
    : context(context), indices(indices) {
  body.emplaceBlock();
  predicate.emplaceBlock();
}

unsigned FormulaBuilder::addIndex(IndexAttr index) {
  indices.push_back(withFreeName(index, indices));
  return indices.size() - 1;
}

Value FormulaBuilder::addLeadingArgument(Type type, Location loc) {
  return body.front().insertArgument(numLeading++, type, loc);
}

Value FormulaBuilder::read(Region &region, Value tensor, ArrayRef<AffineExpr> at, Location loc) {
  unsigned position = 0;
  while (position != reads.size() &&
         !(reads[position] == tensor && ArrayRef(coordinates[position]) == at))
    ++position;
  if (position == reads.size()) {
    Type type = getComputeTypeOf(tensor);
    reads.push_back(tensor);
    coordinates.emplace_back(at);
    body.addArgument(type, loc);
    predicate.addArgument(type, loc);
  }
  return region.getArgument(position + (&region == &body ? numLeading : 0));
}

Value FormulaBuilder::readAt(OpBuilder &builder, Region &region, Value tensor, AffineMap map,
                             const IndexValues &indexValues, Location loc) {
  if (auto at = getAffineCoordinates(map, indexValues))
    return read(region, tensor, *at, loc);
  SmallVector<Value> at;
  for (AffineExpr expr : map.getResults())
    at.push_back(emitAffine(builder, loc, expr, indexValues));
  return AtOp::create(builder, loc, getComputeTypeOf(tensor), tensor, at, builder.getUnitAttr());
}

AffineMap FormulaBuilder::getMap(ArrayRef<AffineExpr> at) const {
  return AffineMap::get(indices.size(), 0, at, context);
}

SmallVector<AffineMap> FormulaBuilder::getReadMaps() const {
  return llvm::map_to_vector(coordinates,
                             [&](const SmallVector<AffineExpr> &at) { return getMap(at); });
}

ArrayAttr FormulaBuilder::getIndicesAttr() const { return getIndexArray(context, indices); }

ArrayAttr FormulaBuilder::getMapsAttr() const {
  return Builder(context).getAffineMapArrayAttr(getReadMaps());
}

//===----------------------------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------------------------===//

unsigned weft::countScalarOps(Operation *formula) {
  unsigned count = 0;
  for (Region &region : formula->getRegions())
    region.walk([&](Operation *op) { count += !isa<YieldOp>(op); });
  return count;
}

Value weft::emitAffine(OpBuilder &builder, Location loc, AffineExpr expr,
                       const IndexValues &indices) {
  auto getIndex = [&](unsigned position) -> Value {
    return weft::IndexOp::create(builder, loc, position);
  };
  return emitAffine(builder, loc, expr, [&](unsigned dim) {
    const IndexValue &index = indices[dim];
    return index.scalar ? index.scalar : emitAffine(builder, loc, index.expr, getIndex);
  });
}

SmallVector<Value> weft::cloneScalarCode(OpBuilder &builder, Region &source, ValueRange arguments,
                                         const IndexValues &indices) {
  IRMapping mapping;
  mapping.map(source.getArguments(), arguments);
  llvm::SmallDenseMap<int64_t, Value> emitted;
  auto emitIndex = [&](weft::IndexOp op) {
    Value &value = emitted[op.getPosition()];
    if (!value)
      value = emitAffine(builder, op.getLoc(),
                         getAffineDimExpr(op.getPosition(), builder.getContext()), indices);
    return value;
  };
  for (Operation &op : source.front().without_terminator()) {
    if (auto index = dyn_cast<weft::IndexOp>(op)) {
      mapping.map(index.getResult(), emitIndex(index));
      continue;
    }
    // Values for the index ops inside a `weft.inner` are emitted before it.
    op.walk([&](weft::IndexOp index) { emitIndex(index); });
    Operation *clone = builder.clone(op, mapping);
    clone->walk([&](weft::IndexOp index) {
      index.replaceAllUsesWith(emitIndex(index));
      index.erase();
    });
  }
  return llvm::map_to_vector(source.front().getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

std::optional<SmallVector<AffineExpr>> weft::getAffineCoordinates(AffineMap map,
                                                                  const IndexValues &indices) {
  SmallVector<AffineExpr> dims;
  for (const IndexValue &index : indices)
    dims.push_back(index.expr ? index.expr : getAffineConstantExpr(0, map.getContext()));
  SmallVector<AffineExpr> coordinates;
  for (AffineExpr expr : map.getResults()) {
    for (auto [i, index] : llvm::enumerate(indices))
      if (index.scalar && expr.isFunctionOfDim(i))
        return std::nullopt;
    coordinates.push_back(expr.replaceDimsAndSymbols(dims, {}));
  }
  return coordinates;
}

OpBuilder weft::getBuilderAtEnd(Region &region, MLIRContext *context) {
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&region.front());
  return builder;
}

void weft::finishRegion(Region &from, Region &to, ValueRange results, Location loc) {
  OpBuilder builder = getBuilderAtEnd(from, loc.getContext());
  YieldOp::create(builder, loc, results);
  to.takeBody(from);
}

void weft::labelPart(Operation *labelled, Operation *op) {
  if (auto label = attrs::Label::get(labelled))
    attrs::Label::set(op, label.getValue() + ".part");
}

void weft::copyLabel(Operation *labelled, Operation *op) {
  if (StringAttr label = attrs::Label::get(labelled))
    attrs::Label::set(op, label);
}

void weft::addFolded(Operation *op, Operation *producer) {
  llvm::SetVector<Attribute> names;
  auto addNames = [&](Operation *from) {
    if (auto more = attrs::Folded::get(from))
      names.insert(more.begin(), more.end());
  };
  addNames(op);
  if (StringAttr label = attrs::Label::get(producer))
    names.insert(label);
  addNames(producer);
  names.remove(attrs::Label::get(op));
  if (!names.empty())
    attrs::Folded::set(op, ArrayAttr::get(op->getContext(), names.getArrayRef()));
}

void FormulaBuilder::nameFolded(Operation *op) const {
  for (Operation *producer : folded)
    addFolded(op, producer);
}

void weft::eraseIfDead(RewriterBase &rewriter, Operation *op) {
  if (!op || !isOpTriviallyDead(op))
    return;
  llvm::SetVector<Operation *> producers;
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && !op->isAncestor(producer))
        producers.insert(producer);
  });
  rewriter.eraseOp(op);
  for (Operation *producer : producers)
    eraseIfDead(rewriter, producer);
}
