//===- GemmSplit.cpp - few rows times panels that are split ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Tiles of few rows use a panel up faster than memory brings it, and while it is taken apart
// nothing would be fetched. So blocks are short, what they become stays in the first cache, and
// both halves of the work fetch half of what lies behind: of each eighth of a block, which the unit
// fetches side by side, the tiles the first half and the expansion the second one. Sums are the
// same.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

using namespace mlir;
using namespace weft;

/// Rows of a panel that are multiplied at once: a step of the unit.
static constexpr int64_t kShortBlock = 32;

void GemmTask::emitFewSplit(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  if (!accumulate)
    clearSums(lanes.constant(1));
  int64_t pairWords = kSplitDepth * plan.shape.stepWords, numPairs = kShortBlock / kSplitDepth;
  int64_t pairs = numPairs / kPanelStreams, eighth = pairs * pairWords;
  Lanes block = lanes.constant(kShortBlock);
  bool isWhole = sizeK.getConstant() && *sizeK.getConstant() % kShortBlock == 0;
  lanes.loop(lanes.ceilDiv(sizeK, kShortBlock), {}, [&](const Lanes &iv, ValueRange) {
    Lanes before = lanes.mul(iv, block);
    before.interval = {0, plan.shape.sizeK};
    Lanes size = isWhole ? block : lanes.min(block, lanes.sub(sizeK, before));
    Lanes first = lanes.add(firstK, before);
    Value source = getPanelSteps(first);
    Value ahead = addElements(lanes, source, kPanelAhead / int64_t(sizeof(float)));
    auto fetch = [&](const Lanes &pair) {
      Lanes within = lanes.mul(lanes.mod(pair, pairs), lanes.constant(pairWords / 2));
      Lanes place = lanes.add(lanes.mul(lanes.floorDiv(pair, pairs), lanes.constant(eighth)),
                              lanes.add(within, lanes.constant(eighth / 2)));
      emitPrefetches(lanes.b, lanes.loc, addElements(lanes, ahead, place),
                     pairWords / 2 * int64_t(sizeof(float)) / kLine);
    };
    expandParts(lanes, plan.getSplitPanel(), source, expanded, size, fetch);
    UnitTiles tiles{expanded, ahead, /*isFresh=*/Value(), /*fetchesHalf=*/true};
    eachUnitTile([&](const Lanes &row, const Lanes &count) {
      emitUnitTile(row, count, first, size, tiles);
    });
    return SmallVector<Value>();
  });
}
