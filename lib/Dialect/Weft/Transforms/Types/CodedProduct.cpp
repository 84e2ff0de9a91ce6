//===- CodedProduct.cpp - products of codes -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/CodedProduct.h"

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
  for (unsigned i = sums.getInputs().size(); i-- > 2;)
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

/// The map that reads both sums of an element and what the product's epilogue reads.
static void addPlanes(ContractOp op, ContractOp sums, ArrayRef<Value> scales,
                      ArrayRef<AffineMap> scaleMaps) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  FormulaOpInterface formula = op;
  unsigned numOutputs = formula.getNumOutputIndices();
  SmallVector<IndexAttr> indices = formula.getIndexList();
  indices.truncate(numOutputs);
  auto ofOutputs = [&](AffineMap map) {
    return AffineMap::get(numOutputs, 0, map.getResults(), b.getContext());
  };
  SmallVector<Value> inputs(2, sums->getResult(0));
  SmallVector<AffineMap> maps;
  for (int64_t plane : {0, 1}) {
    SmallVector<AffineExpr> places{b.getAffineConstantExpr(plane)};
    llvm::append_range(places, formula.getOutputIndexingMap().getResults());
    maps.push_back(AffineMap::get(numOutputs, 0, places, b.getContext()));
  }
  llvm::append_range(inputs, scales);
  for (AffineMap map : scaleMaps)
    maps.push_back(ofOutputs(map));
  for (unsigned i = 2; i != op.getInputs().size(); ++i) {
    inputs.push_back(op.getInputs()[i]);
    maps.push_back(ofOutputs(formula.getInputMap(i)));
  }
  auto map = MapOp::create(b, loc, op->getResult(0).getType(), inputs, Value(),
                           getIndexArray(b.getContext(), indices), b.getAffineMapArrayAttr(maps),
                           op.getOutputMapsAttr());
  map->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block &block = map.getBody().emplaceBlock();
  OpBuilder body = OpBuilder::atBlockEnd(&block);
  for (Value input : inputs)
    block.addArgument(getComputeTypeOf(input), loc);
  auto arguments = block.getArguments();
  SumFormula sum{body, loc};
  Value first = sum.emitSum(arguments[0], arguments[4]);
  Value second = sum.emitSum(arguments[1], arguments[4]);
  second = arith::MulFOp::create(body, loc, second, sum.real(1 / CodedActivation::kFiner));
  Value value = sum.emitScaled(arith::AddFOp::create(body, loc, first, second), arguments[2],
                               arguments[3], op.getScale().convertToDouble());
  if (op.getEpilogue().empty()) {
    YieldOp::create(body, loc, value);
  } else {
    IRMapping mapping;
    Block &epilogue = op.getEpilogue().front();
    mapping.map(epilogue.getArgument(0), value);
    for (unsigned i = 1; i != epilogue.getNumArguments(); ++i)
      mapping.map(epilogue.getArgument(i), arguments[i + 4]);
    for (Operation &inner : epilogue)
      body.clone(inner, mapping);
  }
  op->getResult(0).replaceAllUsesWith(map.getResult());
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
