//===- GemmShort.cpp - few rows times panels that are expanded ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Tiles of few rows use a panel up faster than memory brings it, and while it is expanded nothing
// would be fetched. So blocks are short, what they become stays in the first cache, and what lies
// behind is fetched meanwhile: of codes, which take long, by their expansion, of panels that are
// taken apart by both halves of the work. There of each eighth of a block, which the unit
// fetches side by side, the tiles fetch the first half and the expansion the second one. The unit
// keeps the sums from one block to the next where blocks are steps of it. Sums are the same.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

#include "weft/Codegen/CPU/Units.h"

using namespace mlir;
using namespace weft;

/// Rows of a panel that is taken apart that are multiplied at once: a step of the unit.
static constexpr int64_t kShortBlock = 32;
/// Bytes that codes become at once, in whole groups, where the unit does not keep sums.
static constexpr int64_t kShortBytes = 8 << 10;

void GemmTask::eachShortBlock(int64_t rows, const Lanes &firstK, const Lanes &sizeK,
                              function_ref<void(const Lanes &first, const Lanes &size)> body) {
  Lanes block = lanes.constant(rows);
  bool isWhole = sizeK.divisor != 0 && sizeK.divisor % rows == 0;
  lanes.loop(lanes.ceilDiv(sizeK, rows), {}, [&](const Lanes &iv, ValueRange) {
    Lanes before = lanes.mul(iv, block);
    before.interval = {0, plan.shape.sizeK};
    Lanes size = isWhole ? block : lanes.min(block, lanes.sub(sizeK, before));
    body(lanes.add(firstK, before), size);
    return SmallVector<Value>();
  });
}

bool GemmTask::canHold(int64_t rows, const Lanes &sizeK) {
  bool isWhole = sizeK.divisor != 0 && sizeK.divisor % rows == 0;
  return plan.usesTiles() && isPadded() && isWhole && rows % plan.shape.getUnitDepth() == 0;
}

void GemmTask::eachHeldBlock(int64_t rows, const Lanes &firstK, const Lanes &sizeK, bool accumulate,
                             function_ref<void(const Lanes &, const Lanes &, bool isHeld)> body) {
  auto each = [&](bool isHeld) {
    eachShortBlock(rows, firstK, sizeK,
                   [&](const Lanes &first, const Lanes &size) { body(first, size, isHeld); });
  };
  if (!canHold(rows, sizeK)) {
    if (!accumulate)
      clearSums(lanes.constant(1));
    return each(/*isHeld=*/false);
  }
  cpu::LoadSumsOp::create(lanes.b, lanes.loc, scratch, numRows.value, /*fresh=*/!accumulate);
  each(/*isHeld=*/true);
  cpu::StoreSumsOp::create(lanes.b, lanes.loc, scratch, numRows.value);
}

void GemmTask::emitFewSplit(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  int64_t pairWords = kSplitDepth * plan.shape.stepWords, numPairs = kShortBlock / kSplitDepth;
  int64_t pairs = numPairs / kPanelStreams, eighth = pairs * pairWords;
  eachHeldBlock(
      kShortBlock, firstK, sizeK, accumulate,
      [&](const Lanes &first, const Lanes &size, bool isHeld) {
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
        UnitTiles tiles{expanded, ahead, /*isFresh=*/Value(), isHeld, /*fetchesHalf=*/true};
        eachUnitTile([&](const Lanes &row, const Lanes &count) {
          emitUnitTile(row, count, first, size, tiles);
        });
      });
}

void GemmTask::emitFewCodes(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  int64_t bytes = plan.shape.nibbles ? plan.shape.nr : plan.shape.nr * kElement;
  int64_t rows = plan.shape.getWholeRows(plan.shape.getUnitDepth());
  if (!canHold(rows, sizeK))
    rows = plan.shape.getWholeRows(kShortBytes / bytes);
  eachHeldBlock(rows, firstK, sizeK, accumulate,
                [&](const Lanes &first, const Lanes &size, bool isHeld) {
                  expand(first, size, /*fetches=*/true);
                  if (!plan.usesTiles())
                    return emitTiles(Ahead::Nothing, first, size, /*accumulate=*/true);
                  UnitTiles tiles{expanded, nextSteps, /*isFresh=*/Value(), isHeld};
                  eachUnitTile([&](const Lanes &row, const Lanes &count) {
                    emitUnitTile(row, count, first, size, tiles);
                  });
                });
}
