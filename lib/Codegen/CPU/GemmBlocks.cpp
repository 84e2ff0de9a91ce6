//===- GemmBlocks.cpp - blocks of k that the panels of a task share -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What all rows have of a block of k stays in the second cache while it is multiplied with one
// panel after the other. With all of k for a panel at a time it would come from the third one for
// each. Sums are stored and read between blocks, which rounds nothing.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

#include <numeric>

using namespace mlir;
using namespace weft;

Lanes GemmTask::getSharedBlock() {
  if (spread)
    return lanes.constant(spread->k);
  int64_t few = plan.getRowsOfFewTiles();
  bool isCut = plan.shape.isExpanded() && !awaitsMemory(); // for few rows, too
  if (isCut || numRows.interval.min > few)
    return lanes.constant(plan.blockK);
  // Never none, whatever k is at run time: it divides.
  Lanes whole = lanes.max(sizeK, lanes.constant(plan.blockK));
  if (numRows.interval.max <= few)
    return whole;
  Value size = arith::SelectOp::create(lanes.b, lanes.loc, hasFew(few), whole.value,
                                       lanes.indexConstant(plan.blockK));
  return lanes.uniform(size, {plan.blockK, plan.shape.sizeK}, std::gcd(plan.blockK, sizeK.divisor));
}

void GemmTask::emitBlocks(const Lanes &first, const Lanes &panels) {
  Lanes block = getSharedBlock();
  auto forPanels = [&](function_ref<void(const Lanes &panel, const Lanes &number)> body) {
    lanes.loop(panels, {}, [&](const Lanes &number, ValueRange) {
      Lanes panel = lanes.add(first, number);
      panel.interval = {0, plan.shape.numPanels - 1};
      setPanel(panel, number);
      body(panel, number);
      return SmallVector<Value>();
    });
  };
  clearSums(panels);
  Lanes blocks = lanes.binary(arith::CeilDivUIOp::getOperationName(), sizeK, block,
                              {1, int64_t(llvm::divideCeil(plan.shape.sizeK, plan.blockK))});
  lanes.loop(blocks, {}, [&](const Lanes &iv, ValueRange) {
    Lanes firstK = lanes.mul(iv, block);
    firstK.interval = {0, plan.shape.sizeK};
    Lanes size = lanes.min(block, lanes.sub(sizeK, firstK));
    std::optional<int64_t> all = sizeK.getConstant(), each = block.getConstant();
    if (all && *all % each.value_or(plan.blockK) == 0)
      size = block;
    if (spread)
      spreadRows(firstK, size);
    forPanels([&](const Lanes &, const Lanes &number) {
      setNextSteps(panels, number, firstK, block);
      emitBlock(firstK, size, /*accumulate=*/true);
    });
    return SmallVector<Value>();
  });
  forPanels(
      [&](const Lanes &panel, const Lanes &) { emitEpilogue(panel, lanes.constant(0), numRows); });
}

void GemmTask::setNextSteps(const Lanes &panels, const Lanes &number, const Lanes &firstK,
                            const Lanes &block) {
  auto steps = [&](const Lanes &k) { return getWords(lanes.floorDiv(k, plan.shape.depth)); };
  Lanes ofNext = lanes.add(getPanelWords(), steps(firstK));
  Lanes ofFirst = lanes.sub(steps(lanes.add(firstK, block)), lanes.mul(number, getPanelWords()));
  Value isLast =
      lanes.compare(arith::CmpIPredicate::eq, number, lanes.sub(panels, lanes.constant(1)));
  Value words = arith::SelectOp::create(lanes.b, lanes.loc, isLast, ofFirst.value, ofNext.value);
  nextSteps = addElements(lanes, panelPointer, lanes.uniform(words));
}
