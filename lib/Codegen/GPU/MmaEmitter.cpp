//===- MmaEmitter.cpp - contractions on matrix units ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// C[b, m, n] = epilogue(scale * sum(k) A[b, m, k] * B[b, k, n]), factors of bf16, f16 or f32 and
// sums of f32, or factors that are whole numbers of 8 bits and sums of 32.
//
// A task is a tile of a product, made by a block. Tiles of both factors go through a ring in shared
// memory, copied 16 bytes at once while others are multiplied (MmaCopies); a warp multiplies its
// part of a tile by `nvx.mma`, its sums in registers (MmaTask), and finishes them (ResultRows).
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "MmaTask.h"

using namespace mlir;
using namespace weft;

namespace {

class MmaEmitter : public KernelEmitter {
public:
  MmaEmitter(ContractOp op, const MmaSchedule &schedule) : op(op), plan(op, schedule) {}

  int64_t getThreads() const override { return kBlockSize; }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return MmaTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    MmaTask(lanes, kernel, op, plan).emit(task);
  }

private:
  ContractOp op;
  MmaPlan plan;
};

/// Adds up the sums over parts of k, a thread for each few neighbours.
class MmaCombiner : public KernelEmitter {
public:
  MmaCombiner(ContractOp op, const MmaSchedule &schedule) : op(op), plan(op, schedule) {}

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return MmaTask(lanes, kernel, op, plan).getNumSums();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    MmaTask(lanes, kernel, op, plan).addParts(task);
  }

private:
  ContractOp op;
  MmaPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createMmaCombiner(ContractOp op, LoweringAttr lowering) {
  auto schedule = readSchedule<MmaSchedule>(op, lowering);
  if (!schedule || schedule->getSplits() == 1)
    return nullptr;
  return std::make_unique<MmaCombiner>(op, *schedule);
}

std::unique_ptr<KernelEmitter> weft::createMmaEmitter(ContractOp op, LoweringAttr lowering) {
  return createFor<MmaEmitter, MmaSchedule>(op, lowering);
}
