//===- WgmmaAttentionEmitter.cpp - attention by groups of four warps ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "WgmmaAttentionTask.h"
#include "WgmmaSchedule.h"

using namespace mlir;
using namespace weft;

namespace {

class WgmmaAttentionEmitter : public TileEmitter {
public:
  WgmmaAttentionEmitter(AttentionOp op, const WgmmaAttentionSchedule &schedule)
      : op(op), plan(*WgmmaAttentionPlan::match(op, schedule)) {}

  Lanes getNumTiles(LaneBuilder &lanes, const Kernel &kernel) override {
    return WgmmaAttentionTask(lanes, kernel, op, plan).getNumTasks();
  }
  /// One group alone would have rows.
  Value isEnough(LaneBuilder &lanes, const Kernel &kernel) override {
    Lanes rows = WgmmaAttentionTask(lanes, kernel, op, plan).getNumRows();
    return lanes.compare(arith::CmpIPredicate::sgt, rows, lanes.constant(kWgmmaRows));
  }
  SmallVector<Value> makeMaps(LaneBuilder &lanes, const Kernel &kernel) override {
    return {plan.keyMap.makeMap(lanes, kernel, plan.tile.keys),
            plan.valueMap.makeMap(lanes, kernel, plan.tile.keys)};
  }
  unsigned getNumMaps() const override { return 2; }
  bool canDoWithout(ArrayRef<Value> buffers) override {
    OperandRange inputs = op.getInputs();
    return !llvm::is_contained(buffers, inputs[plan.key.input]) &&
           !llvm::is_contained(buffers, inputs[plan.value.input]);
  }
  int64_t getSharedBytes() const override { return plan.getBlockBytes(); }

  void emit(LaneBuilder &lanes, const Kernel &kernel, ValueRange maps) override {
    WgmmaAttentionTask(lanes, kernel, op, plan).emit(maps);
  }

private:
  AttentionOp op;
  WgmmaAttentionPlan plan;
};

} // namespace

std::unique_ptr<TileEmitter> weft::createWgmmaAttentionEmitter(AttentionOp op,
                                                               LoweringAttr lowering) {
  return createFor<WgmmaAttentionEmitter, WgmmaAttentionSchedule>(op, lowering);
}

FailureOr<SmallVector<std::unique_ptr<TileEmitter>>> weft::createTileEmitters(Operation *anchor) {
  SmallVector<std::unique_ptr<TileEmitter>> emitters;
  Attribute given = anchor->getDiscardableAttr(kTileLowering);
  if (!given)
    return std::move(emitters);
  auto lowering = dyn_cast<LoweringAttr>(given);
  if (!lowering)
    return anchor->emitError("'") << kTileLowering << "' is no #weft.lowering";
  StringRef name = lowering.getEmitter();
  auto product = dyn_cast<ContractOp>(anchor);
  auto attention = dyn_cast<AttentionOp>(anchor);
  if (product && name == emitters::wgmma)
    emitters = createWgmmaEmitters(product, lowering);
  else if (attention && name == emitters::wgmmaAttention)
    emitters.push_back(createWgmmaAttentionEmitter(attention, lowering));
  else
    anchor->emitError("sm_90a has no emitter \"") << lowering.getEmitter() << "\" for this";
  if (emitters.empty() || !emitters.front())
    return failure();
  return std::move(emitters);
}
