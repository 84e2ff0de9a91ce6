//===- MmaAttentionPlan.cpp - which attentions the matrix units compute --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaAttentionPlan.h"

#include "Emitters.h"
#include "SharedMemory.h"

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

/// So few rows would leave most of the matrices empty.
static constexpr int64_t kFew = 4;
/// Sums of wider heads do not fit into the registers of a warp.
static constexpr int64_t kWidest = 256;
/// Of f32, queries of wider heads do not fit in beside the sums.
static constexpr int64_t kWidestHeld = 128;
/// From so many operations on, code for a score is written out half as often.
static constexpr size_t kLong = 32;

std::optional<AttentionFactors> AttentionFactors::match(AttentionOp op) {
  FormulaOpInterface formula = op;
  AttentionRoles roles(op);
  if (op.getDots() != 1 || formula.getIndexAttr(op.getKeyIndex()).getSize() > INT32_MAX)
    return std::nullopt;
  auto type = [&](unsigned input) { return cast<MemRefType>(op.getInputs()[input].getType()); };
  Type element = type(0).getElementType();
  for (unsigned input = 0; input != 3; ++input)
    if (type(input).getElementType() != element || getLayout(type(input)))
      return std::nullopt;
  // Weights that are not relative to the largest one may not fit f16.
  bool isSoftmax = op.getNormalizer() == Normalizer::Softmax;
  bool isBare = op.getNormalizer() == Normalizer::None;
  bool hasRange = element.isBF16() || element.isF32();
  if (!(hasRange && (isSoftmax || isBare)) && !(element.isF16() && isSoftmax))
    return std::nullopt;
  if (roles.sizeC[0] > kWidest || roles.sizeV > kWidest)
    return std::nullopt;
  for (unsigned position : roles.contracted[0])
    if (formula.getIndexAttr(position).getDynamic())
      return std::nullopt;
  auto makeFactor = [&](unsigned input, ArrayRef<unsigned> along, int64_t size) {
    return AttentionFactor{input, SmallVector<unsigned>(along), size,
                           getChunk(formula, input, along)};
  };
  return AttentionFactors{roles, element, makeFactor(0, roles.contracted[0], roles.sizeC[0]),
                          makeFactor(1, roles.contracted[0], roles.sizeC[0]),
                          makeFactor(2, roles.columns, roles.sizeV)};
}

void MmaAttentionSchedule::check(ScheduleRules &rules, AttentionOp op) const {
  auto factors = AttentionFactors::match(op);
  rules.requireWhole(factors.has_value(),
                     "the attention is none of one product, in one type of 16 bits or f32, with a "
                     "softmax (or bf16 or f32 without) and heads of at most " +
                         Twine(kWidest) + " elements");
  rules.require(keys == 16 || keys == 32 || keys == 64 || keys == 128, "keys", "16, 32, 64 or 128");
  if (!rules.hold())
    return;
  int64_t bytes = MmaAttentionPlan(op, *this).getSharedBytes();
  constexpr int64_t most = kMaxSharedBytes - MmaAttentionPlan::kBoundsBytes;
  rules.require(bytes <= most, "keys",
                "so many that they take at most " + Twine(most) + " bytes, not " + Twine(bytes));
  int64_t steps = MmaAttentionPlan(op, *this).getSteps();
  bool isCount = products && (products == 1 || products == 3);
  rules.require(factors->isWide() ? isCount : !products, "products",
                factors->isWide() ? "1 or 3 of tf32 for one of f32" : "none, but for f32");
  auto areSteps = [&](int64_t number) { return number >= 0 && number <= steps; };
  rules.require(areSteps(parked.value_or(0)), "parked",
                "at most the " + Twine(steps) + " steps of a query");
  rules.require(areSteps(reread.value_or(0)) && areSteps(parked.value_or(0) + reread.value_or(0)),
                "reread", "at most the steps of a query that are not parked");
  rules.require(width == 1 || (width == 2 && factors->value.size % 2 == 0), "width",
                "1, or 2 where columns are pairs");
}

bool weft::hasScoreSums(AttentionOp op) {
  auto find = [](InnerOp) { return WalkResult::interrupt(); };
  return op.getScore().walk(find).wasInterrupted() || op.getPredicate().walk(find).wasInterrupted();
}

size_t weft::countScoreWork(AttentionOp op, size_t ofRead) {
  size_t work = ofRead * op.getExtras().size();
  for (Region *region : {&op.getScore(), &op.getPredicate()})
    region->walk([&](Operation *inside) { work += isa<AtOp>(inside) ? 1 + ofRead : 1; });
  return work;
}

bool weft::isLongScore(AttentionOp op) { return hasScoreSums(op) || countScoreWork(op) > kLong; }

int64_t weft::getAttentionWidth(AttentionOp op, const AttentionFactors &factors) {
  SmallVector<unsigned> order = getStoredOrder(op), columns = factors.roles.columns;
  bool inPairs = !columns.empty() && order.back() == columns.back() &&
                 FormulaOpInterface(op).getIndexAttr(order.back()).getSize() % 2 == 0;
  return inPairs ? 2 : 1;
}

/// Which steps of a query wait in shared memory or are read again, as registers do not hold them
/// beside the sums; what loops of a score carry takes their place, too.
static void placeQueries(MmaAttentionSchedule &schedule, AttentionOp op,
                         const AttentionFactors &factors, int64_t widest) {
  int64_t steps = factors.query.getPadded() / factors.getDepth();
  bool hasSums = hasScoreSums(op);
  if (factors.isWide()) {
    if (widest > kWidestHeld)
      schedule.reread = steps;
    else if (widest > (hasSums ? 64 : 96))
      schedule.parked = std::min<int64_t>(7, steps);
    return;
  }
  // Rows that are no whole chunks of 16 bytes are copied by halves, with more addresses.
  if (widest <= 160) {
    if (widest > 96 && factors.query.size % kChunk != 0)
      schedule.parked = 1;
    return;
  }
  schedule.parked = std::min<int64_t>(widest <= 192 ? 2 : 7, steps);
  if (hasSums)
    schedule.reread = steps - *schedule.parked;
}

LoweringAttr weft::chooseMmaAttention(AttentionOp op, bool tf32) {
  FormulaOpInterface formula = op;
  auto factors = AttentionFactors::match(op);
  if (!factors)
    return {};
  const AttentionRoles &roles = factors->roles;
  int64_t queries = roles.query ? formula.getIndexAttr(*roles.query).getSize() : 1;
  if (queries <= kFew / roles.groupSize)
    return {};
  auto keys = uint64_t(formula.getIndexAttr(op.getKeyIndex()).getSize());
  uint64_t pairs = llvm::SaturatingMultiply(uint64_t(queries), keys);
  if (factors->isWide() && llvm::SaturatingMultiply(pairs, uint64_t(roles.sizeC[0])) < kFewOfF32)
    return {};
  MmaAttentionSchedule schedule;
  // As much as leaves scores, sums and queries in registers, for long scores, too.
  int64_t widest = std::max(roles.sizeC[0], roles.sizeV);
  schedule.keys = widest <= 128 ? 64 : widest <= 192 ? 32 : 16;
  if (factors->isWide()) {
    schedule.keys = widest <= 64 ? 64 : widest <= 96 ? 32 : 16;
    schedule.products = tf32 ? 1 : 3;
  }
  placeQueries(schedule, op, *factors, widest);
  if (isLongScore(op))
    schedule.keys = std::max(schedule.keys / 2, kMmaRows);
  schedule.width = getAttentionWidth(op, *factors);
  return getLowering(op.getContext(), emitters::mmaAttention, schedule);
}
