//===- WgmmaEmitter.cpp - contractions by groups of four warps ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// C[b, m, n] = epilogue(scale * sum(k) A[b, m, k] * B[b, k, n]), factors of bf16, f16 or f32 (as
// tf32), sums of f32.
//
// One thread has boxes of both factors copied into a ring (TileRing); two groups of four warps
// multiply 64 rows each by `nvx.wgmma`, their sums in registers (WgmmaTask), and finish them while
// the boxes of the next tile arrive (ResultBoxes, ResultRows).
//
//===----------------------------------------------------------------------------------------===//

#include "WgmmaTask.h"

using namespace mlir;
using namespace weft;

namespace {

class WgmmaEmitter : public TileEmitter {
public:
  WgmmaEmitter(ContractOp op, const WgmmaSchedule &schedule)
      : op(op), given(schedule), plan(*MappedProduct::match(op), schedule) {}

  Lanes getNumTiles(LaneBuilder &lanes, const Kernel &kernel) override {
    return WgmmaTask(lanes, kernel, op, plan).getNumTiles();
  }

  /// One group alone would have rows.
  Value isEnough(LaneBuilder &lanes, const Kernel &kernel) override {
    Lanes rows = getCount(lanes, kernel, op.getIndices(), plan.product.shape.product.m);
    return lanes.compare(arith::CmpIPredicate::sgt, rows, lanes.constant(kWgmmaRows));
  }

  SmallVector<Value> makeMaps(LaneBuilder &lanes, const Kernel &kernel) override {
    const MappedProduct &product = plan.product;
    int64_t boxRows = plan.schedule.tile[product.shape.transposed ? 2 : 1];
    SmallVector<Value> maps = {product.rows.makeMap(lanes, kernel, plan.schedule.tile[0]),
                               product.columns.makeMap(lanes, kernel, boxRows)};
    if (plan.schedule.boxes)
      maps.push_back(product.results->makeMap(lanes, kernel, kMmaRows));
    return maps;
  }
  unsigned getNumMaps() const override { return plan.schedule.boxes ? 3 : 2; }
  /// Threads can write results instead.
  bool canDoWithout(ArrayRef<Value> buffers) override {
    ContractOp product = op;
    auto isOne = [&](Value buffer) { return llvm::is_contained(buffers, buffer); };
    plan.schedule.boxes = given.boxes && !isOne(FormulaOpInterface(product).getOutputs()[0]);
    return !isOne(product.getLhs()) && !isOne(product.getRhs());
  }
  int64_t getSharedBytes() const override { return plan.getSharedBytes(); }
  int64_t getTileWork() const override { return WgmmaSchedule::getWork(plan.schedule.tile[1]); }

  void emit(LaneBuilder &lanes, const Kernel &kernel, ValueRange maps) override {
    WgmmaTask(lanes, kernel, op, plan).emit(maps);
  }

private:
  ContractOp op;
  WgmmaSchedule given;
  WgmmaPlan plan;
};

} // namespace

SmallVector<std::unique_ptr<TileEmitter>> weft::createWgmmaEmitters(ContractOp op,
                                                                    LoweringAttr lowering) {
  SmallVector<std::unique_ptr<TileEmitter>> emitters;
  auto schedule = readSchedule<WgmmaSchedule>(op, lowering);
  if (!schedule)
    return emitters;
  std::optional<int64_t> least = std::exchange(schedule->narrow, std::nullopt);
  emitters.push_back(std::make_unique<WgmmaEmitter>(op, *schedule));
  while (least && schedule->tile[1] > *least) {
    int64_t half = int64_t(llvm::alignTo(schedule->tile[1] / 2, WgmmaSchedule::kPanelColumns));
    schedule->tile[1] = std::max(half, *least);
    schedule->stages = schedule->getMostStages();
    emitters.push_back(std::make_unique<WgmmaEmitter>(op, *schedule));
  }
  return emitters;
}
