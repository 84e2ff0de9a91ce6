//===- RowThreads.cpp - the emitter of rows that threads share ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The emitters of every target write what becomes of a row; who has which element is GroupWalk's.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "GroupWalk.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/AccessCost.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

/// The innermost reduced index along which something is read, all of the first inputs side by side.
static std::optional<unsigned> getReducedAxis(FormulaOpInterface op, unsigned numInputs) {
  if (op.getNumIndices() == op.getNumOutputIndices())
    return std::nullopt;
  unsigned axis = op.getNumIndices() - 1;
  while (axis > op.getNumOutputIndices() && !op.isReduced(axis)) // it may be chosen
    --axis;
  if (!op.isReduced(axis))
    return std::nullopt;
  bool isRead = false;
  for (auto [i, input] : llvm::enumerate(op.getInputs().take_front(numInputs))) {
    AffineMap map = op.getInputMap(i);
    isRead |= map.isFunctionOfDim(axis);
    if (!isContiguous(map, cast<ShapedType>(input.getType()), axis))
      return std::nullopt;
  }
  return isRead ? std::optional(axis) : std::nullopt;
}

std::optional<unsigned> weft::getSharedAxis(FormulaOpInterface op) {
  if (auto reduce = dyn_cast<ReduceOp>(op.getOperation())) {
    bool isArgMax = reduce.getKind() == ReduceKind::ArgMax;
    bool hasLoops = op.getNumIndices() - op.getNumOutputIndices() > 1;
    if (reduce.getKind() == ReduceKind::ArgTop || (isArgMax && hasLoops))
      return std::nullopt;
    return getReducedAxis(op, op.getInputs().size());
  }
  if (isa<ContractOp>(op.getOperation()))
    return getReducedAxis(op, 2);
  SmallVector<unsigned> order = getStoredOrder(op);
  if (order.empty())
    return std::nullopt;
  auto row = dyn_cast<RowOp>(op.getOperation());
  auto softmax = dyn_cast<SoftmaxOp>(op.getOperation());
  if ((row && row.getAxis() == order.back()) || (softmax && softmax.getAxis() == order.back()))
    return order.back();
  return std::nullopt;
}

void RowThreadsSchedule::check(ScheduleRules &rules, FormulaOpInterface op) const {
  std::optional<unsigned> axis = getSharedAxis(op);
  rules.requireWhole(axis.has_value(), "the row does not lie along the last dimension");
  rules.require(threads == kWarpSize || threads == kBlockSize, "threads",
                Twine(kWarpSize) + " or " + Twine(kBlockSize));
  rules.requireWidth(width);
  if (!axis || !rules.hold())
    return;
  IndexAttr index = op.getIndexAttr(*axis);
  rules.require(width == 1 || (!index.getDynamic() && index.getSize() % width == 0), "width",
                "a divisor of the row's length, which is known");
  rules.require(!held || index.getSize() <= threads * kMaxHeld, "held",
                "false for more than " + Twine(kMaxHeld) + " elements a thread");
}

static std::unique_ptr<KernelEmitter> create(Operation *anchor, LoweringAttr lowering) {
  FormulaOpInterface formula = cast<FormulaOpInterface>(anchor);
  auto schedule = readSchedule<RowThreadsSchedule>(formula, lowering);
  if (!schedule)
    return nullptr;
  auto walk = std::make_unique<GroupWalk>(schedule->threads, schedule->held);
  RowTasks tasks;
  tasks.rows = 1;
  return llvm::TypeSwitch<Operation *, std::unique_ptr<KernelEmitter>>(anchor)
      .Case([&](RowOp op) {
        return createRowOpEmitter(op, {schedule->width, /*tile=*/1, tasks}, std::move(walk));
      })
      .Case([&](SoftmaxOp op) {
        SoftmaxSchedule inner;
        inner.width = schedule->width;
        inner.passes = schedule->held ? 3 : 2;
        inner.tasks = tasks;
        return createSoftmaxEmitter(op, inner, std::move(walk));
      })
      .Case<ReduceOp, ContractOp>([&](auto op) -> std::unique_ptr<KernelEmitter> {
        ReductionSchedule inner;
        inner.width = schedule->width;
        inner.lane = getSharedAxis(op);
        inner.tasks = tasks;
        if constexpr (std::is_same_v<decltype(op), ContractOp>)
          return createContractEmitter(op, inner, std::move(walk));
        else
          return createReduceEmitter(op, inner, std::move(walk));
      });
}

static bool writes(Operation *anchor) {
  auto reduce = dyn_cast<ReduceOp>(anchor);
  return isa<RowOp, SoftmaxOp, ContractOp>(anchor) ||
         (reduce && reduce.getKind() != ReduceKind::ArgTop);
}

ArrayRef<EmitterInfo> weft::getGPUEmitters() {
  static const SmallVector<EmitterInfo> all = [] {
    SmallVector<EmitterInfo> emitters(getCommonEmitters());
    emitters.push_back({emitters::rowThreads, writes, create});
    emitters.push_back({emitters::mma, [](Operation *anchor) { return isa<ContractOp>(anchor); },
                        [](Operation *anchor, LoweringAttr lowering) {
                          return createMmaEmitter(cast<ContractOp>(anchor), lowering);
                        }});
    emitters.push_back({emitters::fewRows,
                        [](Operation *anchor) { return isa<ContractOp>(anchor); },
                        [](Operation *anchor, LoweringAttr lowering) {
                          return createFewRowsEmitter(cast<ContractOp>(anchor), lowering);
                        }});
    emitters.push_back({emitters::fewRowsMma,
                        [](Operation *anchor) { return isa<ContractOp>(anchor); },
                        [](Operation *anchor, LoweringAttr lowering) {
                          return createFewRowsMmaEmitter(cast<ContractOp>(anchor), lowering);
                        }});
    emitters.push_back({emitters::mmaAttention,
                        [](Operation *anchor) { return isa<AttentionOp>(anchor); },
                        [](Operation *anchor, LoweringAttr lowering) {
                          return createMmaAttentionEmitter(cast<AttentionOp>(anchor), lowering);
                        }});
    emitters.push_back({emitters::decodeAttention,
                        [](Operation *anchor) { return isa<AttentionOp>(anchor); },
                        [](Operation *anchor, LoweringAttr lowering) {
                          return createDecodeEmitter(cast<AttentionOp>(anchor), lowering);
                        }});
    emitters.push_back({emitters::byCount,
                        [](Operation *anchor) { return isa<AttentionOp, ContractOp>(anchor); },
                        createByCount});
    return emitters;
  }();
  return all;
}
