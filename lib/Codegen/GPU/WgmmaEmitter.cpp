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
// the boxes of the next tile arrive (ResultRows).
//
//===----------------------------------------------------------------------------------------===//

#include "WgmmaTask.h"

using namespace mlir;
using namespace weft;

namespace {

class WgmmaEmitter : public TileEmitter {
public:
  WgmmaEmitter(ContractOp op, const WgmmaSchedule &schedule)
      : op(op), plan(*MappedProduct::match(op), schedule) {}

  Lanes getNumTiles(LaneBuilder &lanes, const Kernel &kernel) override {
    return WgmmaTask(lanes, kernel, op, plan).getNumTiles();
  }

  /// One group alone would have rows.
  Value isEnough(LaneBuilder &lanes, const Kernel &kernel) override {
    Lanes rows = getCount(lanes, kernel, op.getIndices(), plan.product.shape.product.m);
    return lanes.compare(arith::CmpIPredicate::sgt, rows, lanes.constant(kWgmmaRows));
  }

  SmallVector<Value> makeMaps(LaneBuilder &lanes, const Kernel &kernel) override {
    int64_t boxRows = plan.schedule.tile[plan.product.shape.transposed ? 2 : 1];
    return {plan.product.rows.makeMap(lanes, kernel, plan.schedule.tile[0]),
            plan.product.columns.makeMap(lanes, kernel, boxRows)};
  }
  unsigned getNumMaps() const override { return 2; }
  SmallVector<Value> getMapped() const override {
    return {ContractOp(op).getLhs(), ContractOp(op).getRhs()};
  }
  int64_t getSharedBytes() const override { return plan.getSharedBytes(); }

  void emit(LaneBuilder &lanes, const Kernel &kernel, ValueRange maps) override {
    WgmmaTask(lanes, kernel, op, plan).emit(maps);
  }

private:
  ContractOp op;
  WgmmaPlan plan;
};

} // namespace

std::unique_ptr<TileEmitter> weft::createWgmmaEmitter(ContractOp op, LoweringAttr lowering) {
  return createFor<WgmmaEmitter, WgmmaSchedule>(op, lowering);
}
