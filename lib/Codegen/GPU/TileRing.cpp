//===- TileRing.cpp - tiles on their way through shared memory ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileRing.h"

#include "SharedTile.h"

using namespace mlir;
using namespace weft;

Value TileRing::getBarrier(LaneBuilder &lanes, Value memory, const Lanes &step,
                           bool ofEmpty) const {
  Lanes number = lanes.add(lanes.mod(step, stages), lanes.constant(ofEmpty ? stages : 0));
  Lanes place = lanes.add(lanes.mul(number, lanes.constant(8)), lanes.constant(barriers));
  return getSharedPlace(lanes, memory, place);
}

/// Of the phase of a barrier that belongs to the round of the step, or to a later one.
Value TileRing::getParity(LaneBuilder &lanes, const Lanes &step, int64_t more) const {
  Lanes round = lanes.add(lanes.floorDiv(step, stages), lanes.constant(more));
  return arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(),
                                    lanes.mod(round, 2).value);
}

Lanes TileRing::getStage(LaneBuilder &lanes, const Lanes &step) const {
  Lanes offset = lanes.mul(lanes.mod(step, stages), lanes.constant(stageBytes));
  return lanes.add(offset, lanes.constant(start));
}

void TileRing::init(LaneBuilder &lanes, Value memory) const {
  for (int64_t stage = 0; stage != stages; ++stage) {
    Lanes step = lanes.constant(stage);
    nvx::MBarrierInitOp::create(lanes.b, lanes.loc, getBarrier(lanes, memory, step, false), 1u);
    nvx::MBarrierInitOp::create(lanes.b, lanes.loc, getBarrier(lanes, memory, step, true),
                                uint32_t(readers));
  }
}

/// In the first round nobody has to leave the stage: the phase before the first has ended.
void TileRing::waitEmpty(LaneBuilder &lanes, Value memory, const Lanes &step) const {
  nvx::MBarrierWaitOp::create(lanes.b, lanes.loc, getBarrier(lanes, memory, step, true),
                              getParity(lanes, step, 1));
}

void TileRing::fill(LaneBuilder &lanes, Value memory, const Lanes &step) const {
  nvx::MBarrierArriveOp::create(lanes.b, lanes.loc, getBarrier(lanes, memory, step, false));
}

Value TileRing::beginFill(LaneBuilder &lanes, Value memory, const Lanes &step) const {
  waitEmpty(lanes, memory, step);
  Value full = getBarrier(lanes, memory, step, false);
  nvx::MBarrierExpectOp::create(lanes.b, lanes.loc, full, uint32_t(stageBytes));
  return full;
}

void TileRing::waitFull(LaneBuilder &lanes, Value memory, const Lanes &step) const {
  nvx::MBarrierWaitOp::create(lanes.b, lanes.loc, getBarrier(lanes, memory, step, false),
                              getParity(lanes, step, 0));
}

void TileRing::release(LaneBuilder &lanes, Value memory, const Lanes &step) const {
  nvx::MBarrierArriveOp::create(lanes.b, lanes.loc, getBarrier(lanes, memory, step, true));
}
