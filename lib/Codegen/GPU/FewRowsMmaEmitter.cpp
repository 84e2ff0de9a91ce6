//===- FewRowsMmaEmitter.cpp - products of few rows of 16 bits on matrix units --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FewRowsMma.h"

#include "Emitters.h"
#include "FewRows.h"

using namespace mlir;
using namespace weft;

/// Steps of a warp that are on their way at once, 1 KiB each; the fewest that it should have.
static constexpr int64_t kSteps = 4;
/// Blocks of a processor: what one waits for is on its way while another adds up.
static constexpr int64_t kBlocks = 2, kMostBlocks = 8;

static std::optional<ChunkedProduct> match(ContractOp op) {
  auto product = ChunkedProduct::match(op);
  bool isRead = product && product->element.isFloat() &&
                product->element.getIntOrFloatBitWidth() == 16 && !product->codes &&
                !product->transposed && !product->isPacked;
  return isRead && product->isStaticN ? product : std::nullopt;
}

void FewRowsMmaSchedule::check(ScheduleRules &rules, ContractOp op) const {
  rules.requireWhole(match(op).has_value(),
                     "the factors are no bf16 or f16 that both have k side by side");
  if (!rules.hold())
    return;
  auto isPower = [](int64_t value, int64_t limit) {
    return value <= limit && llvm::isPowerOf2_64(uint64_t(value));
  };
  constexpr int64_t mostSteps = 8;
  rules.require(rows <= kMostRowsOfUnits, "rows", "at most " + Twine(kMostRowsOfUnits));
  rules.require(columns == kMmaRows || columns == 2 * kMmaRows, "columns", "16 or 32");
  rules.require(isPower(warps, kBlockSize / kWarpSize), "warps", "1, 2, 4 or 8");
  rules.require(isPower(steps, mostSteps), "steps", "1, 2, 4 or 8");
  rules.require(blocks <= kMostBlocks, "blocks", "at most " + Twine(kMostBlocks));
}

/// What the schedule says of k is the same whatever the number of rows, and so are the bits of one.
LoweringAttr weft::chooseFewRowsMma(ContractOp op, int64_t mostRows) {
  auto product = match(op);
  if (!product)
    return {};
  FewRowsMmaSchedule schedule;
  schedule.rows = std::min(product->sizeM, mostRows);
  if (schedule.rows > kMostRowsOfUnits || product->sizeN * product->sizeK < kLargeWeight)
    return {};
  schedule.steps = kSteps;
  schedule.blocks = kBlocks;
  schedule.warps = kBlockSize / kWarpSize;
  while (schedule.warps > 1 &&
         product->sizeK < kSteps * schedule.warps * FewRowsMmaPlan::kStepDepth)
    schedule.warps /= 2;
  return getLowering(op.getContext(), emitters::fewRowsMma, schedule);
}

namespace {

class FewRowsMmaEmitter : public KernelEmitter {
public:
  FewRowsMmaEmitter(ContractOp op, const FewRowsMmaSchedule &schedule)
      : op(op), plan(op, schedule) {}

  int64_t getThreads() const override { return kBlockSize; }
  int64_t getBlocks() const override { return plan.schedule.blocks; }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return FewRowsMmaTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    FewRowsMmaTask(lanes, kernel, op, plan).emit(task);
  }

private:
  ContractOp op;
  FewRowsMmaPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createFewRowsMmaEmitter(ContractOp op, LoweringAttr lowering) {
  return createFor<FewRowsMmaEmitter, FewRowsMmaSchedule>(op, lowering);
}
