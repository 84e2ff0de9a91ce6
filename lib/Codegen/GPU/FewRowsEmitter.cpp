//===- FewRowsEmitter.cpp - products of few rows with a weight -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "FewRows.h"

using namespace mlir;
using namespace weft;

/// Columns of a thread: sums that registers have room for; of reals of 4 bits, of which a word has
/// the most, those for which reading rows again from the first cache is no longer than the rest.
static constexpr int64_t kMostSums = 64, kColumns = 8, kMostColumns = 16;
/// Steps of a thread, of which the last one may leave some without work.
static constexpr int64_t kSteps = 4;

static std::optional<ChunkedProduct> match(ContractOp op) {
  auto product = ChunkedProduct::match(op);
  bool isRead = product && (product->codes ||
                            (product->isWide() && !product->transposed && !product->isPacked));
  return isRead && product->isStaticN ? product : std::nullopt;
}

/// Bytes of a column that are read at once: of numbers those that lie side by side in one group, of
/// other codes the word that becomes numbers at once.
static int64_t getMostBytes(const ChunkedProduct &product) {
  if (!product.codes)
    return kChunkBytes;
  return product.codes->isNumbers() ? product.codes->getCopyBytes(product.sizeK) : 4;
}

void FewRowsSchedule::check(ScheduleRules &rules, ContractOp op) const {
  auto product = match(op);
  rules.requireWhole(product.has_value(), "no factor has codes or f32 that can be read in words");
  if (!rules.hold())
    return;
  rules.require(rows <= kMostFewRows, "rows", "at most " + Twine(kMostFewRows));
  auto isPower = [](int64_t value, int64_t limit) {
    return value <= limit && llvm::isPowerOf2_64(uint64_t(value));
  };
  int64_t mostColumns = std::min({kMostColumns, product->sizeN, kMostSums / rows});
  int64_t mostBytes = getMostBytes(*product);
  rules.require(isPower(columns, mostColumns), "columns",
                "a power of two, at most " + Twine(mostColumns));
  rules.require(isPower(warps, kBlockSize / kWarpSize), "warps", "1, 2, 4 or 8");
  rules.require(bytes >= 4 && isPower(bytes, mostBytes), "bytes",
                "a power of two, 4 to " + Twine(mostBytes));
}

/// As few bytes in the steps of a thread, and among these the largest pieces.
static void choosePieces(const ChunkedProduct &product, FewRowsSchedule &schedule) {
  int64_t all = product.sizeK * FewRowsPlan::getBits(product) / 8, best = INT64_MAX;
  schedule.warps = kBlockSize / kWarpSize;
  while (schedule.warps > 1 && all / 4 < kSteps * schedule.warps * kWarpSize)
    schedule.warps /= 2;
  for (int64_t bytes = getMostBytes(product); bytes >= 4; bytes /= 2) {
    int64_t steps = int64_t(llvm::divideCeil(all, bytes * schedule.warps * kWarpSize));
    if (steps * bytes < best) {
      best = steps * bytes;
      schedule.bytes = bytes;
    }
  }
}

LoweringAttr weft::chooseFewRows(ContractOp op, int64_t mostRows) {
  auto product = match(op);
  if (!product)
    return {};
  FewRowsSchedule schedule;
  schedule.rows = std::min(product->sizeM, mostRows);
  const std::optional<CodedColumns> &codes = product->codes;
  int64_t most = codes && codes->isNumbers() ? kMostFewNumbers : kMostFewRows;
  bool isLarge = product->sizeN * product->sizeK >= kLargeWeight;
  if (schedule.rows > most || (!codes && (schedule.rows <= kRowsOfWarps || !isLarge)))
    return {};
  bool isShort = codes && !codes->isNumbers() && codes->getBits() == 4;
  int64_t columns =
      std::min({isShort ? kMostColumns : kColumns, kMostSums / schedule.rows, product->sizeN});
  schedule.columns = int64_t(llvm::bit_floor(uint64_t(columns)));
  choosePieces(*product, schedule);
  return getLowering(op.getContext(), emitters::fewRows, schedule);
}

namespace {

class FewRowsEmitter : public KernelEmitter {
public:
  FewRowsEmitter(ContractOp op, const FewRowsSchedule &schedule) : op(op), plan(op, schedule) {}

  int64_t getThreads() const override { return kBlockSize; }
  int64_t getSharedBytes() const override { return 4 * (plan.getNumFound() + plan.getNumTotals()); }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return FewRowsTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    FewRowsTask(lanes, kernel, op, plan).emit(task);
  }

private:
  ContractOp op;
  FewRowsPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createFewRowsEmitter(ContractOp op, LoweringAttr lowering) {
  return createFor<FewRowsEmitter, FewRowsSchedule>(op, lowering);
}
