//===- ChooseReduction.cpp - schedules of reductions and contractions -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The vector runs along a reduced index or along the output's last stored one, whichever lets more
// elements be read contiguously, unless the op says it. If some element that is read serves
// neighbouring results, a tile of them is computed at once: the element is read once, and there are
// as many independent sums. If what a tile reads is read again for other rows (a weight, for every
// token; a row of a table, wherever the data chooses it), the loop over the tiles goes outside.
//
//===----------------------------------------------------------------------------------------===//

#include "Choosers.h"
#include "Emitters.h"
#include "RunningSchedule.h"

#include "weft/Codegen/Common/GuardBounds.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/ReductionPlan.h"
#include "weft/Dialect/Weft/IR/AccessCost.h"
#include "weft/Dialect/Weft/IR/RunningReduce.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace weft;

/// Ops in the regions of a formula up to which its code may be repeated for a tile of results.
static constexpr unsigned kTiledOps = 12;

/// The index along which elements are cheapest for each lane; the output first, as it needs no
/// horizontal step.
static std::optional<unsigned> findCheapest(FormulaOpInterface op, int64_t width) {
  std::optional<unsigned> best;
  auto consider = [&](unsigned position) {
    if (getUsefulWidth(width, op.getIndexAttr(position)) > 1 &&
        (!best || getLaneCost(op, position, width) < getLaneCost(op, *best, width)))
      best = position;
  };
  SmallVector<unsigned> order = getStoredOrder(op);
  if (!order.empty())
    consider(order.back());
  for (unsigned i = op.getNumIndices(); i-- > op.getNumOutputIndices();)
    if (op.isReduced(i))
      consider(i);
  return best;
}

/// The index that `weft.lane` says (weft-order-sums): the bits of a sum depend on it.
static std::optional<unsigned> findLane(FormulaOpInterface op, int64_t width) {
  if (!attrs::Lane::isOn(op))
    return findCheapest(op, width);
  int64_t summed = attrs::Lane::getInt(op);
  if (summed >= 0)
    return op.getNumOutputIndices() + summed;
  SmallVector<unsigned> order = getStoredOrder(op);
  return order.empty() ? std::nullopt : std::optional(order.back());
}

static void chooseLanes(ReductionSchedule &schedule, FormulaOpInterface op, int64_t width) {
  std::optional<unsigned> lane = findLane(op, width);
  int64_t useful = lane ? getUsefulWidth(width, op.getIndexAttr(*lane)) : 1;
  if (useful == 1)
    return;
  schedule.lane = lane;
  schedule.width = useful;
}

/// Codes of 4 bits in groups: what a group shares is read once for several vectors of it.
static void widenToGroups(ReductionSchedule &schedule, FormulaOpInterface op) {
  int64_t most = std::min<int64_t>(4 * schedule.width, 32);
  auto reduce = dyn_cast<ReduceOp>(op.getOperation());
  if (!reduce || !schedule.lane)
    return;
  reduce.getBody().walk([&](AtOp at) {
    auto type = cast<ShapedType>(at.getSource().getType());
    LayoutAttr layout = getLayout(type);
    auto index = at.getCoordinates().empty()
                     ? weft::IndexOp()
                     : at.getCoordinates().back().getDefiningOp<weft::IndexOp>();
    if (!layout || layout.getNibbles() == 0 || !index || index.getPosition() != *schedule.lane)
      return;
    int64_t group = layout.getNibbles(), row = type.getShape().back();
    int64_t wide = std::min(group, most);
    if (group < row && wide % schedule.width == 0 && group % wide == 0)
      schedule.width = wide;
  });
}

/// Whether the code of an element may be repeated for a tile of results. What bounds loops is no
/// part of it.
static bool hasShortCode(FormulaOpInterface op, const ReductionSchedule &schedule) {
  auto reduce = dyn_cast<ReduceOp>(op.getOperation());
  if (!reduce)
    return true;
  if (reduce.getKind() == ReduceKind::ArgMax || reduce.getKind() == ReduceKind::ArgTop)
    return false;
  unsigned count = 0;
  bool hasLoop = false;
  bool isBounded = GuardBounds::match(reduce, ReductionPlan(op, schedule)).has_value();
  for (Region &region : reduce->getRegions())
    region.walk([&](Operation *inner) {
      count += !isBounded || &region == &reduce.getBody();
      hasLoop |= isa<InnerOp>(inner);
    });
  return !hasLoop && count <= kTiledOps;
}

