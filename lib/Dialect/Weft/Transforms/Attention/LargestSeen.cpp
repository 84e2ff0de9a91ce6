//===- LargestSeen.cpp - the largest exponent of the keys that are seen ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Exponents.h"
#include "RowShift.h"
#include "SameCode.h"
#include "WeightFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

/// The indices of the reduction, where the sum reads its rows; none if they are others.
static IndexValues getIndices(const RowShift &shift, FormulaOpInterface consumer) {
  FormulaOpInterface reduce = shift.largest;
  SmallVector<unsigned> places(shift.largestIndices);
  places.push_back(consumer.getNumOutputIndices());
  IndexValues indices;
  if (reduce.getNumIndices() != places.size())
    return indices;
  for (auto [i, place] : llvm::enumerate(places)) {
    if (!haveSameRange(reduce.getIndexAttr(i), consumer.getIndexAttr(place)))
      return {};
    indices.push_back({getAffineDimExpr(place, consumer.getContext()), Value()});
  }
  return indices;
}

bool weft::isLargestSeen(const RowShift &shift, FormulaOpInterface consumer, unsigned operand) {
  auto weights = cast<MapOp>(consumer.getInputs()[operand].getDefiningOp());
  SmallVector<MaskedValue> masks;
  math::ExpOp exp = getExponential(getYielded(weights), &masks);
  auto difference = exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  IndexValues ofLargest = getIndices(shift, consumer);
  if (!difference || ofLargest.empty() ||
      difference.getRhs() != weights.getBody().front().getArgument(shift.input))
    return false;
  FormulaCode seen(consumer), largest(consumer);
  IndexValues ofWeights = getIndexValues(consumer.getInputMap(operand));
  if (!isSameCode(seen, seen.emit(weights, difference.getLhs(), ofWeights), largest,
                  largest.emit(shift.largest, getYielded(shift.largest), ofLargest)))
    return false;
  Conditions conditions(seen);
  conditions.addMasks(weights, masks, ofWeights);
  conditions.addPredicate(consumer,
                          getIdentityIndices(consumer.getContext(), consumer.getNumIndices()));
  return conditions.areAll(largest, largest.emitPredicate(shift.largest, ofLargest));
}
