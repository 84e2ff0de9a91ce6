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

/// Another emitter, where there are more queries than few.
class ManyEmitter : public KernelEmitter {
public:
  ManyEmitter(AttentionOp op, const DecodeSchedule &schedule, std::unique_ptr<KernelEmitter> inner)
      : op(op), plan(op, schedule), inner(std::move(inner)) {}

  int64_t getThreads() const override { return inner->getThreads(); }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    Lanes all = inner->getNumTasks(lanes, kernel);
    Lanes few = DecodeTask(lanes, kernel, op, plan).getNumTasks();
    Value isMany = lanes.compare(arith::CmpIPredicate::eq, few, lanes.constant(0));
    Value tasks = lanes.select(isMany, all.value, lanes.indexConstant(0));
    return lanes.uniform(tasks, {0, all.interval.max});
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    inner->emitTask(lanes, kernel, task);
  }

private:
  AttentionOp op;
  DecodePlan plan;
  std::unique_ptr<KernelEmitter> inner;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createDecodeEmitter(AttentionOp op, LoweringAttr lowering) {
  return createFor<DecodeEmitter<DecodeTask>, DecodeSchedule>(op, lowering);
}

SmallVector<KernelPart> weft::createParts(Operation *anchor) {
  LoweringAttr lowering = attrs::Lowering::get(anchor);
  SmallVector<KernelPart> parts;
  std::unique_ptr<KernelEmitter> emitter = createEmitter(anchor, getGPUEmitters());
  if (!emitter)
    return parts;
  parts.push_back({"", std::move(emitter)});
  if (lowering.getEmitter() != emitters::decodeAttention)
    return parts;
  auto op = cast<AttentionOp>(anchor);
  DecodeSchedule schedule = *readSchedule<DecodeSchedule>(op, lowering);
  if (schedule.splits > 1)
    parts.push_back({"_combine", std::make_unique<DecodeEmitter<DecodeCombine>>(op, schedule)});
  if (!schedule.more)
    return parts;
  std::unique_ptr<KernelEmitter> more = createEmitter(anchor, schedule.more, getGPUEmitters());
  if (!more)
    return {};
  parts.push_back({"_more", std::make_unique<ManyEmitter>(op, schedule, std::move(more))});
  return parts;
}
