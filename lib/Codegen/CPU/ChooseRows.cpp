//===- ChooseRows.cpp - schedules of emitters that write rows ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Choosers.h"

#include "weft/Codegen/Common/AccessCost.h"
#include "weft/Codegen/Common/Emitters.h"
#include "weft/Codegen/Common/IndexLoops.h"

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

LoweringAttr weft::chooseMap(MapOp op, const CodeGoals &goals) {
  MapSchedule schedule;
  SmallVector<unsigned> order = getStoredOrder(op);
  int64_t work = 1;
  if (!order.empty()) {
    auto index = cast<IndexAttr>(op.getIndices()[order.back()]);
    schedule.width = getUsefulWidth(goals.width, index);
    work = index.getSize();
  }
  schedule.tasks = chooseTasks(work, goals);
  return getLowering(op.getContext(), emitters::map, schedule);
}

LoweringAttr weft::chooseSoftmax(SoftmaxOp op, const CodeGoals &goals) {
  unsigned lane = getStoredOrder(op).back();
  SoftmaxSchedule schedule;
  schedule.width = getUsefulWidth(goals.width, cast<IndexAttr>(op.getIndices()[lane]));
  schedule.tasks =
      chooseTasks(getBoundProduct(op.getIndices(), {unsigned(op.getAxis()), lane}), goals);
  return getLowering(op.getContext(), emitters::softmax, schedule);
}

LoweringAttr weft::chooseArgTop(ReduceOp op, const CodeGoals &goals) {
  unsigned ranked = FormulaOpInterface(op).getNumOutputIndices();
  ArgTopSchedule schedule;
  schedule.tasks = chooseTasks(getBoundProduct(op.getIndices(), {ranked, ranked}), goals);
  return getLowering(op.getContext(), emitters::argtop, schedule);
}

LoweringAttr weft::chooseCheck(CheckOp op, const CodeGoals &goals) {
  CheckSchedule schedule;
  if (!op.getIndices().empty())
    schedule.width =
        getUsefulWidth(goals.width, cast<IndexAttr>(op.getIndices().getValue().back()));
  return getLowering(op.getContext(), emitters::check, schedule);
}
