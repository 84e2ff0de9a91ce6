//===- AttentionEmitter.cpp - streaming attention -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"
#include "Emitters.h"

#include "weft/Dialect/Weft/Transforms/AttentionLimits.h"

using namespace mlir;
using namespace weft;

namespace {

class AttentionEmitter : public KernelEmitter {
public:
  AttentionEmitter(AttentionOp op, const AttentionSchedule &schedule)
      : op(op), plan(op, schedule) {}

  bool isParallel() const override { return plan.parallel; }
  Lanes getNumTasks(LaneBuilder &outer, const Kernel &kernel) override {
    LaneBuilder lanes = outer.withWidth(plan.width);
    return AttentionTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) override {
    LaneBuilder lanes = outer.withWidth(plan.width);
    AttentionTask(lanes, kernel, op, plan).emit(task);
  }

private:
  AttentionOp op;
  AttentionPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createAttentionEmitter(AttentionOp op, LoweringAttr lowering) {
  if (op.getNormalizer() == Normalizer::LogSoftmax) {
    op.emitError("attention with log_softmax has no CPU lowering");
    return nullptr;
  }
  if (op.getDots() > kMaxDots) {
    op.emitError("attention with ")
        << op.getDots() << " products, at most " << kMaxDots << " have a CPU lowering";
    return nullptr;
  }
  return createFor<AttentionEmitter, AttentionSchedule>(op, lowering);
}
