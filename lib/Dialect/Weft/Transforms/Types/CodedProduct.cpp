//===- CodedProduct.cpp - products of codes -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/CodedProduct.h"

#include "FormulaBuilder.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;

/// The map of the rows of a tensor that is read at `map`.
static AffineMap getRowMap(AffineMap map, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> places =
      llvm::map_to_vector(dims, [&](int64_t dim) { return map.getResult(dim); });
  return AffineMap::get(map.getNumDims(), 0, places, map.getContext());
}

namespace {

/// What sums of codes stand for, in the region at the builder.
struct SumFormula {
  OpBuilder &b;
  Location loc;

  Value real(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
  }

  /// The products without those of the activation's zero.
  Value emitSum(Value codes, Value sums) {
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(kZeroCode));
    Value whole = arith::SubIOp::create(b, loc, codes, arith::MulIOp::create(b, loc, sums, zero));
    return arith::SIToFPOp::create(b, loc, b.getF32Type(), whole);
  }

  /// What a code of an activation's row stands for.
  Value emitFactor(Value largest, double scale) {
    return arith::MulFOp::create(b, loc, largest, real(scale / CodedActivation::kLargest));
  }

  Value emitScaled(Value sum, Value largest, Value factor, double scale) {
    Value row = emitFactor(largest, scale);
    return arith::MulFOp::create(b, loc, sum, arith::MulFOp::create(b, loc, row, factor));
  }
};

} // namespace

/// The sum of codes as what it stands for, in front of what the epilogue made of it. The last
/// arguments are the row's largest magnitude, and scale and sum of the weight's codes.
static void writeEpilogue(ContractOp op) {
  Block &block = op.getEpilogue().front();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  SumFormula formula{b, op.getLoc()};
  auto last = block.getArguments().take_back(3);
  Value largest = last[0], factor = last[1], sums = last[2];
  BlockArgument old = block.getArgument(0);
  BlockArgument codes = block.insertArgument(0u, b.getI32Type(), op.getLoc());
  Value sum = formula.emitScaled(formula.emitSum(codes, sums), largest, factor,
                                 op.getScale().convertToDouble());
  old.replaceAllUsesWith(sum);
  block.eraseArgument(1);
  op.setScaleAttr(b.getF64FloatAttr(1));
}

/// The product of each plane is a result of its own, which has no epilogue. It is not the formula
/// of the text, whose value is what both stand for.
static ContractOp multiplyPlanes(ContractOp op, unsigned weight,
                                 const CodedActivation &activation) {
  OpBuilder b(op);
  IRMapping none;
  auto sums = cast<ContractOp>(b.clone(*op, none));
  sums.getEpilogue().getBlocks().clear();
  IndexedOpInterface formula = sums;
  for (unsigned i = sums.getInputs().size(); i-- > sums.getFirstElementInput();)
    formula.eraseInput(i);
  sums.setScaleAttr(b.getF64FloatAttr(1));
  attrs::Label::remove(sums);
  sums->setOperand(1 - weight, activation.codes);
  auto type = cast<RankedTensorType>(sums->getResult(0).getType());
  sums->getResult(0).setType(type.clone(b.getI32Type()));
  formula.insertIndex(0, IndexAttr::get(b.getContext(), "plane", "", 2, /*dynamic=*/false),
                      /*isOutput=*/true);
  SmallVector<AffineExpr> places{b.getAffineDimExpr(0)};
  llvm::append_range(places, formula.getInputMap(1 - weight).getResults());
  formula.setInputMap(1 - weight,
                      AffineMap::get(formula.getNumIndices(), 0, places, b.getContext()));
  return sums;
}

/// The choice, or 0 where it is no matrix.
static Value emitChoice(OpBuilder &body, FormulaBuilder &map, ContractOp op,
                        const IndexValues &values) {
  Location loc = op.getLoc();
  FormulaOpInterface formula = op;
  Value choice = map.readAt(body, map.getBody(), op.getInputs()[ContractOp::kChoice],
                            formula.getInputMap(ContractOp::kChoice), values, loc);
  Value index = arith::IndexCastOp::create(body, loc, body.getIndexType(), choice);
  int64_t size = formula.getIndexAttr(op.getChosenIndex()).getSize();
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(body, loc, value); };
  Value isKnown =
      arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ult, index, constant(size));
  return arith::SelectOp::create(body, loc, isKnown, index, constant(0));
}

/// The values of a product's indices where a map of its results reads what it reads: what is
/// summed over has none, a chosen matrix that of its choice.
static IndexValues getResultIndices(OpBuilder &body, FormulaBuilder &map, ContractOp op) {
  FormulaOpInterface formula = op;
  MLIRContext *context = op.getContext();
  IndexValues values(formula.getNumIndices(), {getAffineConstantExpr(0, context), Value()});
  for (unsigned i = 0; i != formula.getNumOutputIndices(); ++i)
    values[i].expr = getAffineDimExpr(i, context);
  if (op.getChosen())
    values[op.getChosenIndex()] = {AffineExpr(), emitChoice(body, map, op, values)};
  return values;
}

