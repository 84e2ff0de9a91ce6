//===- AttentionPlan.cpp - the tiles of an attention ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

AttentionPlan::AttentionPlan(AttentionOp op, const AttentionSchedule &schedule)
    : AttentionRoles(op), width(schedule.width), tileRows(schedule.tile),
      blockRows(schedule.queries), blockKeys(schedule.keys), unroll(schedule.unroll),
      parallel(schedule.parallel), cut(!schedule.slices.empty()),
      heldRows(cut ? blockRows : tileRows), sliceC(sizeC), sliceV(llvm::alignTo(sizeV, width)) {
  findPanels(op);
  if (!cut)
    return;
  sliceC.assign(schedule.slices.begin(), std::prev(schedule.slices.end()));
  sliceV = schedule.slices.back();
}

int64_t AttentionPlan::getStackBytes() const {
  // The slices of a head that is cut take turns in one place.
  int64_t rowElements = sliceV, keyElements = valuesInPanels ? 0 : sliceV;
  for (auto [size, inPanels] : llvm::zip_equal(sliceC, keysInPanels)) {
    rowElements = cut ? std::max(rowElements, size) : rowElements + size;
    keyElements = cut ? rowElements : keyElements + (inPanels ? 0 : size);
  }
  // Maximum, sums and two bounds of 64 bits of each row; scores and the scale of the rows kept.
  int64_t elements = blockRows * (5 + width) + heldRows * (getNumScores() * blockKeys + 1);
  return (elements + blockRows * rowElements + blockKeys * keyElements) * int64_t(sizeof(float));
}
