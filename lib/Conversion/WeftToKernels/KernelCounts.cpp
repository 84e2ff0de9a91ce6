//===- KernelCounts.cpp - how much a kernel computes -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KernelCounts.h"

#include "weft/Dialect/Weft/IR/RunningReduce.h"

using namespace mlir;
using namespace weft;

static bool isFunction(Operation &op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log1pOp, math::TanhOp, math::ErfOp,
             math::SinOp, math::CosOp, math::PowFOp>(op);
}

/// Operations on reals: any function is one, comparisons, choices and conversions are none.
static double countReal(Operation &op) {
  bool computes = isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
                  op.getNumOperands() > 0 && !isa<CastOpInterface, arith::SelectOp>(op);
  if (!computes || !isa<FloatType>(op.getResult(0).getType()))
    return 0;
  return isa<math::FmaOp>(op) ? 2 : 1;
}

/// Of a scalar region, for one element. A reduction inside puts each of its elements to the others.
static double countRegion(Region &region, bool functions) {
  double count = 0;
  for (Operation &op : region.getOps()) {
    if (auto inner = dyn_cast<InnerOp>(op))
      count += double(inner.getRange().getSize()) *
               (countRegion(inner.getBody(), functions) + (functions ? 0 : 1));
    else
      count += functions ? double(isFunction(op)) : countReal(op);
  }
  return count;
}

static double countRow(RowOp row, bool functions) {
  double count = countRegion(row.getElement(), functions);
  for (Region &reduction : row.getReductions())
    count += countRegion(reduction, functions) + (functions ? 0 : 1);
  return count;
}

static bool yieldsReals(Region &body) {
  return isa<FloatType>(body.front().getTerminator()->getOperand(0).getType());
}

/// The indices of a dot product: those that its operands use.
static SmallVector<unsigned> getDotIndices(AttentionOp attention, unsigned dot) {
  auto formula = cast<FormulaOpInterface>(attention.getOperation());
  SmallVector<unsigned> used;
  for (unsigned i = 0; i != formula.getNumIndices(); ++i)
    if (formula.getInputMap(2 * dot).isFunctionOfDim(i) ||
        formula.getInputMap(2 * dot + 1).isFunctionOfDim(i))
      used.push_back(i);
  return used;
}

/// The indices that number scores: not those that only the values have.
static SmallVector<unsigned> getScoreIndices(AttentionOp attention) {
  auto formula = cast<FormulaOpInterface>(attention.getOperation());
  unsigned values = 2 * attention.getDots(), key = attention.getKeyIndex();
  SmallVector<unsigned> indices;
  for (unsigned i = 0; i <= key; ++i) {
    bool isRead = false; // by another input
    for (unsigned input = 0; input != formula.getInputs().size(); ++input)
      isRead |= input != values && formula.getInputMap(input).isFunctionOfDim(i);
    if (i == key || isRead || !formula.getInputMap(values).isFunctionOfDim(i))
      indices.push_back(i);
  }
  return indices;
}

/// The indices for whose values elements are computed: each is put to those before it once, where
/// results begin with others.
static SmallVector<unsigned> getElementIndices(FormulaOpInterface formula) {
  auto reduce = dyn_cast<ReduceOp>(*formula);
  std::optional<RunningReduce> running = reduce ? findRunning(reduce) : std::nullopt;
  SmallVector<unsigned> indices;
  for (unsigned i = 0; i != formula.getNumIndices(); ++i)
    if (!running || i != running->index)
      indices.push_back(i);
  return indices;
}

/// Of one element of a formula that is neither a contraction nor an attention: operations, or
/// `functions` alone. Nothing for what computes no elements.
static std::optional<double> countElement(Operation *op, bool functions) {
  if (auto map = dyn_cast<MapOp>(op))
    return countRegion(map.getBody(), functions);
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return countRegion(softmax.getBody(), functions) + (functions ? 1 : 5);
  if (auto row = dyn_cast<RowOp>(op))
    return countRow(row, functions);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return countRegion(reduce.getBody(), functions) +
           (!functions && yieldsReals(reduce.getBody()) ? 1 : 0);
  return std::nullopt;
}

void weft::countFlops(Operation *op, AddCount add) {
  auto formula = dyn_cast<FormulaOpInterface>(op);
  if (!formula)
    return;
  ArrayAttr indices = formula.getIndices();
  SmallVector<unsigned> all = llvm::to_vector(llvm::seq(0u, formula.getNumIndices()));
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    for (unsigned dot = 0; dot != attention.getDots(); ++dot)
      add(2, indices, getDotIndices(attention, dot));
    add(2, indices, ArrayRef(all).take_front(attention.getKeyIndex() + 1));
  } else if (auto contract = dyn_cast<ContractOp>(op)) {
    add(2, indices, ArrayRef(all).drop_back(contract.getChosen()));
  } else if (std::optional<double> count = countElement(op, /*functions=*/false)) {
    add(*count, indices, getElementIndices(formula));
  }
}

void weft::countFunctions(Operation *op, AddCount add) {
  auto formula = dyn_cast<FormulaOpInterface>(op);
  if (!formula)
    return;
  ArrayAttr indices = formula.getIndices();
  SmallVector<unsigned> all = llvm::to_vector(llvm::seq(0u, formula.getNumIndices()));
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    SmallVector<unsigned> scores = getScoreIndices(attention);
    double ofSoftmax = attention.getNormalizer() == Normalizer::None ? 0 : 1;
    add(ofSoftmax + countRegion(attention.getScore(), true), indices, scores);
  } else if (auto contract = dyn_cast<ContractOp>(op)) {
    if (!contract.getEpilogue().empty())
      add(countRegion(contract.getEpilogue(), true), indices,
          ArrayRef(all).take_front(formula.getNumOutputIndices()));
  } else if (std::optional<double> count = countElement(op, /*functions=*/true)) {
    add(*count, indices, getElementIndices(formula));
  }
}
