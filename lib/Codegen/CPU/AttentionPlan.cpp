//===- AttentionPlan.cpp - the tiles of an attention ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionPlan.h"

#include "weft/Dialect/Weft/IR/AttentionTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

/// Rows of one query up to which packing for the unit of tiles takes longer than multiplying them
/// one by one.
static constexpr int64_t kFewRows = 4;

/// What is long has enough to do by itself, and would be written out so often.
static int64_t getGroupRows(AttentionOp op) {
  constexpr size_t most = 32;
  size_t operations = 0;
  for (Region *region : {&op.getScore(), &op.getPredicate()})
    for (Block &block : *region)
      operations += block.getOperations().size();
  return operations > most ? 1 : 4;
}

AttentionPlan::AttentionPlan(AttentionOp op, const AttentionSchedule &schedule)
    : AttentionRoles(op), width(schedule.width), tileRows(schedule.tile),
      blockRows(schedule.queries), blockKeys(schedule.keys), unroll(schedule.unroll),
      streams(schedule.streams), parallel(schedule.parallel), tiles(bool(schedule.unit)),
      dots(schedule.unit == kDotsUnit), halves(tiles && !dots && groupSize <= kFewRows),
      roundsWeights(getWeightType(op).isBF16()),
      guesses(normalized && schedule.slices.empty() && FormulaOpInterface(op).getNumOutputs() == 1),
      wholeLargest((roundsWeights || guesses) && !op.hasLargest()),
      groupRows(std::min(getGroupRows(op), sharesKeys() ? tileRows : 1)),
      cut(!schedule.slices.empty()), heldRows(cut ? blockRows : tileRows), sliceC(sizeC),
      sliceV(llvm::alignTo(sizeV, tiles ? 2 * width : width)) {
  findPanels(op);
  if (tiles)
    for (int64_t &size : sliceC)
      size = llvm::alignTo(size, 2);
  if (!cut)
    return;
  sliceC.assign(schedule.slices.begin(), std::prev(schedule.slices.end()));
  sliceV = schedule.slices.back();
}

/// Words are transposed in squares.
int64_t AttentionPlan::getKeyWords(unsigned dot) const {
  return int64_t(llvm::alignTo(sliceC[dot] / 2, width)) * 2 * width;
}

int64_t AttentionPlan::getKeyBytes(unsigned dot) const {
  if (tiles)
    return blockKeys / (2 * width) * getKeyWords(dot) * 4;
  return keysInPanels[dot] ? 0 : blockKeys * sliceC[dot] * 4;
}

int64_t AttentionPlan::getValueBytes() const {
  return valuesInPanels ? 0 : blockKeys * sliceV * (tiles ? 2 : 4);
}

int64_t AttentionPlan::getStackBytes() const {
  int64_t rows = blockRows * sliceV * 4, keys = getValueBytes();
  for (unsigned dot = 0; dot != sizeC.size(); ++dot) {
    // The slices of a head that is cut take turns in one place.
    rows = cut ? std::max(rows, getQueryBytes(dot)) : rows + getQueryBytes(dot);
    rows += getHalfBytes(dot);
    keys = cut ? std::max(keys, getKeyBytes(dot)) : keys + getKeyBytes(dot);
  }
  // Maximum, sums and two bounds of 64 bits of each row; scores and the scale of the rows kept.
  int64_t words = blockRows * (5 + width) + heldRows * (getNumScores() * blockKeys + 1);
  return words * 4 + rows + keys + getWeightBytes();
}
