//===- ChooseGemm.cpp - schedules of products ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Choosers.h"
#include "Emitters.h"
#include "GemmSchedule.h"

#include "weft/Codegen/Common/RowFactor.h"

using namespace mlir;
using namespace weft;

/// Rows of a task's block, or a few more: with kc of the other factor they fit the second cache.
static constexpr int64_t kBlockRows = 128;
/// Panel groups of the whole width: more than enough tasks for some threads.
static constexpr int64_t kPanelGroups = 32;
/// The most vectors of a register tile: more than any processor has registers.
static constexpr int64_t kMaxSums = 64;

PackedProduct::PackedProduct(ContractOp op, const Product &product)
    : Product(product), nr(getLayout(op.getInputs()[columns].getType()).getNr()),
      sizeN(getBoundProduct(op.getIndices(), n)), sizeK(getBoundProduct(op.getIndices(), k)),
      numPanels(llvm::divideCeil(sizeN, nr)) {}

LoweringAttr weft::chooseGemm(ContractOp op, const CodeGoals &goals) {
  std::optional<int64_t> nr = getPanelWidth(op, goals.width);
  if (!nr)
    return {};
  PackedProduct shape(op, *Product::matchPacked(op));
  // A panel and the rows of a tile take a third of the second cache.
  int64_t blockK = std::max<int64_t>(1, goals.l2 / 3 / (*nr * 4 + 4));
  GemmSchedule schedule;
  schedule.width = goals.width;
  schedule.tile = {goals.getTileRows(), *nr};
  schedule.rows = llvm::alignTo(kBlockRows, goals.getTileRows());
  schedule.panels = std::max<int64_t>(1, shape.numPanels / kPanelGroups);
  schedule.k = RowFactor(op, shape).isOneRun() ? std::min(blockK, shape.sizeK) : shape.sizeK;
  schedule.unroll = kUnroll;
  schedule.parallel = goals.parallel;
  return getLowering(op.getContext(), emitters::gemm, schedule);
}

void GemmSchedule::check(ScheduleRules &rules, ContractOp op) const {
  PackedProduct shape(op, *Product::matchPacked(op));
  rules.requireWidth(width);
  rules.require(width > 1 && shape.nr % width == 0, "width",
                "vectors that divide the " + Twine(shape.nr) + " columns of a panel");
  rules.require(tile.size() == 2 && tile[1] == shape.nr, "tile",
                "rows, and the " + Twine(shape.nr) + " columns of a panel");
  if (!rules.hold())
    return;
  rules.require(tile[0] <= kMaxSums / (shape.nr / width), "tile",
                "at most " + Twine(kMaxSums) + " vectors");
  rules.require(rows % tile[0] == 0, "rows", "a multiple of the rows of the tile");
  // Runs of k are not cut.
  if (RowFactor(op, shape).isOneRun())
    rules.require(k <= shape.sizeK, "k", "at most " + Twine(shape.sizeK));
  else
    rules.require(k == shape.sizeK, "k", Twine(shape.sizeK) + ", as it is not one run");
  rules.require(panels <= shape.numPanels, "panels", "at most " + Twine(shape.numPanels));
  rules.requireRepetition(unroll, "unroll");
  // The sums of a task's rows for one panel.
  rules.require(rows <= kTaskStack / int64_t(sizeof(float)) / shape.nr, "rows",
                "sums of at most " + Twine(kTaskStack) + " bytes for a panel");
}
