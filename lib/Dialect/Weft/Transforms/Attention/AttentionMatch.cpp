//===- AttentionMatch.cpp - weights and the sum that consumes them --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionMatch.h"
#include "Exponents.h"
#include "ProductFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

bool AttentionMatch::matchSoftmax(SoftmaxOp op) {
  if (!op->getResult(0).hasOneUse())
    return fail("the weights are used more than once");
  return matchUse(op, *op->getResult(0).use_begin());
}

bool AttentionMatch::matchUse(SoftmaxOp op, OpOperand &use) {
  softmax = op;
  if (softmax.getNormalizer() != Normalizer::Softmax)
    return fail("a logarithm of weights cannot be summed while streaming (log_softmax)");
  auto contract = dyn_cast<ContractOp>(use.getOwner());
  if (!contract || use.getOperandNumber() > 1)
    return fail("no contraction consumes the weights");
  consumer = contract;
  weightOperand = use.getOperandNumber();
  valueOperand = 1 - weightOperand;
  if (!contract.getEpilogue().empty())
    return fail("the contraction already has an epilogue");
  scale = contract.getScale().convertToDouble();
  return matchStorage() && matchIndices();
}

/// Sums and weights are what is computed; there is no other place to round them.
bool AttentionMatch::matchStorage() {
  if (!isStoredAsComputed(consumer->getResult(0)))
    return fail("the sum is not stored in f32");
  return isStoredAsComputed(getWeights()) || fail("the weights are not stored in f32");
}

/// The operands that are the two factors of the sum.
bool AttentionMatch::findFactors(unsigned (&operands)[2]) {
  operands[0] = 0, operands[1] = 1;
  if (auto contract = dyn_cast<ContractOp>(*consumer)) {
    scale = contract.getScale().convertToDouble();
    return contract.getEpilogue().empty();
  }
  auto reduce = dyn_cast<ReduceOp>(*consumer);
  SmallVector<Value> factors;
  if (reduce && reduce.getKind() == ReduceKind::Sum)
    collectFactors(reduce.getBody().front().getTerminator()->getOperand(0), factors, scale);
  if (factors.size() != 2 || factors[0] == factors[1])
    return false;
  for (unsigned i : {0, 1}) {
    auto argument = dyn_cast<BlockArgument>(factors[i]);
    if (!argument)
      return false;
    operands[i] = argument.getArgNumber();
  }
  return true;
}

/// Without a softmax to mark them, only run-time positions tell weights from hidden features.
bool AttentionMatch::hasPositions() {
  return consumer.getIndexAttr(consumer.getNumOutputIndices()).getDynamic() &&
         consumer.getIndexAttr(queries.find_first()).getDynamic();
}

/// Whether the one factor is computed for each pair, and for no other reader.
bool AttentionMatch::matchWeights() {
  Operation *weights = getWeights().getDefiningOp();
  if (!isa_and_nonnull<MapOp, ContractOp, ReduceOp>(weights) ||
      !matchTotals(consumer, weightOperand, totals) || !matchStorage() || !matchIndices())
    return false;
  if (!totals.empty()) {
    rowIndices = totals.front().indices;
    llvm::sort(rowIndices);
  }
  auto map = dyn_cast<MapOp>(weights);
  areExponentials = !totals.empty() && map && weft::areExponentials(map);
  if (areExponentials)
    return true;
  // Two positions whose weights are added up are none, whatever their sizes.
  return hasPositions() ||
         (!totals.empty() &&
          hasTwoPositions(consumer, getUsedIndices(consumer.getInputMap(weightOperand))));
}

bool AttentionMatch::matchIndices() {
  unsigned numOutput = consumer.getNumOutputIndices();
  std::optional<SmallVector<unsigned>> dims = getDistinctDims(consumer.getInputMap(weightOperand));
  if (!dims)
    return fail("the weights are not read at plain indices");
  if (softmax && (*dims)[softmax.getAxis()] < numOutput)
    return fail("the softmax runs over '" + softmax.getIndexAttr(softmax.getAxis()).getName() +
                "', the contraction over another axis");
  if (consumer.getNumIndices() != numOutput + 1)
    return fail("the contraction sums over more than the keys");
  if (softmax &&
      !haveSameRange(softmax.getIndexAttr(softmax.getAxis()), consumer.getIndexAttr(numOutput)))
    return fail("the contraction sums over a part of the keys");
  if (!llvm::is_contained(*dims, numOutput))
    return fail("the weights do not depend on the key");
  // Lanes and registers have columns of a known number; weights would be computed for each other.
  for (unsigned i = 0; i != numOutput; ++i)
    if (!llvm::is_contained(*dims, i) && consumer.getIndexAttr(i).getDynamic())
      return fail("the values have columns of the run-time size of '" +
                  consumer.getIndexAttr(i).getName() + "'");
  llvm::SmallBitVector value = getUsedIndices(consumer.getInputMap(valueOperand));
  queries.clear();
  queries.resize(consumer.getNumIndices());
  bool hasDynamic = false;
  for (unsigned dim : *dims)
    if (dim != numOutput && !value.test(dim)) {
      queries.set(dim);
      hasDynamic |= consumer.getIndexAttr(dim).getDynamic();
    }
  if (queries.none())
    return fail(dims->size() == 1 ? "there is no query position"
                                  : "the value depends on the query position");
  // Heads that share keys are no positions: their tensors may be read for every pair.
  for (unsigned dim : queries.set_bits())
    if (hasDynamic && !consumer.getIndexAttr(dim).getDynamic())
      queries.reset(dim);
  return true;
}

SmallVector<Operation *> AttentionMatch::getFormulas() {
  SmallVector<Operation *> formulas = {getWeights().getDefiningOp(), consumer};
  for (const WeightTotal &total : totals)
    formulas.push_back(total.op);
  return formulas;
}

/// Whether one of the two factors of the sum is weights that `accepts` takes.
bool AttentionMatch::matchFactor(FormulaOpInterface op, llvm::function_ref<bool()> accepts) {
  consumer = op;
  unsigned operands[2];
  if (!findFactors(operands))
    return false;
  return llvm::any_of(ArrayRef<unsigned>{0, 1}, [&](unsigned i) {
    weightOperand = operands[i];
    valueOperand = operands[1 - i];
    return accepts();
  });
}

bool AttentionMatch::matchSum(FormulaOpInterface op) {
  return matchFactor(op, [&] { return matchWeights(); });
}

bool AttentionMatch::matchReader(FormulaOpInterface op, Value weights) {
  return matchFactor(op, [&] {
    return getWeights() == weights && matchStorage() && matchIndices() && hasPositions();
  });
}
