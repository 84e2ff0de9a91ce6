//===- KeyMasks.cpp - which keys the rows of an attention see -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KeyMasks.h"

#include "MaskMatch.h"
#include "ProductFactors.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace weft;

/// Whether `value` of the score region can be computed in the predicate region: not from a dot.
static bool isPredicateCode(AttentionOp op, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() != &op.getScore().front() || argument.getArgNumber() >= op.getDots();
  Operation *def = op.getScore().findAncestorOpInRegion(*value.getDefiningOp());
  if (!def)
    return true;
  auto result = def->walk([&](Operation *nested) {
    return llvm::all_of(nested->getOperands(),
                        [&](Value operand) { return isPredicateCode(op, operand); })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool weft::leavesKeys(AttentionOp op, ArrayRef<Conjunct> more) {
  SmallVector<Conjunct> conjuncts(more);
  if (!op.getPredicate().empty())
    collectConjuncts(op.getPredicate().front().getTerminator()->getOperand(0), false, conjuncts);
  IndexInterval interval(op.getContext(), op.getKeyIndex(), op.getNumOutputIndices());
  interval.start(op.getKeyLowerAttr(), op.getKeyUpperAttr(), op.getBoundSymbolsAttr());
  if (!llvm::all_of(conjuncts, [&](Conjunct conjunct) { return interval.add(conjunct); }))
    return false;
  // The first key, or the one at the query's own position.
  if (interval.contains(getAffineConstantExpr(0, op.getContext())))
    return true;
  IndexAttr key = op.getIndexAttr(op.getKeyIndex());
  for (unsigned i = 0; i != op.getKeyIndex(); ++i) {
    IndexAttr query = op.getIndexAttr(i);
    if (query.getDim() == key.getDim() && query.getSize() == key.getSize() &&
        query.getDynamic() == key.getDynamic() &&
        interval.contains(getAffineDimExpr(i, op.getContext())))
      return true;
  }
  return false;
}

/// What masks the value that the score yields: among normalised scores, or among the terms of a
/// sum.
static std::optional<MaskMatch> matchMask(AttentionOp op, double threshold) {
  OpOperand &place = op.getScore().front().getTerminator()->getOpOperand(0);
  return op.getNormalizer() == Normalizer::Softmax ? matchScoreMask(place, threshold)
                                                   : matchTermMask(place);
}

/// Scores are above such constants, or hide a key.
static bool isLarge(double constant) { return std::abs(constant) >= 1e4; }

/// Whether what a formula of the same function computes may hide a key.
static bool hasLargeConstant(Value tensor) {
  auto formula = tensor.getDefiningOp<FormulaOpInterface>();
  return formula && formula
                        ->walk([](arith::ConstantOp inner) {
                          std::optional<double> constant = getConstantFloat(inner);
                          return constant && isLarge(*constant) ? WalkResult::interrupt()
                                                                : WalkResult::advance();
                        })
                        .wasInterrupted();
}

/// Appends the conditions of all masks in what a score is without `mask`. False if something else
/// in it may hide keys.
static bool collectMasks(AttentionOp op, Value score, const MaskMatch &mask,
                         SmallVectorImpl<Conjunct> &conjuncts) {
  SmallVector<Value> worklist{score};
  SmallPtrSet<Value, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (value == mask.place->get())
      value = mask.unmasked;
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned extra = argument.getArgNumber();
      bool isElement = argument.getOwner() == &op.getScore().front();
      if (isElement && extra >= op.getDots() &&
          hasLargeConstant(op.getInputs()[op.getDots() + 1 + extra]))
        return false;
    } else if (std::optional<MaskedValue> inner = matchMasked(value, isLarge)) {
      collectConjuncts(inner->condition, inner->negated, conjuncts);
      worklist.push_back(inner->value);
    } else if (std::optional<double> constant = getConstantFloat(value)) {
      if (isLarge(*constant))
        return false;
    } else {
      Operation *def = value.getDefiningOp();
      llvm::append_range(worklist, def->getOperands().drop_front(isa<arith::SelectOp>(def)));
    }
  }
  return true;
}

/// Whether every query sees a key by the mask, and by all others that its score has. A row that
/// finite masks cover whole is the softmax of its scores, but a row without keys is 0.
static bool keepsKeys(AttentionOp op, const MaskMatch &mask) {
  SmallVector<Conjunct> conjuncts;
  collectConjuncts(mask.condition, mask.negated, conjuncts);
  Value score = op.getScore().front().getTerminator()->getOperand(0);
  return collectMasks(op, score, mask, conjuncts) && leavesKeys(op, conjuncts);
}

/// Whether the value is no infinity if those are none that it is made of, which are appended.
/// Products with what is not constant are taken to hide no key (slopes by distances).
static bool keepsFinite(AttentionOp op, Value value, SmallVectorImpl<Value> &madeOf) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &op.getScore().front() &&
           (argument.getArgNumber() < op.getDots() || !isa<FloatType>(argument.getType()));
  if (std::optional<double> constant = getConstantFloat(value))
    return std::isfinite(*constant);
  Operation *def = value.getDefiningOp();
  if (isa<arith::SIToFPOp, arith::UIToFPOp, math::TanhOp, math::SinOp, math::CosOp, math::ErfOp>(
          def))
    return true;
  if (isa<arith::MulFOp>(def) && llvm::none_of(def->getOperands(), getConstantFloat))
    return true;
  if (isa<arith::DivFOp>(def)) {
    madeOf.push_back(def->getOperand(0));
    return getConstantFloat(def->getOperand(1)).value_or(0) != 0;
  }
  llvm::append_range(madeOf, def->getOperands().drop_front(isa<arith::SelectOp>(def)));
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::SelectOp,
             arith::MaximumFOp, arith::MinimumFOp, math::AbsFOp>(def);
}

bool weft::mayHideRows(AttentionOp op) {
  SmallVector<Value> worklist{op.getScore().front().getTerminator()->getOperand(0)};
  SmallPtrSet<Value, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (seen.insert(value).second && !keepsFinite(op, value, worklist))
      return true;
  }
  return false;
}

unsigned weft::moveMasks(AttentionOp op, double threshold) {
  unsigned numMoved = 0;
  while (std::optional<MaskMatch> mask = matchMask(op, threshold)) {
    if (!isPredicateCode(op, mask->condition) || (!mask->isNeutral && !keepsKeys(op, *mask)))
      break;
    addConjunct(op.getScore(), op.getPredicate(), op.getDots(), mask->condition, mask->negated);
    mask->takeOff();
    ++numMoved;
  }
  return numMoved;
}
