//===- ChooseRows.cpp - schedules of emitters that write rows ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Choosers.h"
#include "Emitters.h"
#include "TransposeSchedule.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/MapSchedule.h"
#include "weft/Dialect/Weft/IR/AccessCost.h"
#include "weft/Dialect/Weft/IR/Product.h"

#include <numeric>

using namespace mlir;
using namespace weft;

/// Elements that one task should touch: enough to hide the cost of handing it to a thread.
static constexpr int64_t kElementsPerTask = 16384;

RowTasks weft::chooseTasks(int64_t work, const CodeGoals &goals) {
  RowTasks tasks;
  tasks.parallel = goals.parallel;
  if (goals.parallel)
    tasks.rows = std::max<int64_t>(1, kElementsPerTask / std::max<int64_t>(1, work));
  return tasks;
}

/// Operations of an element up to which its code may be repeated.
static constexpr unsigned kRepeatedOps = 32;

/// Rows of panels that are read together: each element lies in a line of its own, and hardware
/// follows several rows at once, but is slow to see that one goes on.
static constexpr int64_t kRowsLookedUp = 8;

/// Whether rows that are looked up in panels have the lanes of the output: tokens in a table that
/// is the weight of a product, too.
static bool looksUpInPanels(MapOp op, unsigned lane) {
  auto isLane = [&](Value coordinate) {
    auto index = coordinate.getDefiningOp<weft::IndexOp>();
    return index && index.getPosition() == lane;
  };
  WalkResult found = op.getBody().walk([&](AtOp at) {
    LayoutAttr layout = getLayout(at.getSource().getType());
    if (!layout)
      return WalkResult::advance();
    bool isAcross =
        llvm::any_of(layout.getK(), [&](int64_t dim) { return isLane(at.getCoordinates()[dim]); });
    return isAcross ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

static bool isShort(MapOp op) {
  unsigned size = 0;
  op.getBody().walk([&](Operation *) { ++size; });
  return size <= kRepeatedOps;
}

LoweringAttr weft::chooseMap(MapOp op, const CodeGoals &goals) {
  MapSchedule schedule;
  SmallVector<unsigned> order = getStoredOrder(op);
  int64_t work = 1;
  if (!order.empty()) {
    auto index = cast<IndexAttr>(op.getIndices()[order.back()]);
    schedule.width = getUsefulWidth(goals.width, index);
    work = index.getSize();
  }
  if (schedule.width > 1 && order.size() > 1 && isShort(op) && looksUpInPanels(op, order.back()))
    schedule.tile = kRowsLookedUp;
  schedule.tasks = chooseTasks(work * schedule.tile.value_or(1), goals);
  return getLowering(op.getContext(), emitters::map, schedule);
}

/// The index along which most of the inputs lie side by side that the lanes would gather. Squares
/// are for sizes that are known to fill them.
static std::optional<unsigned> chooseAcross(MapOp op, ArrayRef<unsigned> rows, int64_t width) {
  std::optional<unsigned> best;
  unsigned most = 0;
  for (unsigned position : rows) {
    auto index = cast<IndexAttr>(op.getIndices()[position]);
    unsigned count = countInputsAcross(op, position);
    if (!index.getDynamic() && index.getSize() % width == 0 && index.getSize() > 0 && count > most)
      most = count, best = position;
  }
  return best;
}

LoweringAttr weft::chooseTranspose(MapOp op, const CodeGoals &goals) {
  SmallVector<unsigned> order = getStoredOrder(op);
  if (order.empty() || goals.width == 1)
    return {};
  auto lane = cast<IndexAttr>(op.getIndices()[order.back()]);
  std::optional<unsigned> across = chooseAcross(op, ArrayRef(order).drop_back(), goals.width);
  if (!across || lane.getSize() < goals.width)
    return {};
  TransposeSchedule schedule;
  schedule.width = goals.width;
  schedule.across = across;
  int64_t size = cast<IndexAttr>(op.getIndices()[*across]).getSize();
  schedule.run = std::gcd(size, 4 * goals.width);
  schedule.tasks = chooseTasks(schedule.run * lane.getSize(), goals);
  return getLowering(op.getContext(), emitters::transpose, schedule);
}

/// Vectors of a row whose maxima keep the processor busy while each waits for the last.
static constexpr int64_t kMaximaTogether = 4;
/// Vectors that share the exponential which a larger maximum takes.
static constexpr int64_t kPowersTogether = 8;
/// Elements of a row beyond which it is better read once for maximum and sum: from there on less
/// than a third of the first cache holds them.
static constexpr int64_t kLongRow = 4096;

/// Whether an element is more work than to read it again: functions, gathers, many operations.
static bool isDear(SoftmaxOp op, unsigned lane) {
  unsigned size = 0;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps()) {
      bool isPlain = isa<arith::ArithDialect>(inner.getDialect()) || isa<weft::IndexOp>(inner);
      size += isPlain || inner.hasTrait<OpTrait::IsTerminator>() ? 1 : kRepeatedOps;
    }
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (!isContiguous(FormulaOpInterface(op).getInputMap(i), cast<ShapedType>(input.getType()),
                      lane))
      return true;
  return size > kRepeatedOps;
}

LoweringAttr weft::chooseSoftmax(SoftmaxOp op, const CodeGoals &goals) {
  unsigned lane = getStoredOrder(op).back(), axis = op.getAxis();
  SoftmaxSchedule schedule;
  schedule.width = getUsefulWidth(goals.width, cast<IndexAttr>(op.getIndices()[lane]));
  int64_t size = cast<IndexAttr>(op.getIndices()[axis]).getSize(), work = size;
  if (lane != axis)
    work *= cast<IndexAttr>(op.getIndices()[lane]).getSize();
  // What a softmax keeps meanwhile is cheaper read again than computed.
  bool isLog = op.getNormalizer() == Normalizer::LogSoftmax;
  schedule.passes = isLog && lane == axis && size > kLongRow ? 2 : 3;
  if (goals.width > 1)
    schedule.chains = schedule.passes == 2 ? kPowersTogether : kMaximaTogether;
  schedule.kept = isDear(op, lane);
  schedule.tasks = chooseTasks(work, goals);
  return getLowering(op.getContext(), emitters::softmax, schedule);
}

/// Rows whose independent sums keep the adders busy while one waits for the last.
static constexpr int64_t kRowsTogether = 4;

/// Whether a region multiplies what is the same for all values of the index at `row`. Rows that go
/// through the same loops would share the product, and only one that nothing shares is rounded
/// together with a sum: bits of a row would depend on the rows beside it.
static bool multipliesSharedValues(RowOp op, unsigned row) {
  llvm::DenseSet<Value> shared;
  bool found = false;
  for (Region &region : op->getRegions()) {
    unsigned first = region.getNumArguments() - op.getInputs().size();
    for (BlockArgument argument : region.getArguments().drop_front(first))
      if (!FormulaOpInterface(op).getInputMap(argument.getArgNumber() - first).isFunctionOfDim(row))
        shared.insert(argument);
    for (Operation &inner : region.front().without_terminator()) {
      auto index = dyn_cast<weft::IndexOp>(inner);
      bool isShared = index ? index.getPosition() != row : inner.getNumRegions() == 0;
      for (Value operand : inner.getOperands())
        isShared &= operand.getParentRegion() != &region || shared.contains(operand);
      if (isShared)
        shared.insert(inner.getResult(0));
      found |= isShared && isa<arith::MulFOp>(inner);
    }
  }
  return found;
}

LoweringAttr weft::chooseRow(RowOp op, const CodeGoals &goals) {
  SmallVector<unsigned> order = getStoredOrder(op);
  unsigned lane = order.back(), size = 0;
  op.walk([&](Operation *inner) { size += isa<InnerOp>(inner) ? kRepeatedOps : 1; });
  llvm::erase(order, unsigned(op.getAxis()));
  RowOpSchedule schedule;
  schedule.width = getUsefulWidth(goals.width, cast<IndexAttr>(op.getIndices()[lane]));
  bool alongAxis = lane == op.getAxis();
  if (alongAxis && !order.empty() && schedule.width > 1 && size <= kRepeatedOps &&
      !multipliesSharedValues(op, order.back()))
    schedule.tile = kRowsTogether;
  int64_t work = getBoundProduct(op.getIndices(), {unsigned(op.getAxis())});
  schedule.tasks = chooseTasks(work * (alongAxis ? schedule.tile : schedule.width), goals);
  return getLowering(op.getContext(), emitters::row, schedule);
}

LoweringAttr weft::chooseArgTop(ReduceOp op, const CodeGoals &goals) {
  unsigned ranked = FormulaOpInterface(op).getNumOutputIndices();
  ArgTopSchedule schedule;
  schedule.width = getUsefulWidth(goals.width, cast<IndexAttr>(op.getIndices()[ranked]));
  schedule.chooseBlock(op, kMostRankedBlocks);
  schedule.tasks = chooseTasks(getBoundProduct(op.getIndices(), {ranked}), goals);
  return getLowering(op.getContext(), emitters::argtop, schedule);
}

LoweringAttr weft::chooseCheck(CheckOp op, const CodeGoals &goals) {
  CheckSchedule schedule;
  if (!op.getIndices().empty())
    schedule.width =
        getUsefulWidth(goals.width, cast<IndexAttr>(op.getIndices().getValue().back()));
  return getLowering(op.getContext(), emitters::check, schedule);
}
