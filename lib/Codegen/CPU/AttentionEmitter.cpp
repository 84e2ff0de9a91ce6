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
  AttentionEmitter(AttentionOp op, LoweringAttr lowering) : op(op), plan(op, lowering) {}

  int64_t getStackBytes() const { return plan.getStackBytes(); }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return AttentionTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
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
  if (lowering.getTile().size() != 3) {
    op.emitError("lowering \"attention\" needs the tile [queries, keys, rows]");
    return nullptr;
  }
  auto emitter = std::make_unique<AttentionEmitter>(op, lowering);
  if (op.getDots() > kMaxDots || emitter->getStackBytes() > kTaskStack) {
    op.emitError("the blocks of an attention do not fit the stack: ")
        << op.getDots() << " products of at most " << kMaxDots << ", " << emitter->getStackBytes()
        << " bytes of at most " << kTaskStack;
    return nullptr;
  }
  return emitter;
}
