//===- RowFactors.cpp - what multiplies weights for all keys alike -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowFactors.h"

#include "ElementWriter.h"
#include "Exponents.h"
#include "WeightFactors.h"

using namespace mlir;
using namespace weft;

bool RowFactors::match() {
  std::optional<unsigned> found = getKey(weights);
  if (!found || !isStoredAsComputed(weights.getResult()))
    return false;
  key = *found;
  exponential = dyn_cast<BlockArgument>(findKeyFactor(formula, getYielded(formula), key));
  if (!exponential || exponential == getYielded(formula))
    return false;
  Value tensor = weights.getInputs()[exponential.getArgNumber()];
  auto map = tensor.getDefiningOp<MapOp>();
  OpOperand &use = *weights->use_begin();
  sum = cast<FormulaOpInterface>(use.getOwner());
  at = sum.getInputMap(use.getOperandNumber());
  return map && !tensor.hasOneUse() && !findExponentials(getYielded(map)).empty() &&
         isStoredAsComputed(sum->getResult(0)) && !sum.getOutputMapsAttr();
}

void RowFactors::move(RewriterBase &rewriter) {
  unsigned operand = weights->use_begin()->getOperandNumber(), input = exponential.getArgNumber();
  rewriter.setInsertionPoint(sum);
  auto bare = cast<FormulaOpInterface>(rewriter.clone(*sum));
  bare->setOperand(operand, weights.getInputs()[input]);
  bare.setInputMap(operand, formula.getInputMap(input).compose(at));
  labelPart(sum, bare);
  rewriter.replaceOp(sum, buildBehind(rewriter, bare->getResult(0)));
  rewriter.eraseOp(weights);
}

/// The weights' formula, of the sum in the place of an exponential.
Operation *RowFactors::buildBehind(RewriterBase &rewriter, Value bareSum) {
  Location loc = sum.getLoc();
  SmallVector<IndexAttr> indices = sum.getIndexList();
  indices.pop_back();
  ElementWriter behind(rewriter, loc, indices);
  IndexValues places = getIndexValues(at);
  places[key].expr = rewriter.getAffineConstantExpr(0); // of which nothing else depends
  SmallVector<Value> arguments;
  for (BlockArgument argument : weights.getBody().getArguments()) {
    unsigned i = argument.getArgNumber();
    Value value;
    if (argument == exponential)
      value = behind.read(bareSum);
    else if (!argument.use_empty())
      value = behind.readAt(weights.getInputs()[i], formula.getInputMap(i), places);
    arguments.push_back(value);
  }
  Value result = cloneScalarCode(behind.getBody(), weights.getBody(), arguments, places).front();
  MapOp map = behind.buildMap(sum->getResult(0).getType(), result);
  copyLabel(sum, map);
  addFolded(map, weights);
  return map;
}
