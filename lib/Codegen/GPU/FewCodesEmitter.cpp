//===- FewCodesEmitter.cpp - products of few rows with a weight of codes ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "FewCodes.h"

using namespace mlir;
using namespace weft;

/// Columns of a thread: sums that registers have room for; of reals of 4 bits, of which a word has
/// the most, those for which reading rows again from the first cache is no longer than the rest.
static constexpr int64_t kMostSums = 64, kColumns = 8, kMostColumns = 16;
/// Steps of a thread, of which the last one may leave some without work.
static constexpr int64_t kSteps = 4;

static std::optional<ChunkedProduct> matchCodes(ContractOp op) {
  auto product = ChunkedProduct::match(op);
  return product && product->codes && product->isStaticN ? product : std::nullopt;
}

/// Bytes of codes that are read at once: of numbers those that lie side by side in one group, of
/// reals the word that becomes numbers at once.
static int64_t getMostBytes(const CodedColumns &codes, int64_t sizeK) {
  return codes.isNumbers() ? codes.getCopyBytes(sizeK) : 4;
}

void FewCodesSchedule::check(ScheduleRules &rules, ContractOp op) const {
  auto product = matchCodes(op);
  rules.requireWhole(product.has_value(), "no factor has codes that can be read in words");
  if (!rules.hold())
    return;
  rules.require(rows <= kMostFewCodes, "rows", "at most " + Twine(kMostFewCodes));
  auto isPower = [](int64_t value, int64_t limit) {
    return value <= limit && llvm::isPowerOf2_64(uint64_t(value));
  };
  int64_t mostColumns = std::min({kMostColumns, product->sizeN, kMostSums / rows});
  int64_t mostBytes = getMostBytes(*product->codes, product->sizeK);
  rules.require(isPower(columns, mostColumns), "columns",
                "a power of two, at most " + Twine(mostColumns));
  rules.require(isPower(warps, kBlockSize / kWarpSize), "warps", "1, 2, 4 or 8");
  rules.require(bytes >= 4 && isPower(bytes, mostBytes), "bytes",
                "a power of two, 4 to " + Twine(mostBytes));
}

/// As few bytes in the steps of a thread, and among these the largest pieces.
static void choosePieces(const ChunkedProduct &product, FewCodesSchedule &schedule) {
  int64_t all = product.sizeK * product.codes->getBits() / 8, best = INT64_MAX;
  schedule.warps = kBlockSize / kWarpSize;
  while (schedule.warps > 1 && all / 4 < kSteps * schedule.warps * kWarpSize)
    schedule.warps /= 2;
  for (int64_t bytes = getMostBytes(*product.codes, product.sizeK); bytes >= 4; bytes /= 2) {
    int64_t steps = int64_t(llvm::divideCeil(all, bytes * schedule.warps * kWarpSize));
    if (steps * bytes < best) {
      best = steps * bytes;
      schedule.bytes = bytes;
    }
  }
}

LoweringAttr weft::chooseFewCodes(ContractOp op, int64_t mostRows) {
  auto product = matchCodes(op);
  if (!product || std::min(product->sizeM, mostRows) > kMostFewCodes)
    return {};
  FewCodesSchedule schedule;
  schedule.rows = std::min(product->sizeM, mostRows);
  const CodedColumns &codes = *product->codes;
  bool isShort = !codes.isNumbers() && codes.getBits() == 4;
  int64_t columns =
      std::min({isShort ? kMostColumns : kColumns, kMostSums / schedule.rows, product->sizeN});
  schedule.columns = int64_t(llvm::bit_floor(uint64_t(columns)));
  choosePieces(*product, schedule);
  return getLowering(op.getContext(), emitters::fewCodes, schedule);
}

namespace {

class FewCodesEmitter : public KernelEmitter {
public:
  FewCodesEmitter(ContractOp op, const FewCodesSchedule &schedule) : op(op), plan(op, schedule) {}

  int64_t getThreads() const override { return kBlockSize; }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return FewCodesTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    FewCodesTask(lanes, kernel, op, plan).emit(task);
  }

private:
  ContractOp op;
  FewCodesPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createFewCodesEmitter(ContractOp op, LoweringAttr lowering) {
  return createFor<FewCodesEmitter, FewCodesSchedule>(op, lowering);
}
