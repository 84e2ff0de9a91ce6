//===- DecodePlan.cpp - how the keys of few queries are shared out ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodePlan.h"

#include "Chunks.h"
#include "Emitters.h"
#include "MmaAttentionPlan.h"
#include "SharedMemory.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

/// The largest heads, and the most of them that a task has.
static constexpr int64_t kWidest = 256, kMaxHeads = 8;
/// Fewer keys than that are no work to share out, or for a block.
static constexpr int64_t kFewKeys = 64;
/// Blocks that keep all multiprocessors of a device busy, and splits that are combined in no time.
static constexpr int64_t kWantedBlocks = 432, kMaxSplits = 128;
/// With units: three blocks of a multiprocessor of Hopper, all of which are there at once, with two
/// steps of keys at least. On an H200 8 sequences of 8192 keys, with 8 heads of keys, took 0.091 ms
/// with 128 blocks, 0.081 with 192, 0.093 with 256, 0.080 with 384, 0.085 with 576; one of 131,072
/// keys 0.139, 0.146 and 0.162 with 256, 384 and 528.
static constexpr int64_t kWantedOfUnits = 396, kStepsOfUnits = 2;
/// Of wider heads registers hold 16 keys and their values.
static constexpr int64_t kWidestOfTwo = 128;
static constexpr int64_t kMaxWarps = kBlockSize / kWarpSize, kWarpsOfProcessor = 64;

std::optional<DecodeFactors> DecodeFactors::match(AttentionOp op) {
  FormulaOpInterface formula = op;
  AttentionRoles roles(op);
  if (op.getDots() != 1 || op.getNormalizer() != Normalizer::Softmax || roles.sizeC[0] > kWidest ||
      roles.sizeV > kWidest || roles.columns.empty() ||
      formula.getIndexAttr(op.getKeyIndex()).getSize() > INT32_MAX)
    return std::nullopt;
  for (unsigned input = 0; input != 3; ++input) {
    auto type = cast<MemRefType>(op.getInputs()[input].getType());
    if (getLayout(type) || !isa<FloatType>(type.getElementType()))
      return std::nullopt;
  }
  for (unsigned position : roles.contracted[0])
    if (formula.getIndexAttr(position).getDynamic())
      return std::nullopt;
  auto makeFactor = [&](unsigned input, ArrayRef<unsigned> along, int64_t size) {
    return DecodeFactor{input, SmallVector<unsigned>(along), size, getChunk(formula, input, along)};
  };
  DecodeFactors factors{roles,
                        {},
                        makeFactor(0, roles.contracted[0], roles.sizeC[0]),
                        makeFactor(1, roles.contracted[0], roles.sizeC[0]),
                        makeFactor(2, roles.columns, roles.sizeV)};
  // A thread multiplies the same elements of both.
  factors.query.width = factors.key.width = std::min(factors.query.width, factors.key.width);
  auto getElement = [&](const DecodeFactor &factor) {
    return cast<MemRefType>(op.getInputs()[factor.input].getType()).getElementType();
  };
  Type element = getElement(factors.query);
  bool fits = element.isBF16() || element.isF16();
  for (const DecodeFactor *factor : {&factors.query, &factors.key, &factors.value})
    fits &= getElement(*factor) == element && factor->width == kChunk;
  if (fits)
    factors.element = element;
  return factors;
}

