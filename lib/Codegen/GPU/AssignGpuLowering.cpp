//===- AssignGpuLowering.cpp - choose how every kernel becomes threads ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/AccessCost.h"
#include "weft/Codegen/Common/AttentionRoles.h"
#include "weft/Codegen/Common/Emitters.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/RowSchedules.h"
#include "weft/Codegen/GPU/Passes.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace weft {
#define GEN_PASS_DEF_ASSIGNGPULOWERING
#include "weft/Codegen/GPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Sums that a thread keeps in registers while it goes through the keys.
static constexpr int64_t kMaxColumns = 16;

/// A task for each row, or for each vector of it where it has several.
static RowTasks oneEach(bool hasLanes) {
  RowTasks tasks;
  (hasLanes ? tasks.vectors : tasks.rows) = 1;
  tasks.parallel = true;
  return tasks;
}

/// The bytes that a thread reads or writes at once.
static constexpr int64_t kAccess = 16;

/// The most elements of the first output along an index that divide its length and fill an access.
static int64_t getAccessWidth(FormulaOpInterface op, IndexAttr index) {
  auto type = cast<MemRefType>(op.getOutputs().front().getType());
  int64_t width = kAccess * 8 / std::max(getStorageBits(type.getElementType()), 16u);
  while (width > 1 && (index.getDynamic() || index.getSize() % width != 0))
    width /= 2;
  return width;
}

static LoweringAttr chooseMap(MapOp op) {
  RowSchedule schedule;
  SmallVector<unsigned> order = getStoredOrder(op);
  schedule.tasks = oneEach(!order.empty());
  FormulaOpInterface formula = op;
  unsigned numInputs = op.getInputs().size();
  // Vectors that would be gathered are left to neighbouring threads.
  if (!order.empty() && getVectorCost(formula, numInputs, order.back(), kAccess) == numInputs)
    schedule.width = getAccessWidth(formula, formula.getIndexAttr(order.back()));
  return getLowering(op.getContext(), emitters::map, schedule);
}

static LoweringAttr chooseReduce(ReduceOp op) {
  if (op.getKind() == ReduceKind::ArgTop) {
    ArgTopSchedule schedule;
    schedule.tasks = oneEach(false);
    return getLowering(op.getContext(), emitters::argtop, schedule);
  }
  ReductionSchedule schedule;
  schedule.tasks = oneEach(false);
  return getLowering(op.getContext(), emitters::reduce, schedule);
}

static LoweringAttr chooseContract(ContractOp op) {
  ReductionSchedule schedule;
  schedule.tasks = oneEach(false);
  return getLowering(op.getContext(), emitters::contract, schedule);
}

static LoweringAttr chooseSoftmax(SoftmaxOp op) {
  SoftmaxSchedule schedule;
  schedule.kept = true; // as good as any: an element may be a sum of its own
  schedule.tasks = oneEach(getStoredOrder(op).back() != op.getAxis());
  return getLowering(op.getContext(), emitters::softmax, schedule);
}

static LoweringAttr chooseRow(RowOp op) {
  RowOpSchedule schedule;
  schedule.tasks = oneEach(false);
  return getLowering(op.getContext(), emitters::row, schedule);
}

static LoweringAttr chooseCheck(CheckOp op) {
  CheckSchedule schedule;
  if (!op.getIndices().empty())
    schedule.vectors = 1;
  return getLowering(op.getContext(), emitters::check, schedule);
}

static LoweringAttr chooseAttention(AttentionOp op) {
  AttentionRowSchedule schedule;
  SmallVector<unsigned> columns = AttentionRoles(op).columns;
  if (!columns.empty()) {
    int64_t size = FormulaOpInterface(op).getIndexAttr(columns.back()).getSize();
    schedule.columns = std::clamp<int64_t>(size, 1, kMaxColumns);
    while (size % schedule.columns != 0)
      --schedule.columns;
  }
  schedule.tasks = oneEach(false);
  return getLowering(op.getContext(), emitters::attentionRows, schedule);
}

static LoweringAttr choose(Operation *anchor) {
  return llvm::TypeSwitch<Operation *, LoweringAttr>(anchor)
      .Case(chooseMap)
      .Case(chooseReduce)
      .Case(chooseContract)
      .Case(chooseSoftmax)
      .Case(chooseRow)
      .Case(chooseCheck)
      .Case(chooseAttention)
      .Default([](Operation *) { return LoweringAttr(); });
}

namespace {

struct AssignGpuLoweringPass : weft::impl::AssignGpuLoweringBase<AssignGpuLoweringPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!attrs::Kernel::isOn(function))
        continue;
      for (Operation &op : function.getBody().front())
        if (isa<IndexedOpInterface>(op) && failed(assign(&op)))
          return signalPassFailure();
    }
  }

private:
  LogicalResult assign(Operation *anchor) {
    auto given = attrs::Lowering::get(anchor);
    LoweringAttr lowering = choose(anchor);
    if (given && lowering && given.getEmitter() == lowering.getEmitter())
      lowering = completeLowering(given, lowering);
    else if (given)
      lowering = given;
    if (!lowering)
      return anchor->emitError("no emitter of the target writes this");
    attrs::Lowering::set(anchor, lowering);
    return success(createEmitter(anchor, getCommonEmitters()) != nullptr);
  }
};

} // namespace