/// Whether an element that is read in the innermost loop serves all results along the index.
static bool sharesReads(FormulaOpInterface op, unsigned position) {
  return llvm::any_of(getReadIndices(op, getNumFactors(op)), [&](const ReadIndices &access) {
    bool isReduced = false;
    for (unsigned i = op.getNumOutputIndices(); i != op.getNumIndices(); ++i)
      isReduced |= access.direct[i];
    return isReduced && !access.dependsOn(position);
  });
}

static int64_t chooseTile(const ReductionSchedule &schedule, FormulaOpInterface op,
                          int64_t registers) {
  SmallVector<unsigned> order = getStoredOrder(op);
  auto contract = dyn_cast<ContractOp>(op.getOperation());
  if (contract && contract.getApart())
    return 1;
  if (!schedule.lane || order.empty() || !hasShortCode(op, schedule))
    return 1;
  bool alongOutput = *schedule.lane == order.back(), shares = sharesReads(op, order.back());
  if (!shares && !alongOutput)
    return 1;
  // With a vector of each factor the sums fill half of the registers at most. Those that share
  // nothing still read neighbouring lines, and need not wait for each other's sums.
  int64_t tile = shares && registers >= 32 ? 8 : 4;
  int64_t vectors = op.getIndexAttr(order.back()).getSize() / (alongOutput ? schedule.width : 1);
  if (!alongOutput)
    tile = std::min(tile, schedule.width); // they become the lanes of a vector
  return std::min<int64_t>(tile, llvm::bit_floor(uint64_t(std::max<int64_t>(vectors, 1))));
}

/// Vectors along the output's last index and results across them, whose sums leave registers for
/// what they share.
static constexpr int64_t kVectorsOfRows = 2, kRowsAcross = 4;

/// Of a contraction, whose elements are two loads: neighbouring rows that read the same. As many as
/// a call says may be one, for which more vectors are better.
static void chooseAcross(ReductionSchedule &schedule, FormulaOpInterface op) {
  SmallVector<unsigned> order = getStoredOrder(op);
  auto contract = dyn_cast<ContractOp>(op.getOperation());
  if (!contract || contract.getApart() || !schedule.lane || order.size() < 2 ||
      *schedule.lane != order.back())
    return;
  unsigned row = order[order.size() - 2];
  IndexAttr index = op.getIndexAttr(row);
  if (!sharesReads(op, row) || index.getDynamic() || index.getSize() < kRowsAcross)
    return;
  schedule.across = kRowsAcross;
  schedule.tile = std::min(schedule.tile, kVectorsOfRows);
}

static ReductionSchedule choose(FormulaOpInterface op, const CodeGoals &goals) {
  ReductionSchedule schedule;
  chooseLanes(schedule, op, goals.width);
  schedule.tile = chooseTile(schedule, op, goals.registers);
  chooseAcross(schedule, op);
  widenToGroups(schedule, op);
  if (schedule.tile > 1) {
    SmallVector<unsigned> rows = getStoredOrder(op);
    unsigned last = rows.pop_back_val();
    schedule.tilesOutside =
        llvm::any_of(rows, [&](unsigned row) { return isReadAgain(op, last, row); });
  }
  schedule.tasks = chooseTasks(ReductionPlan(op, schedule).work, goals);
  return schedule;
}

/// Vectors that run together, at most; and parts that they leave of all, for threads.
static constexpr int64_t kRunningVectors = 8, kRunningParts = 4;

LoweringAttr weft::chooseRunning(ReduceOp op, const CodeGoals &goals) {
  FormulaOpInterface formula = op;
  unsigned t = findRunning(op)->index, last = getStoredOrder(op).back();
  RunningSchedule schedule;
  if (last != t) {
    IndexAttr columns = formula.getIndexAttr(last);
    schedule.width = getUsefulWidth(goals.width, columns);
    int64_t vectors = columns.getSize() / schedule.width;
    schedule.tile = std::clamp<int64_t>(vectors / kRunningParts, 1, kRunningVectors);
  }
  int64_t elements = std::max(formula.getIndexAttr(t).getSize(),
                              formula.getIndexAttr(op.getNumOutputIndices()).getSize());
  schedule.tasks = chooseTasks(elements * schedule.tile * schedule.width, goals);
  return getLowering(op.getContext(), emitters::running, schedule);
}

LoweringAttr weft::chooseReduce(ReduceOp op, const CodeGoals &goals) {
  return getLowering(op.getContext(), emitters::reduce, choose(op, goals));
}

LoweringAttr weft::chooseContract(ContractOp op, const CodeGoals &goals) {
  return getLowering(op.getContext(), emitters::contract, choose(op, goals));
}
