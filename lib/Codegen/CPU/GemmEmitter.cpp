//===- GemmEmitter.cpp - contractions with a packed factor ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// C[b, m, n] = epilogue(scale * sum(k) A[b, m, k] * B[b][n / nr][k][n % nr]).
//
// A task is a block of rows of a product times a group of panels. Blocks are as equal as whole
// tiles allow, and a group's come one after the other: a thread, which gets neighbouring tasks, has
// panels of its own. For each panel, a scratch block of `rows x nr` on the stack (it stays in the
// first cache) collects the sums: for each cache block of k, register tiles of `mr x nr`
// accumulators run over the rows. Then the epilogue reads the scratch, so its code exists once.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "GemmTask.h"

using namespace mlir;
using namespace weft;

namespace {

class GemmEmitter : public KernelEmitter {
public:
  GemmEmitter(ContractOp op, const GemmSchedule &schedule) : op(op), plan(op, schedule) {}

  bool isParallel() const override { return plan.schedule.parallel; }
  Lanes getNumTasks(LaneBuilder &outer, const Kernel &kernel) override {
    LaneBuilder lanes = outer.withWidth(plan.schedule.width);
    return GemmTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) override {
    LaneBuilder lanes = outer.withWidth(plan.schedule.width);
    GemmTask(lanes, kernel, op, plan).emit(task);
  }

private:
  ContractOp op;
  GemmPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createGemmEmitter(ContractOp op, LoweringAttr lowering) {
  if (!Product::matchPacked(op)) {
    op.emitError("lowering \"gemm\" needs two factors that can be multiplied, one of them packed");
    return nullptr;
  }
  return createFor<GemmEmitter, GemmSchedule>(op, lowering);
}
