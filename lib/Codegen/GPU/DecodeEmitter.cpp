//===- DecodeEmitter.cpp - attentions of few queries --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodeTask.h"
#include "Emitters.h"

using namespace mlir;
using namespace weft;

namespace {

/// Parts of keys, or what combines them.
template <typename Task> class DecodeEmitter : public KernelEmitter {
public:
  DecodeEmitter(AttentionOp op, const DecodeSchedule &schedule) : op(op), plan(op, schedule) {}

  int64_t getThreads() const override { return kBlockSize; }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return Task(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    Task(lanes, kernel, op, plan).emit(task);
  }

private:
  AttentionOp op;
  DecodePlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createDecodeEmitter(AttentionOp op, LoweringAttr lowering) {
  return createFor<DecodeEmitter<DecodeTask>, DecodeSchedule>(op, lowering);
}

std::unique_ptr<KernelEmitter> weft::createDecodeCombiner(AttentionOp op, LoweringAttr lowering) {
  auto schedule = readSchedule<DecodeSchedule>(op, lowering);
  if (!schedule || schedule->splits == 1)
    return nullptr;
  return std::make_unique<DecodeEmitter<DecodeCombine>>(op, *schedule);
}
