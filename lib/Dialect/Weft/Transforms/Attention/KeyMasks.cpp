//===- KeyMasks.cpp - which keys the rows of an attention see -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KeyMasks.h"

#include "MaskMatch.h"

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

/// Whether a key stays for which `mask` and the predicate hold. A row that a finite mask covers
/// whole is the softmax of its scores, but a row without keys is 0.
static bool keepsKeys(AttentionOp op, const MaskMatch &mask) {
  SmallVector<Conjunct> conjuncts;
  collectConjuncts(mask.condition, mask.negated, conjuncts);
  return leavesKeys(op, conjuncts);
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
