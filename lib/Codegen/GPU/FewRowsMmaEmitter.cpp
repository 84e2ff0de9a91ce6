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

/// Steps of a warp that are on their way at once, of sixteen columns 1 KiB each; the fewest that it
/// should have. Of more columns there are fewer.
static constexpr int64_t kSteps = 4, kFewSteps = 2, kMostSteps = 8;
/// Of a weight with its columns side by side those of a warp, 16 bytes of a thread, and the most
/// steps of them that it has registers for.
static constexpr int64_t kWideColumns = 4 * kMmaRows, kMostWideSteps = 4;
/// Blocks of a processor: what one waits for is on its way while another adds up.
static constexpr int64_t kBlocks = 2, kMostBlocks = 8;

static std::optional<ChunkedProduct> match(ContractOp op) {
  auto product = ChunkedProduct::match(op);
  bool isRead = product && product->element.isFloat() &&
                product->element.getIntOrFloatBitWidth() == 16 && !product->codes &&
                !product->isPacked;
  return isRead && product->isStaticN ? product : std::nullopt;
}

void FewRowsMmaSchedule::check(ScheduleRules &rules, ContractOp op) const {
  rules.requireWhole(match(op).has_value(),
                     "the factors are no bf16 or f16, of which the rows have k side by side, and "
                     "the weight that or its columns");
  if (!rules.hold())
    return;
  auto isPower = [](int64_t value, int64_t limit) {
    return value <= limit && llvm::isPowerOf2_64(uint64_t(value));
  };
  bool across = match(op)->transposed;
  rules.require(rows <= kMostRowsOfUnits, "rows", "at most " + Twine(kMostRowsOfUnits));
  bool isWide = across && columns == kWideColumns;
  rules.require(columns == kMmaRows || columns == 2 * kMmaRows || isWide, "columns",
                across ? "16, 32 or 64" : "16 or 32");
  rules.require(isPower(warps, kBlockSize / kWarpSize), "warps", "1, 2, 4 or 8");
  rules.require(isPower(steps, isWide ? kMostWideSteps : kMostSteps), "steps",
                isWide ? "1, 2 or 4" : "1, 2, 4 or 8");
  rules.require(blocks <= kMostBlocks, "blocks", "at most " + Twine(kMostBlocks));
}

/// Of columns that lie side by side the most that leave no processor without a block, as so many
/// bytes of each k are read at once. Two steps of the widest ones and the sums of sixteen rows
/// would be too many registers.
static void chooseAcross(ContractOp op, const ChunkedProduct &product,
                         FewRowsMmaSchedule &schedule) {
  int64_t matrices = getBoundProduct(op.getIndices(), product.product.batch);
  for (int64_t columns : {kWideColumns, kWideColumns / 2}) {
    schedule.columns = columns;
    schedule.steps = columns == kWideColumns && schedule.rows > kMmaColumns ? 1 : kFewSteps;
    int64_t ofBlock = FewRowsMmaPlan(op, schedule).getColumns();
    if (matrices * int64_t(llvm::divideCeil(product.sizeN, ofBlock)) >= kProcessors)
      return;
  }
  schedule.columns = kMmaRows;
  schedule.steps = kSteps;
}

/// Whether the steps of a warp are one turn and nearly another, which are read at once, as there is
/// no loop: beside the sums of sixteen rows that takes more registers than two blocks leave.
static bool isCrowded(const ChunkedProduct &product, const FewRowsMmaSchedule &schedule) {
  int64_t ofAll = schedule.warps * FewRowsMmaPlan::kStepDepth, turn = ofAll * schedule.steps;
  int64_t left = product.sizeK % turn;
  return schedule.rows > kMmaColumns && product.sizeK / turn == 1 &&
         left > ofAll * (schedule.steps - 2);
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
  // Columns that lie side by side should be many blocks': a warp may have a single step.
  int64_t least = product->transposed ? 1 : kSteps;
  schedule.warps = kBlockSize / kWarpSize;
  while (schedule.warps > 1 && product->sizeK < least * schedule.warps * FewRowsMmaPlan::kStepDepth)
    schedule.warps /= 2;
  if (product->transposed)
    chooseAcross(op, *product, schedule);
  else if (isCrowded(*product, schedule))
    schedule.blocks = 1;
  return getLowering(op.getContext(), emitters::fewRowsMma, schedule);
}

namespace {

class FewRowsMmaEmitter : public KernelEmitter {
public:
  FewRowsMmaEmitter(ContractOp op, const FewRowsMmaSchedule &schedule)
      : op(op), plan(op, schedule) {}

  int64_t getThreads() const override { return kBlockSize; }
  int64_t getBlocks() const override { return plan.schedule.blocks; }
  int64_t getSharedBytes() const override { return plan.getSumsOfBlock() * int64_t(sizeof(float)); }
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
