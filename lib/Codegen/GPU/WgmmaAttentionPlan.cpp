//===- WgmmaAttentionPlan.cpp - which attentions groups of four warps compute ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WgmmaAttentionPlan.h"

#include "Emitters.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/AttentionTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;

/// Rows that have so few keys are soon followed by others.
static constexpr int64_t kFewKeys = 1024;
/// Keys of a tile, of one product.
static constexpr int64_t kMostKeys = 256;

std::optional<WgmmaAttentionPlan>
WgmmaAttentionPlan::match(AttentionOp op, const WgmmaAttentionSchedule &schedule) {
  auto factors = AttentionFactors::match(op);
  if (!factors || factors->isWide() || factors->key.chunk != kChunk ||
      factors->value.chunk != kChunk)
    return std::nullopt;
  auto map = [&](const AttentionFactor &factor) {
    return MappedTensor::match(op, factor.input, factor.along, op.getKeyIndex());
  };
  auto keyMap = map(factors->key), valueMap = map(factors->value);
  if (!keyMap || !valueMap)
    return std::nullopt;
  return WgmmaAttentionPlan(op, schedule, *keyMap, *valueMap);
}

/// Rows of a box are queries, or the heads of some queries that share keys, if these fill it.
WgmmaAttentionPlan::WgmmaAttentionPlan(AttentionOp op, const WgmmaAttentionSchedule &schedule,
                                       MappedTensor keyMap, MappedTensor valueMap)
    : MmaAttentionPlan(op, {schedule.keys, schedule.width, {}, {}, {}}), tile(schedule),
      keyMap(std::move(keyMap)), valueMap(std::move(valueMap)) {
  if (!roles.query)
    return;
  unsigned rows = roles.group.value_or(*roles.query);
  std::optional<unsigned> further = roles.group ? roles.query : std::nullopt;
  if (query.chunk == kChunk && kWgmmaRows % roles.groupSize == 0)
    queryMap = MappedTensor::match(op, query.input, query.along, rows, further);
  if (kMmaRows % roles.groupSize == 0)
    resultMap = MappedTensor::matchOutput(op, roles.columns, rows, further);
}

TileRing WgmmaAttentionPlan::getQueries() const {
  return {tile.queries.value_or(1), kConsumers * getQueryBytes(), 0, getBarriers(), kConsumerWarps};
}

TileRing WgmmaAttentionPlan::getKeys() const {
  TileRing queries = getQueries();
  return {tile.stages, getTilePanel() * getPanels(key), queries.getEnd(), queries.getBarrierEnd(),
          kConsumerWarps};
}

TileRing WgmmaAttentionPlan::getValues() const {
  TileRing keys = getKeys();
  return {tile.stages, getTilePanel() * getPanels(value), keys.getEnd(), keys.getBarrierEnd(),
          kConsumerWarps};
}

bool WgmmaAttentionPlan::isPlain(AttentionOp op) const {
  return roles.plainScore && op.getPredicate().empty() && !op.getKeyLower();
}

int64_t WgmmaAttentionPlan::getResultsStart() const {
  int64_t panels = getPanels(key) + getPanels(value);
  return tile.queries.value_or(1) * kConsumers * getQueryBytes() +
         tile.stages * getTilePanel() * panels;
}

int64_t WgmmaAttentionPlan::getBarriers() const {
  return getResultsStart() + (tile.boxes ? kConsumerWarps * WarpBoxes::kBytes : 0);
}

int64_t WgmmaAttentionPlan::getBlockBytes() const {
  return getQueueStart() + (isUneven ? TileQueue::kBytes : 0);
}

int64_t WgmmaAttentionPlan::getMostQueries() const {
  int64_t ofStage = kConsumers * getQueryBytes() + TileRing::getBarrierBytes(1);
  int64_t more = (kMaxTileBytes - getBlockBytes()) / ofStage;
  return std::min<int64_t>(tile.queries.value_or(1) + std::max<int64_t>(more, 0), 2);
}

