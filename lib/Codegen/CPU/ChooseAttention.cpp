//===- ChooseAttention.cpp - schedules of attention ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionPlan.h"
#include "Choosers.h"
#include "Emitters.h"
#include "GemmSchedule.h"

#include "weft/Codegen/CPU/Units.h"
#include "weft/Dialect/Weft/IR/AttentionTypes.h"
#include "weft/Dialect/Weft/Transforms/AttentionLimits.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

/// Queries and keys of an attention that are packed together; fewer where rows are long. The unit
/// of tiles uses up faster what is packed, in half the bytes.
static constexpr int64_t kBlock = 128, kTileBlock = 256;
/// So many times as many keys where tile registers hold sums, which each block takes from memory
/// and back.
static constexpr int64_t kKeyBlocks = 2;
/// f32 elements that one packed block, or the block of results, may take of the stack.
static constexpr int64_t kBlockElements = 24 << 10;
/// Streams of a few rows.
static constexpr int64_t kStreams = 8;

namespace {

/// Blocks of keys are chosen as for many queries, so that a row's keys come in the same ones
/// whatever the number of rows.
class AttentionChooser {
public:
  AttentionChooser(AttentionOp op, const CodeGoals &goals);
  AttentionSchedule choose();

private:
  /// Blocks of at most so many queries and keys.
  void chooseBlocks(int64_t most);
  void cutHead();
  /// No more rows than there are.
  void limitRows();
  /// So few that what comes next is fetched: some, or those of one query.
  bool canHaveFewRows() const;
  int64_t getStackBytes() const;

  AttentionOp op;
  AttentionRoles roles;
  bool followsStreams;
  int64_t numRows, numKeys, keyBlocks = 1;
  AttentionSchedule schedule;
};

} // namespace

/// Whether both products can be those of tiles: of bf16, in blocks that fit whole.
static bool canTile(AttentionOp op, const AttentionRoles &roles, int64_t width) {
  return width == kTileColumns / 2 && getWeightType(op).isBF16() && getHeadSize(op) <= kWholeHead;
}

AttentionChooser::AttentionChooser(AttentionOp op, const CodeGoals &goals)
    : op(op), roles(op), followsStreams(goals.fetchRows == 1 && goals.width >= kStreams / 2) {
  FormulaOpInterface formula = op;
  numRows = roles.groupSize * (roles.query ? formula.getIndexAttr(*roles.query).getSize() : 1);
  numKeys = formula.getIndexAttr(op.getKeyIndex()).getSize();
  schedule.width = goals.width;
  schedule.tile = goals.getTileRows();
  schedule.unroll = kUnroll;
  schedule.parallel = goals.parallel;
  if ((goals.tiles || goals.dots) && canTile(op, roles, goals.width)) {
    schedule.unit = (goals.tiles ? kTilesUnit : kDotsUnit).str();
    schedule.tile = kTileRows;
    keyBlocks = goals.tiles ? kKeyBlocks : 1;
  }
}

/// What blocks take where nothing lies in panels: whether something does follows from the number of
/// rows, which must not choose the blocks of keys.
int64_t AttentionChooser::getStackBytes() const {
  AttentionPlan plan(op, schedule);
  plan.keysInPanels.assign(plan.keysInPanels.size(), false);
  plan.valuesInPanels = false;
  return plan.getStackBytes();
}

void AttentionChooser::chooseBlocks(int64_t most) {
  int64_t block = schedule.unit ? kTileBlock : kBlock;
  int64_t queries = std::max<int64_t>(std::min(block, most), schedule.tile);
  int64_t keys = std::max<int64_t>(std::min(keyBlocks * std::min(block, most), numKeys), 1);
  schedule.queries = llvm::alignDown(queries, schedule.tile);
  schedule.keys = llvm::alignTo(keys, 2 * schedule.width);
}

void AttentionChooser::limitRows() {
  int64_t most = llvm::PowerOf2Ceil(numRows);
  if (!schedule.unit)
    schedule.tile = std::min(schedule.tile, most);
  schedule.queries = std::min<int64_t>(schedule.queries, llvm::alignTo(numRows, schedule.tile));
}

bool AttentionChooser::canHaveFewRows() const {
  bool isOpen = roles.query && FormulaOpInterface(op).getIndexAttr(*roles.query).getDynamic();
  return isOpen || numRows <= std::max(kWaitingRows, roles.groupSize);
}

AttentionSchedule AttentionChooser::choose() {
  int64_t widest = llvm::alignTo(roles.sizeV, schedule.width);
  for (int64_t size : roles.sizeC)
    widest = std::max(widest, size);
  int64_t most = kBlockElements / std::max<int64_t>(widest, 1);
  chooseBlocks(most);
  if (getStackBytes() > kTaskStack) {
    keyBlocks = 1;
    chooseBlocks(most);
  }
  while (getHeadSize(op) <= kWholeHead && getStackBytes() > kTaskStack)
    chooseBlocks(most /= 2);
  if (most == 0 || getStackBytes() > kTaskStack) {
    chooseBlocks(INT64_MAX);
    cutHead();
  }
  limitRows();
  if (followsStreams && schedule.slices.empty() && canHaveFewRows())
    schedule.streams = kStreams;
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
  rules.require(!op.getKeyLower() || kKeyStep % (2 * width) == 0, "width",
                "at most " + Twine(kKeyStep / 2) + ", as keys before the first are read, too");
  rules.requireRepetition(tile, "tile");
  rules.require(unit || tile == 1 || roles.sharesKeys(), "tile", "1, as no queries share keys");
  rules.require(queries % tile == 0 && queries <= most, "queries", "a multiple of the tile");
  rules.require(queries == (unit ? tile : 1) || roles.sharesKeys(), "queries",
                "1, as no queries share keys");
  rules.require(keys % (2 * width) == 0 && keys <= most, "keys", "a multiple of two vectors");
  rules.requireRepetition(unroll, "unroll");
  rules.require(!streams || (*streams > 0 && 2 * width % *streams == 0 && slices.empty()),
                "streams", "none, or what divides two vectors, of a whole head");
  if (unit)
    rules.require((*unit == kTilesUnit || *unit == kDotsUnit) && canTile(op, roles, width), "unit",
                  "none, or \"tiles\" or \"dots\" of 16 lanes for queries, keys and values of bf16 "
                  "of at most " +
                      Twine(kWholeHead) + " elements");
  if (unit)
    rules.require(tile == kTileRows, "tile", "32 rows");
  rules.require(slices.empty() || (!unit && getElementTypeOrSelf(op.getOutput()).isF32()), "slices",
                "none, as tiles are of whole heads, and an output that is not f32 holds no sums");
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
