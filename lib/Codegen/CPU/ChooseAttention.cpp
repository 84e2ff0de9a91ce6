//===- ChooseAttention.cpp - schedules of attention ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionPlan.h"
#include "Choosers.h"
#include "Emitters.h"

#include "weft/Dialect/Weft/Transforms/AttentionLimits.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

/// Queries and keys of an attention that are packed together; fewer where rows are long.
static constexpr int64_t kQueryBlock = 128, kKeyBlock = 128;
/// f32 elements that one packed block, or the block of results, may take of the stack.
static constexpr int64_t kBlockElements = 24 << 10;

namespace {

class AttentionChooser {
public:
  AttentionChooser(AttentionOp op, const CodeGoals &goals);
  AttentionSchedule choose();

private:
  /// Blocks of at most so many queries and keys.
  void chooseBlocks(int64_t most);
  void cutHead();
  int64_t getStackBytes() const { return AttentionPlan(op, schedule).getStackBytes(); }

  AttentionOp op;
  AttentionRoles roles;
  int64_t numQueries, numKeys;
  int64_t queryBlock;
  AttentionSchedule schedule;
};

} // namespace

AttentionChooser::AttentionChooser(AttentionOp op, const CodeGoals &goals) : op(op), roles(op) {
  FormulaOpInterface formula = op;
  numQueries = roles.query ? formula.getIndexAttr(*roles.query).getSize() : 1;
  numKeys = formula.getIndexAttr(op.getKeyIndex()).getSize();
  int64_t tileRows = goals.getTileRows();
  queryBlock = roles.query ? kQueryBlock / tileRows * tileRows : 1;
  schedule.width = goals.width;
  schedule.tile = roles.query ? std::min<int64_t>(tileRows, llvm::PowerOf2Ceil(numQueries)) : 1;
  schedule.unroll = kUnroll;
  schedule.parallel = goals.parallel;
}

void AttentionChooser::chooseBlocks(int64_t most) {
  int64_t queries = std::max<int64_t>(std::min({queryBlock, numQueries, most}), 1);
  int64_t keys = std::max<int64_t>(std::min({kKeyBlock, numKeys, most}), 1);
  schedule.queries = llvm::alignTo(queries, schedule.tile);
  schedule.keys = llvm::alignTo(keys, 2 * schedule.width);
}

AttentionSchedule AttentionChooser::choose() {
  int64_t widest = llvm::alignTo(roles.sizeV, schedule.width);
  for (int64_t size : roles.sizeC)
    widest = std::max(widest, size);
  chooseBlocks(kBlockElements / widest);
  if (widest <= kBlockElements && getStackBytes() <= kTaskStack)
    return schedule;
  chooseBlocks(INT64_MAX);
  cutHead();
  return schedule;
}

/// The size of the slices of something, all about as long.
static int64_t getSlice(int64_t size, int64_t longest, int64_t multiple) {
  return llvm::alignTo(llvm::divideCeil(size, llvm::divideCeil(size, longest)), multiple);
}

void AttentionChooser::cutHead() {
  int64_t vectors = 2 * schedule.width;
  schedule.slices.assign(roles.sizeC.size() + 1, 0);
  // What is not for slices are mostly scores: half of the stack at most.
  int64_t &queries = schedule.queries, &keys = schedule.keys;
  while (getStackBytes() > kTaskStack / 2 && (queries > schedule.tile || keys > vectors)) {
    bool fewerRows = queries > schedule.tile && (queries >= keys || keys == vectors);
    if (fewerRows)
      queries = llvm::alignTo(queries / 2, schedule.tile);
    else
      keys = llvm::alignTo(keys / 2, vectors);
  }
  int64_t left = (kTaskStack - getStackBytes()) / int64_t(sizeof(float));
  int64_t longest = llvm::alignDown(std::max<int64_t>(left, 0) / (queries + keys), vectors);
  longest = std::max(longest, vectors);
  for (auto [slice, size] : llvm::zip(schedule.slices, roles.sizeC))
    slice = getSlice(size, longest, vectors);
  schedule.slices.back() = getSlice(roles.sizeV, longest, vectors);
}

LoweringAttr weft::chooseAttention(AttentionOp op, const CodeGoals &goals) {
  return getLowering(op.getContext(), emitters::attention, AttentionChooser(op, goals).choose());
}

void AttentionSchedule::check(ScheduleRules &rules, AttentionOp op) const {
  AttentionRoles roles(op);
  constexpr int64_t most = kTaskStack / int64_t(sizeof(float));
  rules.requireWidth(width);
  rules.requireRepetition(tile, "tile");
  rules.require(tile == 1 || roles.query, "tile", "1, as no queries share keys");
  rules.require(queries % tile == 0 && queries <= most, "queries", "a multiple of the tile");
  rules.require(queries == 1 || roles.query, "queries", "1, as no queries share keys");
  rules.require(keys % (2 * width) == 0 && keys <= most, "keys", "a multiple of two vectors");
  rules.requireRepetition(unroll, "unroll");
  bool whole = slices.empty() || slices.size() == roles.sizeC.size() + 1;
  rules.require(whole, "slices", "none, or one for each product and one for the columns");
  for (auto [i, slice] : llvm::enumerate(slices)) {
    if (!rules.hold())
      return;
    int64_t size = i < roles.sizeC.size() ? roles.sizeC[i] : roles.sizeV;
    rules.require(slice % (2 * width) == 0 && slice <= int64_t(llvm::alignTo(size, 2 * width)),
                  "slices", "multiples of two vectors, no longer than what they are cut from");
  }
  for (int64_t size : roles.sizeC)
    rules.require(!slices.empty() || size <= most, "slices", "slices, as heads are wide");
  rules.require(!slices.empty() || roles.sizeV <= most, "slices", "slices, as heads are wide");
  if (!rules.hold())
    return;
  int64_t bytes = AttentionPlan(op, *this).getStackBytes();
  rules.requireWhole(bytes <= kTaskStack, "the blocks take " + Twine(bytes) +
                                              " bytes of the stack, expected at most " +
                                              Twine(kTaskStack));
}