void WgmmaAttentionSchedule::check(ScheduleRules &rules, AttentionOp op) const {
  auto plan = WgmmaAttentionPlan::match(op, *this);
  rules.requireWhole(plan.has_value(),
                     "the attention is none that 'mma_attention' can compute with "
                     "keys and values that have tensor maps");
  rules.require(keys % kMmaRows == 0 && keys <= kMostKeys, "keys", "a multiple of 16 up to 256");
  rules.require(stages >= 2, "stages", "2 or more");
  if (!rules.hold())
    return;
  rules.require(!queries || plan->queryMap, "queries", "none, as the queries have no tensor map");
  rules.require(!boxes || plan->resultMap, "boxes", "false, as the output has no tensor map");
  int64_t bytes = plan->getBlockBytes();
  rules.require(bytes <= kMaxTileBytes, "keys",
                "so many that they take at most " + Twine(kMaxTileBytes) + " bytes, not " +
                    Twine(bytes));
  rules.require(width == 1 || (width == 2 && plan->value.size % 2 == 0), "width",
                "1, or 2 where columns are pairs");
}

/// A function of what is read beside the product takes registers for both.
static bool isFunctionOfInputs(AttentionOp op) {
  WalkResult walk = op.getScore().walk([](Operation *inside) {
    return isa<math::MathDialect>(inside->getDialect()) ? WalkResult::interrupt()
                                                        : WalkResult::advance();
  });
  return walk.wasInterrupted() && !op.getExtras().empty();
}

/// So do many reads, whose addresses wait, too, and what is made of them. Of scores that ptxas was
/// seen to spill registers for these are 21 to 31 (device-wgmma-spills.test); plain ones, masks and
/// numbers by distance have up to 17.
static bool readsMuch(AttentionOp op) {
  constexpr size_t most = 20;
  return countScoreWork(op, /*ofRead=*/4) > most;
}

/// As much as leaves scores, weights and sums in the registers of a thread. Heads of up to 96
/// elements, or of 129 to 192, leave enough for what a score reads.
static int64_t chooseKeys(AttentionOp op, const WgmmaAttentionPlan &plan, int64_t widest) {
  bool isLong = isLongScore(op) || isFunctionOfInputs(op), isFull = isLong || readsMuch(op);
  if (widest <= 96)
    return isLong ? 64 : 128;
  if (widest <= 128)
    return isFull ? 64 : 128;
  if (widest <= 192)
    return isLong ? 48 : 64;
  return isFull ? 32 : plan.isPlain(op) ? 64 : 48;
}

LoweringAttr weft::chooseWgmmaAttention(AttentionOp op) {
  auto plan = WgmmaAttentionPlan::match(op, {});
  if (!plan)
    return {};
  const AttentionRoles &roles = plan->roles;
  FormulaOpInterface formula = op;
  int64_t queries = roles.query ? formula.getIndexAttr(*roles.query).getSize() : 1;
  if (queries <= kWgmmaRows / roles.groupSize)
    return {};
  int64_t widest = std::max(plan->query.getPadded(), plan->value.getPadded());
  WgmmaAttentionSchedule schedule;
  schedule.keys = chooseKeys(op, *plan, widest);
  schedule.width = getAttentionWidth(op, *plan);
  // Measured on an H200: turns bring 2 to 4 % where rows have few keys, and heads of more than 64
  // elements have products long enough for them; those of more than 128, and other scores, are
  // slower so, and do not wait for powers of two.
  bool hasFewKeys = plan->isUneven || formula.getIndexAttr(op.getKeyIndex()).getSize() <= kFewKeys;
  schedule.turns = widest > 64 && widest <= 128 && hasFewKeys && plan->isPlain(op);
  schedule.boxes = plan->resultMap.has_value();
  if (plan->queryMap) {
    plan->tile = schedule;
    schedule.queries = plan->getMostQueries();
  }
  return getLowering(op.getContext(), emitters::wgmmaAttention, schedule);
}