/// The map that reads both sums of an element and what the product's epilogue reads.
static void addPlanes(ContractOp op, ContractOp sums, ArrayRef<Value> scales,
                      ArrayRef<AffineMap> scaleMaps) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  FormulaOpInterface formula = op;
  SmallVector<IndexAttr> indices = formula.getIndexList();
  indices.truncate(formula.getNumOutputIndices());
  FormulaBuilder map(b.getContext(), indices);
  OpBuilder body = getBuilderAtEnd(map.getBody(), b.getContext());
  SumFormula sum{body, loc};
  SmallVector<Value> planes;
  for (int64_t plane : {0, 1}) {
    SmallVector<AffineExpr> places{b.getAffineConstantExpr(plane)};
    llvm::append_range(places, formula.getOutputIndexingMap().getResults());
    planes.push_back(map.read(map.getBody(), sums->getResult(0), places, loc));
  }
  IndexValues values = getResultIndices(body, map, op);
  auto read = [&](Value tensor, AffineMap from) {
    return map.readAt(body, map.getBody(), tensor, from, values, loc);
  };
  Value largest = read(scales[0], scaleMaps[0]), factor = read(scales[1], scaleMaps[1]),
        ofCodes = read(scales[2], scaleMaps[2]);
  Value first = sum.emitSum(planes[0], ofCodes), second = sum.emitSum(planes[1], ofCodes);
  second = arith::MulFOp::create(body, loc, second, sum.real(1 / CodedActivation::kFiner));
  Value value = sum.emitScaled(arith::AddFOp::create(body, loc, first, second), largest, factor,
                               op.getScale().convertToDouble());
  if (!op.getEpilogue().empty()) {
    SmallVector<Value> arguments{value};
    for (unsigned i = op.getFirstElementInput(); i != op.getInputs().size(); ++i)
      arguments.push_back(read(op.getInputs()[i], formula.getInputMap(i)));
    value = cloneScalarCode(body, op.getEpilogue(), arguments, values).front();
  }
  auto result = MapOp::create(b, loc, op->getResult(0).getType(), map.getReads(), Value(),
                              map.getIndicesAttr(), map.getMapsAttr(), op.getOutputMapsAttr());
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  finishRegion(map.getBody(), result.getBody(), value, loc);
  op->getResult(0).replaceAllUsesWith(result.getResult());
  op.erase();
}

/// An epilogue of the sum as it is, if there is none.
static void addEpilogue(ContractOp op) {
  if (!op.getEpilogue().empty())
    return;
  OpBuilder b = OpBuilder::atBlockEnd(&op.getEpilogue().emplaceBlock());
  YieldOp::create(b, op.getLoc(), op.getEpilogue().addArgument(b.getF32Type(), op.getLoc()));
}

void weft::multiplyKept(ContractOp op, unsigned weight, const CodedActivation &activation) {
  IndexedOpInterface formula = op;
  op->setOperand(1 - weight, activation.codes);
  addEpilogue(op);
  formula.appendInput(activation.largest,
                      getRowMap(formula.getInputMap(1 - weight), activation.keptDims));
  Block &block = op.getEpilogue().front();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  SumFormula sum{b, op.getLoc()};
  BlockArgument codes = block.getArgument(0), largest = block.getArguments().back();
  Value factor = sum.emitFactor(largest, op.getScale().convertToDouble());
  auto scaled = arith::MulFOp::create(b, op.getLoc(), codes, factor);
  codes.replaceAllUsesExcept(scaled, scaled);
  op.setScaleAttr(b.getF64FloatAttr(1));
}

void weft::multiplyCodes(ContractOp op, unsigned weight, const CodedWeight &coded,
                         const CodedActivation &activation, bool hasPlanes) {
  IndexedOpInterface formula = op;
  SmallVector<AffineMap> maps{getRowMap(formula.getInputMap(1 - weight), activation.keptDims),
                              getRowMap(formula.getInputMap(weight), coded.kept),
                              getRowMap(formula.getInputMap(weight), coded.kept)};
  SmallVector<Value> scales{activation.largest, coded.scales, coded.sums};
  if (hasPlanes)
    return addPlanes(op, multiplyPlanes(op, weight, activation), scales, maps);
  op->setOperand(1 - weight, activation.codes);
  addEpilogue(op);
  for (auto [scale, map] : llvm::zip_equal(scales, maps))
    formula.appendInput(scale, map);
  writeEpilogue(op);
}