void DecodeSchedule::check(ScheduleRules &rules, AttentionOp op) const {
  auto factors = DecodeFactors::match(op);
  rules.requireWhole(factors.has_value(),
                     "the attention is no softmax of one product of reals, with "
                     "heads of known sizes up to " +
                         Twine(kWidest));
  if (!rules.hold())
    return;
  rules.require(splits <= kMaxSplits, "splits", "at most " + Twine(kMaxSplits));
  rules.require(heads <= kMaxHeads && factors->roles.groupSize % heads == 0, "heads",
                "a divisor of " + Twine(factors->roles.groupSize) + " up to " + Twine(kMaxHeads));
  rules.require(warps <= kMaxWarps && llvm::isPowerOf2_64(uint64_t(warps)), "warps",
                "a power of two up to " + Twine(kMaxWarps));
  rules.require(blocks * warps <= kWarpsOfProcessor, "blocks",
                "so few that they have at most " + Twine(kWarpsOfProcessor) + " warps");
  if (!units) {
    rules.requireRepetition(keys * heads, "keys");
    return;
  }
  rules.require(factors->fitUnits(), "units",
                "false, but for one type of 16 bits in rows of whole vectors of 16 bytes");
  rules.require(keys == kUnitKeys || keys == 2 * kUnitKeys, "keys",
                Twine(kUnitKeys) + " or " + Twine(2 * kUnitKeys) + " with units");
  if (rules.hold())
    rules.require(DecodePlan(op, *this).getSharedBytes() <= kMaxSharedBytes, "warps",
                  "so few that their results fit " + Twine(kMaxSharedBytes) + " bytes");
}

/// Whether keys and queries are counted by the same symbol.
static bool isWhole(FormulaOpInterface op, unsigned query, unsigned key) {
  IndexAttr queries = op.getIndexAttr(query), keys = op.getIndexAttr(key);
  return queries.getDynamic() && keys.getDynamic() && queries.getDim() == keys.getDim();
}

/// As many keys of a warp, and warps of a processor, as registers hold with what comes of them; a
/// score that reads something needs some, too.
static void useUnits(DecodeSchedule &schedule, AttentionOp op, const DecodeFactors &factors) {
  schedule.units = true;
  schedule.warps = 4;
  bool isWide = std::max(factors.key.size, factors.value.size) > kWidestOfTwo;
  bool isBare = factors.roles.plainScore && op.getPredicate().empty(), isLong = isLongScore(op);
  schedule.keys = isWide || isLong ? kUnitKeys : 2 * kUnitKeys;
  // Vectors that only some threads have take registers, too.
  bool isWhole = factors.key.getVectors() % 4 == 0 && factors.value.getVectors() % 8 == 0;
  schedule.blocks = isWide || isLong ? 1 : isBare && isWhole ? 3 : 2;
}

LoweringAttr weft::chooseDecode(AttentionOp op, LoweringAttr more) {
  FormulaOpInterface formula = op;
  auto factors = DecodeFactors::match(op);
  int64_t keys = formula.getIndexAttr(op.getKeyIndex()).getSize();
  if (!factors || keys < kFewKeys)
    return {};
  const AttentionRoles &roles = factors->roles;
  int64_t queries = roles.query ? formula.getIndexAttr(*roles.query).getSize() : 1;
  bool isDynamic = roles.query && formula.getIndexAttr(*roles.query).getDynamic();
  if (queries > kFewQueries && (!isDynamic || isWhole(formula, *roles.query, op.getKeyIndex())))
    return {};
  DecodeSchedule schedule;
  for (int64_t heads = 1; heads <= kMaxHeads; ++heads)
    if (roles.groupSize % heads == 0)
      schedule.heads = heads;
  bool isMore = queries > kFewQueries;
  if (isMore)
    queries = 1;
  int64_t blocks = queries * getBoundProduct(op.getIndices(), roles.outer) / schedule.heads;
  int64_t wanted = kWantedBlocks, least = kFewKeys;
  if (factors->fitUnits()) {
    useUnits(schedule, op, *factors);
    wanted = kWantedOfUnits;
    least = kStepsOfUnits * DecodePlan(op, schedule).getKeysOfStep();
  }
  int64_t splits = int64_t(llvm::divideCeil(wanted, blocks));
  if (schedule.units)
    splits = std::max<int64_t>(wanted / blocks, 1);
  splits = std::min(splits, kMaxSplits);
  schedule.splits = std::min<int64_t>(splits, llvm::divideCeil(keys, least));
  LoweringAttr few = getLowering(op.getContext(), emitters::decodeAttention, schedule);
  return isMore ? getLowering(op.getContext(), emitters::byCount,
                              CountSchedule{kFewQueries, few, more})
                : few;
}
