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

/// Of powers of two that are polynomials: every fourth, sixth and tenth took 0.747, 0.740 and 0.712
/// ms for causal attention of 4096 positions with 128 heads of 64 on an H200, none 0.740.
static constexpr int64_t kTenth = 10;
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

TileRing WgmmaAttentionPlan::getKeys() const {
  return {tile.stages, getTilePanel() * getPanels(key), kConsumers * getQueryBytes(), getBarriers(),
          kConsumers * kGroupSize / kWarpSize};
}

TileRing WgmmaAttentionPlan::getValues() const {
  TileRing keys = getKeys();
  return {tile.stages, getTilePanel() * getPanels(value),
          keys.start + tile.stages * keys.stageBytes,
          getBarriers() + TileRing::getBarrierBytes(tile.stages), keys.readers};
}

int64_t WgmmaAttentionPlan::getBarriers() const {
  int64_t panels = getPanels(key) + getPanels(value);
  return kConsumers * getQueryBytes() + tile.stages * getTilePanel() * panels;
}

int64_t WgmmaAttentionPlan::getBlockBytes() const {
  return getBarriers() + 2 * TileRing::getBarrierBytes(tile.stages);
}

void WgmmaAttentionSchedule::check(ScheduleRules &rules, AttentionOp op) const {
  auto plan = WgmmaAttentionPlan::match(op, *this);
  rules.requireWhole(plan.has_value(),
                     "the attention is none that 'mma_attention' can compute with "
                     "keys and values that have tensor maps");
  rules.require(keys % kMmaRows == 0 && keys <= kMostKeys, "keys", "a multiple of 16 up to 256");
  rules.require(stages >= 2, "stages", "2 or more");
  rules.require(!polynomials || (*polynomials > 0 && getWeightType(op).isBF16()), "polynomials",
                "a positive number, where weights are bf16");
  if (!rules.hold())
    return;
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

/// As much as leaves scores, weights and sums in the registers of a thread.
static int64_t chooseKeys(AttentionOp op, const WgmmaAttentionPlan &plan, int64_t widest) {
  bool isLong = isLongScore(op) || isFunctionOfInputs(op);
  if (widest <= 128)
    return isLong ? 64 : 128;
  if (widest <= 192)
    return isLong ? 48 : 64;
  bool isPlain = plan.roles.plainScore && op.getPredicate().empty() && !op.getKeyLower();
  return isLong ? 32 : isPlain ? 64 : 48;
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
  // Measured on an H200: products of wider heads are long enough that turns cost more than they
  // bring, and powers of two are not waited for.
  schedule.turns = widest <= 64;
  if (widest <= 64 && getWeightType(op).isBF16())
    schedule.polynomials = kTenth;
  return getLowering(op.getContext(), emitters::wgmmaAttention, schedule);
}
