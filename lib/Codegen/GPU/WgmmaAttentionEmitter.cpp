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
      : op(op), given(schedule), plan(*WgmmaAttentionPlan::match(op, schedule)) {}

  Lanes getNumTiles(LaneBuilder &lanes, const Kernel &kernel) override {
    return WgmmaAttentionTask(lanes, kernel, op, plan).getNumTasks();
  }
  /// One group alone would have rows; every tile has keys.
  Value isEnough(LaneBuilder &lanes, const Kernel &kernel) override {
    WgmmaAttentionTask task(lanes, kernel, op, plan);
    auto isMore = [&](const Lanes &number, int64_t least) {
      return lanes.compare(arith::CmpIPredicate::sgt, number, lanes.constant(least));
    };
    return lanes.andMask(isMore(task.getNumRows(), kWgmmaRows), isMore(task.getNumKeys(), 0));
  }
  SmallVector<Value> makeMaps(LaneBuilder &lanes, const Kernel &kernel) override {
    SmallVector<Value> maps = {plan.keyMap.makeMap(lanes, kernel, plan.tile.keys),
                               plan.valueMap.makeMap(lanes, kernel, plan.tile.keys)};
    int64_t heads = plan.roles.groupSize;
    auto add = [&](const MappedTensor &tensor, int64_t rows) {
      maps.push_back(plan.roles.group ? tensor.makeMap(lanes, kernel, heads, rows / heads)
                                      : tensor.makeMap(lanes, kernel, rows));
    };
    if (plan.tile.queries)
      add(*plan.queryMap, kWgmmaRows);
    if (plan.tile.boxes)
      add(*plan.resultMap, kMmaRows);
    return maps;
  }
  unsigned getNumMaps() const override {
    return 2 + (plan.tile.queries ? 1 : 0) + (plan.tile.boxes ? 1 : 0);
  }
  /// Threads can read queries and write results instead.
  bool canDoWithout(ArrayRef<Value> buffers) override {
    OperandRange inputs = op.getInputs();
    auto isOne = [&](Value buffer) { return llvm::is_contained(buffers, buffer); };
    plan.tile.queries = isOne(inputs[plan.query.input]) ? std::nullopt : given.queries;
    plan.tile.boxes = given.boxes && !isOne(FormulaOpInterface(op).getOutputs()[0]);
    return !isOne(inputs[plan.key.input]) && !isOne(inputs[plan.value.input]);
  }
  int64_t getSharedBytes() const override { return plan.getBlockBytes(); }

  void emit(LaneBuilder &lanes, const Kernel &kernel, ValueRange maps) override {
    WgmmaAttentionTask(lanes, kernel, op, plan).emit(maps);
  }

private:
  AttentionOp op;
  WgmmaAttentionSchedule given;
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
