//===- DecodeEmitter.cpp - attentions of few queries --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodeMmaTask.h"
#include "Emitters.h"

using namespace mlir;
using namespace weft;

namespace {

/// Parts of keys, or what combines them.
template <typename Task> class DecodeEmitter : public KernelEmitter {
public:
  DecodeEmitter(AttentionOp op, const DecodeSchedule &schedule) : op(op), plan(op, schedule) {}

  /// A block has a task; what combines parts has blocks as others.
  int64_t getThreads() const override { return isPart ? plan.getBlock() : kBlockSize; }
  int64_t getBlock() const override { return getThreads(); }
  /// Left alone, ptxas takes registers for several rounds of what is combined.
  int64_t getBlocks() const override { return isPart ? plan.schedule.blocks : 2; }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return Task(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    Task(lanes, kernel, op, plan).emit(task);
  }

private:
  static constexpr bool isPart = std::is_base_of_v<DecodePart, Task>;

  AttentionOp op;
  DecodePlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createDecodeEmitter(AttentionOp op, LoweringAttr lowering) {
  auto schedule = readSchedule<DecodeSchedule>(op, lowering);
  if (!schedule)
    return nullptr;
  if (schedule->units)
    return std::make_unique<DecodeEmitter<DecodeMmaTask>>(op, *schedule);
  return std::make_unique<DecodeEmitter<DecodeTask>>(op, *schedule);
}

std::unique_ptr<KernelEmitter> weft::createDecodeCombiner(AttentionOp op, LoweringAttr lowering) {
  auto schedule = readSchedule<DecodeSchedule>(op, lowering);
  if (!schedule || schedule->splits == 1)
    return nullptr;
  return std::make_unique<DecodeEmitter<DecodeCombine>>(op, *schedule);
}
