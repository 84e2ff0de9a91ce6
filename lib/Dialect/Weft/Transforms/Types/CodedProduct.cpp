//===- CodedProduct.cpp - products of codes -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/CodedProduct.h"

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
    return emitRounded(sum, arith::MulFOp::create(b, loc, row, factor));
  }

  /// Whether what is added to the sum is part of the formula is the fusions' choice.
  arith::MulFOp emitRounded(Value sum, Value factor) {
    auto product = arith::MulFOp::create(b, loc, sum, factor);
    attrs::Rounded::set(product);
    return product;
  }
};

} // namespace

/// Sums of codes as what they stand for, in front of what the epilogue made of it. The last
/// arguments are the row's largest magnitude, and scale and sum of the weight's codes.
static void writeEpilogue(ContractOp op) {
  Block &block = op.getEpilogue().front();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  SumFormula formula{b, op.getLoc()};
  auto last = block.getArguments().take_back(3);
  Value largest = last[0], factor = last[1], ofCodes = last[2];
  BlockArgument old = block.getArgument(0);
  Value sum;
  for (unsigned plane = 0, e = unsigned(op.getNumSums()); plane != e; ++plane) {
    Value codes = block.insertArgument(plane, b.getI32Type(), op.getLoc());
    Value own = formula.emitSum(codes, ofCodes);
    if (plane) // what the first one leaves
      own = arith::AddFOp::create(
          b, op.getLoc(), sum,
          arith::MulFOp::create(b, op.getLoc(), own, formula.real(1 / CodedActivation::kFiner)));
    sum = own;
  }
  old.replaceAllUsesWith(formula.emitScaled(sum, largest, factor, op.getScale().convertToDouble()));
  block.eraseArgument(old.getArgNumber());
  op.setScaleAttr(b.getF64FloatAttr(1));
}

/// The factor reads codes in planes, each of which has a sum of its own.
static void addPlanes(ContractOp op, unsigned input, unsigned dim) {
  IndexedOpInterface formula = op;
  MLIRContext *context = op.getContext();
  unsigned position = formula.getNumIndices() - op.getChosen();
  formula.insertIndex(position, IndexAttr::get(context, "plane", "", 2, /*dynamic=*/false),
                      /*isOutput=*/false);
  op.setApart(true);
  formula.setInputMap(
      input, formula.getInputMap(input).insertResult(getAffineDimExpr(position, context), dim));
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
  arith::MulFOp scaled = sum.emitRounded(codes, factor);
  codes.replaceAllUsesExcept(scaled, scaled);
  op.setScaleAttr(b.getF64FloatAttr(1));
}

void weft::multiplyCodes(ContractOp op, unsigned weight, const CodedWeight &coded,
                         const CodedActivation &activation) {
  IndexedOpInterface formula = op;
  unsigned other = 1 - weight;
  AffineMap ofRows = getRowMap(formula.getInputMap(other), activation.keptDims),
            ofColumns = getRowMap(formula.getInputMap(weight), coded.kept);
  op->setOperand(other, activation.codes);
  addEpilogue(op);
  formula.appendInput(activation.largest, ofRows);
  formula.appendInput(coded.scales, ofColumns);
  formula.appendInput(coded.sums, ofColumns);
  if (activation.planes)
    addPlanes(op, other, *activation.planes);
  writeEpilogue(op);
}
