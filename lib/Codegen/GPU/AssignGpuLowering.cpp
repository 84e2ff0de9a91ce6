//===- AssignGpuLowering.cpp - choose how every kernel becomes threads ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ChooseLowering.h"
#include "DecodePlan.h"
#include "Emitters.h"
#include "MmaAttentionPlan.h"
#include "MmaSchedule.h"
#include "WgmmaAttentionPlan.h"
#include "WgmmaSchedule.h"

#include "weft/Codegen/Common/AttentionRoles.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/RowSchedules.h"
#include "weft/Codegen/GPU/Passes.h"
#include "weft/Dialect/Weft/IR/AccessCost.h"
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

/// Rows of fewer elements leave most threads of a warp without any.
static constexpr int64_t kShortRow = kWarpSize;

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

/// A warp or a block for each row, if rows are long enough and their elements are not loops; null
/// if not.
static LoweringAttr chooseRowThreads(FormulaOpInterface op) {
  std::optional<unsigned> axis = getSharedAxis(op);
  bool hasLoop = op->walk([](InnerOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!axis || hasLoop)
    return {};
  IndexAttr index = op.getIndexAttr(*axis);
  int64_t size = index.getSize();
  if (size < kShortRow)
    return {};
  RowThreadsSchedule schedule;
  schedule.threads = size <= kWarpRow ? kWarpSize : kBlockSize;
  schedule.held = size <= schedule.threads * kMaxHeld;
  schedule.width = getAccessWidth(op, index);
  while (schedule.width > 1 && schedule.width * schedule.threads > size)
    schedule.width /= 2;
  return getLowering(op.getContext(), emitters::rowThreads, schedule);
}

/// Blocks of an argtop: each thread has memory of its own for them.
static constexpr int64_t kMostBlocksOfThread = 128;

static LoweringAttr chooseReduce(ReduceOp op) {
  if (LoweringAttr shared = chooseRowThreads(op))
    return shared;
  if (op.getKind() == ReduceKind::ArgTop) {
    ArgTopSchedule schedule;
    schedule.chooseBlock(op, kMostBlocksOfThread);
    schedule.tasks = oneEach(false);
    return getLowering(op.getContext(), emitters::argtop, schedule);
  }
  ReductionSchedule schedule;
  schedule.tasks = oneEach(false);
  return getLowering(op.getContext(), emitters::reduce, schedule);
}

static LoweringAttr chooseSoftmax(SoftmaxOp op) {
  if (LoweringAttr shared = chooseRowThreads(op))
    return shared;
  SoftmaxSchedule schedule;
  schedule.kept = true; // as good as any: an element may be a sum of its own
  schedule.tasks = oneEach(getStoredOrder(op).back() != op.getAxis());
  return getLowering(op.getContext(), emitters::softmax, schedule);
}

static LoweringAttr chooseRow(RowOp op) {
  if (LoweringAttr shared = chooseRowThreads(op))
    return shared;
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

/// Blocks of rows on matrix units, or a few columns of a result.
static LoweringAttr chooseRowsOfAttention(AttentionOp op, bool tf32) {
  if (LoweringAttr units = chooseMmaAttention(op, tf32))
    return units;
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

/// Keys shared out over blocks where queries are few.
static LoweringAttr chooseAttention(AttentionOp op, bool tf32) {
  LoweringAttr rows = chooseRowsOfAttention(op, tf32);
  LoweringAttr few = chooseDecode(op, rows);
  return few ? few : rows;
}

static LoweringAttr choose(Operation *anchor, bool tf32, const llvm::StringSet<> &counts) {
  return llvm::TypeSwitch<Operation *, LoweringAttr>(anchor)
      .Case(chooseMap)
      .Case(chooseReduce)
      .Case([&](ContractOp op) { return chooseContract(op, tf32, counts); })
      .Case(chooseSoftmax)
      .Case(chooseRow)
      .Case(chooseCheck)
      .Case([&](AttentionOp op) { return chooseAttention(op, tf32); })
      .Default([](Operation *) { return LoweringAttr(); });
}

namespace {

struct AssignGpuLoweringPass : weft::impl::AssignGpuLoweringBase<AssignGpuLoweringPass> {
  using AssignGpuLoweringBase::AssignGpuLoweringBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (attrs::Step::isOn(function))
        counts.insert(attrs::Step::get(function).getCount());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!attrs::Kernel::isOn(function))
        continue;
      for (Operation &op : function.getBody().front())
        if (isa<IndexedOpInterface>(op) && failed(assign(&op)))
          return signalPassFailure();
    }
  }

private:
  /// Of kernels by the number of rows that for the most.
  static LoweringAttr getForMany(Operation *anchor) {
    auto lowering = attrs::Lowering::get(anchor);
    while (lowering.getEmitter() == emitters::byCount) {
      auto schedule = readSchedule<CountSchedule>(cast<FormulaOpInterface>(anchor), lowering);
      if (!schedule)
        break;
      lowering = schedule->more;
    }
    return lowering;
  }

  /// What there is on the chip that has more, where all chips have tiles on matrix units.
  LogicalResult assignTiles(Operation *anchor) {
    Attribute there = anchor->getDiscardableAttr(kTileLowering);
    auto given = dyn_cast_or_null<LoweringAttr>(there);
    StringRef units = getForMany(anchor).getEmitter();
    LoweringAttr lowering;
    if (units == emitters::mma)
      lowering = chooseWgmma(cast<ContractOp>(anchor), tf32);
    else if (units == emitters::mmaAttention)
      lowering = chooseWgmmaAttention(cast<AttentionOp>(anchor));
    if (given)
      lowering = lowering && given.getEmitter() == lowering.getEmitter()
                     ? completeLowering(given, lowering)
                     : given;
    if (lowering && (given || !there))
      anchor->setDiscardableAttr(kTileLowering, lowering);
    return success(succeeded(createTileEmitters(anchor)));
  }

  LogicalResult assign(Operation *anchor) {
    if (auto contract = dyn_cast<ContractOp>(anchor); contract && contract.getApart())
      return anchor->emitError(
          "has several sums of an element, of which kernels for GPUs make one");
    auto given = attrs::Lowering::get(anchor);
    LoweringAttr lowering = choose(anchor, tf32, counts);
    if (given && lowering && given.getEmitter() == lowering.getEmitter())
      lowering = completeLowering(given, lowering);
    else if (given)
      lowering = given;
    if (!lowering)
      return anchor->emitError("no emitter of the target writes this");
    attrs::Lowering::set(anchor, lowering);
    if (tiles && failed(assignTiles(anchor)))
      return failure();
    return success(createEmitter(anchor, getGPUEmitters()) != nullptr);
  }

  llvm::StringSet<> counts; ///< symbols of new positions
};

} // namespace
