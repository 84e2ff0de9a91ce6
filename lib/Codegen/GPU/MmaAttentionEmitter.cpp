//===- MmaAttentionEmitter.cpp - attention on matrix units ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "MmaAttentionTask.h"

using namespace mlir;
using namespace weft;

namespace {

class MmaAttentionEmitter : public KernelEmitter {
public:
  MmaAttentionEmitter(AttentionOp op, const MmaAttentionSchedule &schedule)
      : op(op), plan(op, schedule) {}

  int64_t getThreads() const override { return kBlockSize; }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return MmaAttentionTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    MmaAttentionTask(lanes, kernel, op, plan).emit(task);
  }

private:
  AttentionOp op;
  MmaAttentionPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createMmaAttentionEmitter(AttentionOp op,
                                                               LoweringAttr lowering) {
  return createFor<MmaAttentionEmitter, MmaAttentionSchedule>(op, lowering);
}
