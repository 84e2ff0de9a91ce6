//===- WeightFactors.cpp - weights that are written in the sum of values -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WeightFactors.h"

#include "ProductFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

Value weft::findKeyFactor(FormulaOpInterface op, Value value, unsigned key) {
  Operation *def = value.getDefiningOp();
  auto isFree = [&](unsigned operand) {
    return !getDependence(op, def->getOperand(operand)).test(key);
  };
  if (isa_and_nonnull<arith::MulFOp, arith::DivFOp>(def) && isFree(1))
    return findKeyFactor(op, def->getOperand(0), key);
  if (isa_and_nonnull<arith::MulFOp>(def) && isFree(0))
    return findKeyFactor(op, def->getOperand(1), key);
  return value;
}

std::optional<unsigned> weft::getKey(MapOp weights) {
  if (!weights->hasOneUse() || weights.getOutputMapsAttr())
    return std::nullopt;
  OpOperand &use = *weights->use_begin();
  auto sum = dyn_cast<FormulaOpInterface>(use.getOwner());
  if (!sum || !isa<ContractOp, ReduceOp>(*sum) ||
      sum.getNumIndices() != sum.getNumOutputIndices() + 1)
    return std::nullopt;
  auto dims = getDistinctDims(sum.getInputMap(use.getOperandNumber()));
  auto *key = dims ? llvm::find(*dims, sum.getNumOutputIndices()) : nullptr;
  if (!dims || key == dims->end())
    return std::nullopt;
  return key - dims->begin();
}

Value weft::getYielded(FormulaOpInterface op) {
  return op->getRegion(0).front().getTerminator()->getOperand(0);
}

void weft::eraseUnused(FormulaOpInterface op) {
  eraseDeadCode(op->getRegion(0));
  for (unsigned i = op.getInputs().size(); i-- > op.getFirstElementInput();)
    if (llvm::all_of(op.getElementArguments(i),
                     [](BlockArgument argument) { return argument.use_empty(); }))
      op.eraseInput(i);
}

Value weft::readInstead(FormulaOpInterface op, Value value, Value tensor, ArrayRef<unsigned> used) {
  SmallVector<AffineExpr> at;
  for (unsigned index : used)
    at.push_back(getAffineDimExpr(index, op.getContext()));
  op.appendInput(tensor, AffineMap::get(op.getNumIndices(), 0, at, op.getContext()));
  Value element = op->getRegion(0).getArguments().back();
  value.replaceAllUsesWith(element);
  return element;
}

bool WeightFactors::match() {
  if (sum.getKind() != ReduceKind::Sum || sum.getOutputMapsAttr() ||
      formula.getNumIndices() != formula.getNumOutputIndices() + 1)
    return false;
  SmallVector<Value> factors;
  collectFactors(getYielded(formula), factors, scale);
  return llvm::any_of(factors, [&](Value factor) {
    value = factor;
    weights.clear();
    llvm::copy_if(factors, std::back_inserter(weights),
                  [&](Value other) { return other != factor; });
    return isa<BlockArgument>(factor) && areWeights();
  });
}

/// Whether an index counts queries: at run time, or as many as there are keys.
bool WeightFactors::isPosition(unsigned index) {
  IndexAttr query = formula.getIndexAttr(index);
  IndexAttr key = formula.getIndexAttr(formula.getNumOutputIndices());
  return query.getDynamic() || (!query.getDim().empty() && query.getDim() == key.getDim());
}

/// Whether what is multiplied with the value has an index that this lacks, and the other way round:
/// pairs of positions, and numbers of either one.
bool WeightFactors::areWeights() {
  // A factor that is an element is a formula already.
  if (weights.empty() || (weights.size() == 1 && isa<BlockArgument>(weights[0])))
    return false;
  llvm::SmallBitVector ofValue = getDependence(formula, value), pair(formula.getNumIndices());
  used = pair;
  for (Value weight : weights) {
    llvm::SmallBitVector of = getDependence(formula, weight);
    used |= of;
    if (hasTwoPositions(formula, of) && of.count() > pair.count())
      pair = of;
  }
  llvm::SmallBitVector known = pair;
  known |= ofValue;
  unsigned key = formula.getNumOutputIndices();
  llvm::SmallBitVector queries = used;
  queries.reset(ofValue);
  return pair.test(key) && ofValue.test(key) && !used.test(known) && ofValue.test(used) &&
         llvm::any_of(queries.set_bits(), [&](unsigned i) { return isPosition(i); });
}

void WeightFactors::outline(RewriterBase &rewriter) {
  Location loc = sum.getLoc();
  Operation *yield = sum.getBody().front().getTerminator();
  OpBuilder body(yield);
  Value product = weights.front();
  for (Value factor : ArrayRef(weights).drop_front())
    product = arith::MulFOp::create(body, loc, product, factor);
  SmallVector<unsigned> indices = llvm::to_vector(used.set_bits());
  rewriter.setInsertionPoint(sum);
  Value tensor = outlineFormula(rewriter, formula, product, indices).first;
  Value weight = readInstead(formula, product, tensor, indices);
  Value term = arith::MulFOp::create(body, loc, weight, value);
  if (scale != 1)
    term = arith::MulFOp::create(
        body, loc, term, arith::ConstantOp::create(body, loc, body.getF32FloatAttr(float(scale))));
  yield->setOperand(0, term);
  eraseUnused(formula);
}
