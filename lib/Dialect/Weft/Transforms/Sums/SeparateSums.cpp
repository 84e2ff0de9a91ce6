//===- SeparateSums.cpp - weft-separate-sums ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// For targets whose kernels make one sum of an element: the sums are a tensor, with a dimension
// more, and a map makes of them what the epilogue did.
//
//===----------------------------------------------------------------------------------------===//

#include "ElementWriter.h"

#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_SEPARATESUMSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Where the index of the sums stands among those of the output: behind the others by which the
/// factor is read that has it, so that rows follow each other as they did.
static unsigned getPlace(ContractOp op) {
  FormulaOpInterface formula = op;
  unsigned rows = formula.getInputMap(0).isFunctionOfDim(*op.getApartIndex()) ? 0 : 1;
  unsigned place = 0;
  for (unsigned i = 0; i != formula.getNumOutputIndices(); ++i)
    if (formula.getInputMap(rows).isFunctionOfDim(i) &&
        !formula.getInputMap(1 - rows).isFunctionOfDim(i))
      place = i + 1;
  return place;
}

/// The sums are no formula of the text.
static ContractOp makeSums(ContractOp op, unsigned place) {
  OpBuilder b(op);
  auto sums = cast<ContractOp>(b.clone(*op));
  IndexedOpInterface formula = sums;
  IndexAttr apart = formula.getIndexAttr(*op.getApartIndex());
  sums.getEpilogue().getBlocks().clear();
  for (unsigned i = sums.getInputs().size(); i-- > sums.getFirstElementInput();)
    formula.eraseInput(i);
  attrs::Label::remove(sums);
  auto type = cast<RankedTensorType>(sums->getResult(0).getType());
  sums->getResult(0).setType(type.clone(sums.getSumType()));
  unsigned position = *op.getApartIndex();
  sums.setApart(false);
  formula.insertIndex(place, apart, /*isOutput=*/true);
  formula.substituteIndex(position + 1, b.getAffineDimExpr(place));
  formula.replaceIndex(place, apart); // whose name is free now
  return sums;
}

/// The choice, or 0 where it is no matrix.
static Value emitChoice(ElementWriter &writer, ContractOp op, const IndexValues &values) {
  Location loc = op.getLoc();
  FormulaOpInterface formula = op;
  OpBuilder &body = writer.getBody();
  Value choice = writer.readAt(op.getInputs()[ContractOp::kChoice],
                               formula.getInputMap(ContractOp::kChoice), values);
  Value index = arith::IndexCastOp::create(body, loc, body.getIndexType(), choice);
  int64_t size = formula.getIndexAttr(op.getChosenIndex()).getSize();
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(body, loc, value); };
  Value isKnown =
      arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ult, index, constant(size));
  return arith::SelectOp::create(body, loc, isKnown, index, constant(0));
}

/// The values of a product's indices where a map of its results reads what it reads: what is
/// summed over has none, a chosen matrix that of its choice.
static IndexValues getResultIndices(ElementWriter &writer, ContractOp op) {
  FormulaOpInterface formula = op;
  MLIRContext *context = op.getContext();
  IndexValues values = getIdentityIndices(context, formula.getNumOutputIndices());
  values.resize(formula.getNumIndices(), {getAffineConstantExpr(0, context), Value()});
  if (op.getChosen())
    values[op.getChosenIndex()] = {AffineExpr(), emitChoice(writer, op, values)};
  return values;
}

static void separate(ContractOp op) {
  unsigned place = getPlace(op);
  ContractOp sums = makeSums(op, place);
  OpBuilder b(op);
  Location loc = op.getLoc();
  FormulaOpInterface formula = op;
  SmallVector<IndexAttr> indices = formula.getIndexList();
  indices.truncate(formula.getNumOutputIndices());
  ElementWriter writer(b, loc, indices);
  SmallVector<Value> arguments;
  for (int64_t i = 0; i != op.getNumSums(); ++i) {
    SmallVector<AffineExpr> now;
    for (unsigned dim = 0; dim != indices.size(); ++dim)
      now.push_back(b.getAffineDimExpr(dim));
    now.insert(now.begin() + place, b.getAffineConstantExpr(i));
    AffineMap stored = FormulaOpInterface(sums).getOutputIndexingMap();
    auto places = llvm::map_to_vector(stored.getResults(), [&](AffineExpr expr) {
      return now[cast<AffineDimExpr>(expr).getPosition()];
    });
    arguments.push_back(writer.read(sums->getResult(0), places));
  }
  IndexValues values = getResultIndices(writer, op);
  for (unsigned i = op.getFirstElementInput(); i != op.getInputs().size(); ++i)
    arguments.push_back(writer.readAt(op.getInputs()[i], formula.getInputMap(i), values));
  Value value = cloneScalarCode(writer.getBody(), op.getEpilogue(), arguments, values).front();
  MapOp result = writer.buildMap(op->getResult(0).getType(), value, op.getOutputMapsAttr());
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  attrs::Lane::remove(result); // which is no sum any more
  op->getResult(0).replaceAllUsesWith(result.getResult());
  op.erase();
}

namespace {
class SeparateSumsPass : public weft::impl::SeparateSumsPassBase<SeparateSumsPass> {
public:
  using SeparateSumsPassBase::SeparateSumsPassBase;

  void runOnOperation() override {
    SmallVector<ContractOp> apart;
    getOperation().walk([&](ContractOp op) {
      if (op.getApart())
        apart.push_back(op);
    });
    for (ContractOp op : apart)
      separate(op);
    numSeparated += apart.size();
  }
};
} // namespace
