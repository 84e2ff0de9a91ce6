//===- DecodePart.cpp - what parts of the keys of few queries have in common ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodeTask.h"

#include "KeyBounds.h"

#include "weft/Codegen/Common/Exponential.h"

#include <limits>

using namespace mlir;
using namespace weft;

void DecodePart::setTask(const Lanes &task) {
  thread = getThread(lanes, plan.getBlock());
  warp = lanes.floorDiv(thread, kWarpSize);
  lane = lanes.mod(thread, kWarpSize);
  groupNumber = lanes.floorDiv(task, plan.schedule.splits);
  split = lanes.mod(task, plan.schedule.splits);
  numKeys = kernel.getExtent(lanes, keyIndex());
  setGroup(groupNumber);
}

DecodeRows::Row DecodeRows::getRow(SmallVector<Lanes> indices) {
  auto [lower, upper] = getKeyBounds(lanes, kernel, op, indices);
  return {std::move(indices), lower, upper};
}

/// Blocks get whole steps of the keys that some row reaches, as many of them each: the last ones
/// may get none.
DecodeRows::Reach DecodeRows::getReach() {
  Reach reach;
  for (int64_t head = 0; head != plan.schedule.heads; ++head) {
    const Row &row = reach.rows.emplace_back(getRow(getRowIndices(head)));
    reach.least = head ? lanes.min(reach.least, row.lower) : row.lower;
    reach.most = head ? lanes.max(reach.most, row.upper) : row.upper;
  }
  int64_t step = plan.getKeysOfStep();
  Lanes count = lanes.max(lanes.sub(reach.most, reach.least), lanes.constant(0));
  Lanes steps = lanes.ceilDiv(lanes.ceilDiv(count, step), plan.schedule.splits);
  reach.ofSplit = lanes.mul(steps, lanes.constant(step));
  return reach;
}

void DecodePart::setReach() {
  Reach reach = getReach();
  first = lanes.add(reach.least, lanes.mul(split, reach.ofSplit));
  end = lanes.min(lanes.add(first, reach.ofSplit), reach.most);
  rows = std::move(reach.rows);
}

void DecodePart::ifKeys(llvm::function_ref<void()> body) {
  if (plan.schedule.splits == 1)
    return body();
  lanes.ifThen(lanes.compare(arith::CmpIPredicate::slt, first, end), {}, [&] {
    body();
    return Values();
  });
}

std::pair<Lanes, Value> DecodePart::getKey(const Lanes &number) {
  Value exists = lanes.compare(arith::CmpIPredicate::slt, number, end);
  Lanes key = lanes.min(number, lanes.sub(end, lanes.constant(1)));
  key.interval = {0, keyIndex().getSize() - 1};
  return {key, exists};
}

SmallVector<Lanes> DecodePart::getKeyIndices(const Lanes &key) {
  SmallVector<Lanes> indices = group;
  indices[op.getKeyIndex()] = key;
  return indices;
}

Value DecodePart::finishScore(const Row &row, const Lanes &key, Value exists, Value dot) {
  OpBuilder &b = lanes.b;
  if (op.getKeyLower() && plan.schedule.heads > 1)
    exists = lanes.andMask(exists, lanes.compare(arith::CmpIPredicate::sge, key, row.lower));
  if (op.getKeyUpper() && plan.schedule.heads > 1)
    exists = lanes.andMask(exists, lanes.compare(arith::CmpIPredicate::slt, key, row.upper));
  SmallVector<Lanes> indices = row.indices;
  indices[op.getKeyIndex()] = key;
  RegionEmitter region(lanes, kernel, indices, /*mask=*/Value());
  SmallVector<Lanes> extras = region.loadInputs(op.getInputs(), op.getMaps(), 2 * op.getDots() + 1);
  double scale = op.getScales()[0];
  Value score;
  if (isPlain()) {
    score = emitExponent(lanes, dot, float(scale * kLog2E));
  } else {
    score = arith::MulFOp::create(b, lanes.loc, dot, lanes.floatConstant(float(scale)));
    SmallVector<Lanes> arguments{lanes.uniform(score)};
    llvm::append_range(arguments, extras);
    score = limitScore(lanes, op, region.emit(op.getScore(), arguments)[0].value);
    score = emitExponent(lanes, score);
  }
  if (!op.getPredicate().empty())
    exists = lanes.andMask(exists, region.emit(op.getPredicate(), extras)[0].value);
  Value none = lanes.floatConstant(-std::numeric_limits<float>::infinity());
  return lanes.select(exists, score, none);
}
