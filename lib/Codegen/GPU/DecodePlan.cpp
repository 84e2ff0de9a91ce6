//===- DecodePlan.cpp - how the keys of few queries are shared out ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodePlan.h"

#include "Chunks.h"
#include "Emitters.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

/// The largest heads, and the most of them that a task has.
static constexpr int64_t kWidest = 256, kMaxHeads = 8;
/// Fewer keys than that are no work to share out, or for a block.
static constexpr int64_t kFewKeys = 64;
/// Blocks that keep all multiprocessors of a device busy, and splits that are combined in no time.
static constexpr int64_t kWantedBlocks = 432, kMaxSplits = 64;

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
  return DecodeFactors{roles, makeFactor(0, roles.contracted[0], roles.sizeC[0]),
                       makeFactor(1, roles.contracted[0], roles.sizeC[0]),
                       makeFactor(2, roles.columns, roles.sizeV)};
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
  rules.requireRepetition(keys * heads, "keys");
}

/// Whether keys and queries are counted by the same symbol.
static bool isWhole(FormulaOpInterface op, unsigned query, unsigned key) {
  IndexAttr queries = op.getIndexAttr(query), keys = op.getIndexAttr(key);
  return queries.getDynamic() && keys.getDynamic() && queries.getDim() == keys.getDim();
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
  int64_t splits = std::min<int64_t>(llvm::divideCeil(kWantedBlocks, blocks), kMaxSplits);
  schedule.splits = std::min<int64_t>(splits, llvm::divideCeil(keys, kFewKeys));
  LoweringAttr few = getLowering(op.getContext(), emitters::decodeAttention, schedule);
  return isMore ? getLowering(op.getContext(), emitters::byCount,
                              CountSchedule{kFewQueries, few, more})
                : few;
}
