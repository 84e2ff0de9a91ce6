//===- ChooseGemm.cpp - schedules of products ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Choosers.h"
#include "Emitters.h"
#include "GemmSchedule.h"
#include "NibbleProduct.h"
#include "WholeProduct.h"

#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/RowFactor.h"

using namespace mlir;
using namespace weft;

/// Rows of a task's block, or a few more: with kc of the other factor they fit the second cache; of
/// one of less than a megabyte half as many.
static constexpr int64_t kBlockRows = 128, kLargeCache = 1 << 20;
/// Rows of a panel that are expanded at once, in whole groups: codes of 4 bits and those of the
/// other factor fit the first cache.
static constexpr int64_t kExpandedRows = 768;
/// Panel groups of the whole width: more than enough tasks for some threads; and of a matrix that
/// data choose among others.
static constexpr int64_t kPanelGroups = 32, kChosenGroups = 8;
/// Panels that share a block of k, at most; and parts that a matrix has at least, so that some
/// threads have enough of them.
static constexpr int64_t kSharingPanels = 6, kSharingGroups = 12;
/// The same of factors that are split: their rows take three times as long to come.
static constexpr int64_t kSplitGroups = 6;
/// What the first cache has of a panel while a task's rows go through it, a third; and so many
/// times as many rows a task has at most then.
static constexpr int64_t kNearBytes = 16 << 10, kMostRowBlocks = 4;
/// Bytes of an element.
static constexpr int64_t kElement = sizeof(float);
/// The most vectors of a register tile: more than any processor has registers.
static constexpr int64_t kMaxSums = 64;

PackedProduct::PackedProduct(ContractOp op, const Product &product)
    : Product(product), nr(getLayout(op.getInputs()[columns].getType()).getNr()),
      sizeN(getBoundProduct(op.getIndices(), n)), sizeK(getBoundProduct(op.getIndices(), k)),
      numPanels(llvm::divideCeil(sizeN, nr)) {
  Type element = getElementTypeOrSelf(op.getInputs()[columns]);
  LayoutAttr layout = getLayout(op.getInputs()[columns].getType());
  LayoutAttr tiles = getLayout(op.getInputs()[getRows()].getType());
  parts = tiles ? tiles.getParts() : 1;
  columnParts = std::min(parts, getExactParts(element));
  columnType = element;
  depth = layout.getKr();
  stepWords = nr * depth * element.getIntOrFloatBitWidth() / 32;
  isCodes = element.isInteger(8);
  hasEvenRows = !chosen && RowFactor(op, product).hasEvenRows();
  if (layout.getNibbles())
    nibbles = layout.getNibblePanel(sizeK);
  if (layout.getTable() != CodeTable::None)
    scaled = layout.getScaledPanel(sizeK);
  isWhole = scaled && getElementTypeOrSelf(op.getInputs()[getRows()]).isInteger(8);
  Type rows = getElementTypeOrSelf(op.getInputs()[getRows()]);
  hasHalfRows = rows.isBF16() || rows.isF16();
  isDot = isCodes || rows.isBF16();
}

int64_t PackedProduct::getPanelBytes() const {
  if (isEncoded())
    return nibbles ? nibbles->getBytes() : scaled->getBytes();
  return llvm::divideCeil(sizeK, depth) * stepWords * kElement;
}

bool weft::hasTiles(const PackedProduct &product, const RowFactor &rows) {
  if (product.isSplit())
    return product.sizeK % kSplitDepth == 0;
  return product.isDot && product.nr == kTileColumns && rows.isOneRun() &&
         product.sizeK % product.depth == 0 && rows.isContiguous();
}

bool weft::hasHalves(const PackedProduct &product) {
  return product.columnType.isBF16() && (product.isSplit() || product.hasEvenRows) &&
         getHalfBytes(product) <= kTaskStack / 2;
}

bool weft::hasReals(const PackedProduct &product, const RowFactor &rows) {
  return product.hasHalfRows && !product.isExpanded() && rows.isOneRun() && rows.isContiguous();
}

bool weft::sharesBlocks(const GemmSchedule &schedule, const PackedProduct &product) {
  return (schedule.k < product.sizeK && !product.isEncoded()) || spreadsRows(schedule, product);
}

bool weft::copiesRows(const GemmSchedule &schedule, const PackedProduct &product) {
  return schedule.unit == kTilesUnit && !product.isSplit() && !product.hasEvenRows;
}

bool weft::spreadsRows(const GemmSchedule &schedule, const PackedProduct &product) {
  return schedule.unit == kRealsUnit || spreadsCodes(schedule, product) ||
         copiesRows(schedule, product);
}

int64_t weft::getSpreadWords(const GemmSchedule &schedule, const PackedProduct &product) {
  int64_t elements = schedule.unit == kRealsUnit     ? 1
                     : copiesRows(schedule, product) ? product.depth
                                                     : kCodesOfWord / kWordsOfCodes;
  return llvm::divideCeil(schedule.k, elements);
}

bool weft::spreadsCodes(const GemmSchedule &schedule, const PackedProduct &product) {
  return schedule.unit == kWordsUnit && product.isCodes && !product.nibbles;
}

bool weft::hasWords(const PackedProduct &product) {
  if (product.isWhole)
    return hasShortCodes(product.scaled->table);
  if (product.nibbles)
    return canMultiplyNibbles(*product.nibbles);
  return product.isCodes && product.sizeK % product.depth == 0;
}

/// Whether blocks of whole groups, or of lines of the only one, can be expanded.
static bool canExpand(const ScaledPanel &panel) {
  return panel.getGroups() == 1 || panel.group <= kExpandedRows;
}

/// Whether the stack holds what rows add up to in each group, beside their sums.
static bool fitsStack(const PackedProduct &product, int64_t rows) {
  return rows <= kTaskStack / 2 / getGroupSumBytes(*product.scaled);
}

/// Pairs of a row are read as such, and k begins with one.
static bool canStep(const PackedProduct &product, const RowFactor &rows) {
  if (product.isWhole && (!rows.isContiguous() || !fitsStack(product, /*rows=*/1)))
    return false;
  if (product.scaled)
    return rows.isOneRun() && canExpand(*product.scaled);
  if (product.isSplit())
    return hasTiles(product, rows);
  return product.depth == 1 || (rows.isOneRun() && (!product.isDot || rows.isContiguous()) &&
                                (!product.isCodes || product.sizeK % product.depth == 0));
}

/// Three fifths of what the second cache would hold, as what is fetched ahead needs a place too. Of
/// a small one three tenths: sums and results of several panels are held beside.
static int64_t getShare(int64_t fitting, int64_t l2) {
  return fitting * 3 / (l2 < kLargeCache ? 10 : 5);
}

/// Cache blocks of k, all about as long: at most its share of the steps of which the second cache
/// would hold the elements of all rows and of a panel.
static int64_t chooseBlockK(int64_t size, int64_t longest) {
  longest = std::max<int64_t>(longest, kUnroll);
  int64_t block = llvm::divideCeil(size, llvm::divideCeil(size, longest));
  return std::min<int64_t>(llvm::alignTo(block, kUnroll), size);
}

/// Blocks of k in whole steps of the unit, all about as long.
static std::optional<int64_t> chooseNearK(const GemmSchedule &schedule,
                                          const PackedProduct &shape) {
  if (shape.isSplit() || copiesRows(schedule, shape))
    return {};
  constexpr int64_t most = kNearBytes / (kTileStepWords * kTileColumns * kElement);
  int64_t steps = llvm::divideCeil(schedule.k, shape.getUnitDepth());
  int64_t near = llvm::divideCeil(steps, llvm::divideCeil(steps, most));
  if (near == steps)
    return {};
  return near * shape.getUnitDepth();
}

/// Blocks of rows that use what the first cache has of a panel, as long as the second one holds
/// them and there are tasks enough.
static int64_t chooseRowBlocks(const GemmSchedule &schedule, const PackedProduct &shape,
                               int64_t numRows, int64_t fitting) {
  int64_t blocks = 1;
  auto getTasks = [&](int64_t rows) {
    return llvm::divideCeil(shape.numPanels, schedule.panels) * llvm::divideCeil(numRows, rows);
  };
  while (2 * blocks <= std::min(fitting, kMostRowBlocks) && blocks * schedule.rows < numRows &&
         getTasks(2 * blocks * schedule.rows) >= kPanelGroups)
    blocks *= 2;
  return blocks;
}

/// Tiles of sums stay in their registers for a whole block of k, so there is one if the second
/// cache holds it. Whole steps of a unit are 64 bytes of a row.
static void chooseTiles(GemmSchedule &schedule, const PackedProduct &shape, int64_t numRows,
                        int64_t l2) {
  schedule.unit = kTilesUnit.str();
  schedule.tile[0] = kTileRows;
  schedule.rows = kBlockRows;
  if (shape.isEncoded()) { // what is expanded at once
    schedule.nearK = chooseNearK(schedule, shape);
    return;
  }
  constexpr int64_t stepWords = kTileRowBytes / kElement;
  int64_t perWord = shape.getUnitDepth() / stepWords;
  int64_t words = llvm::divideCeil(shape.sizeK, perWord);
  int64_t held = schedule.rows * shape.parts + shape.nr * shape.columnParts;
  int64_t fitting = l2 / kElement / held;
  if (copiesRows(schedule, shape))
    fitting = std::min(fitting, kTaskStack / 2 / kElement / schedule.rows);
  int64_t share = getShare(fitting, l2);
  int64_t longest = shape.splitsPanels() ? std::min(share, kExpandedRows / perWord) : share;
  int64_t block = llvm::alignTo(chooseBlockK(words, longest), stepWords) * perWord;
  schedule.k = std::min(block, shape.sizeK);
  schedule.nearK = chooseNearK(schedule, shape);
  // Panels are fetched ahead, rows are not.
  int64_t near = std::max<int64_t>(share / std::max<int64_t>(words, 1), 1);
  if (schedule.nearK && schedule.k == shape.sizeK) {
    int64_t blocks = chooseRowBlocks(schedule, shape, numRows, near);
    schedule.rows *= blocks;
    near /= blocks;
  }
  if (near * schedule.rows < numRows)
    schedule.near = near;
}

/// Rows of a register tile that has sums of a group, or of a word, and of all: they leave registers
/// for the columns.
static int64_t getRowsOfBoth(const CodeGoals &goals) { return goals.registers >= 32 ? 6 : 2; }

static void chooseWords(GemmSchedule &schedule, const PackedProduct &shape,
                        const CodeGoals &goals) {
  schedule.unit = kWordsUnit.str();
  if (!spreadsCodes(schedule, shape)) {
    schedule.tile[0] = getRowsOfBoth(goals);
    schedule.rows = llvm::alignTo(kBlockRows, schedule.tile[0]);
    return;
  }
  // A product needs a register beside the sums. Two words are 4 bytes.
  schedule.tile[0] = goals.registers >= 32 ? 8 : 4;
  schedule.rows = llvm::alignTo(schedule.rows, schedule.tile[0]);
  int64_t fitting = goals.l2 / kElement / (schedule.rows + shape.nr);
  int64_t most = kTaskStack / 4 / kElement / (schedule.rows + shape.nr);
  int64_t pairs = chooseBlockK(llvm::divideCeil(shape.sizeK, 2),
                               getShare(std::min(fitting, 2 * most), goals.l2));
  schedule.k = std::min<int64_t>(llvm::alignTo(2 * pairs, shape.depth), shape.sizeK);
}

/// Rows of a register tile are read for each panel, and take a conversion for two multiply-adds.
static void chooseReals(GemmSchedule &schedule, const PackedProduct &shape,
                        const CodeGoals &goals) {
  schedule.unit = kRealsUnit.str();
  int64_t fitting = goals.l2 / kElement / (schedule.rows + shape.nr);
  int64_t most = kTaskStack / 2 / kElement / schedule.rows;
  int64_t block = chooseBlockK(shape.sizeK, getShare(std::min(fitting, most), goals.l2));
  schedule.k = std::min<int64_t>(llvm::alignTo(block, shape.depth), shape.sizeK);
}

/// Integers are multiplied with codes as they are: tiles have fewer rows, tasks no more than the
/// stack has sums of groups for.
static void chooseWhole(GemmSchedule &schedule, const PackedProduct &shape,
                        const CodeGoals &goals) {
  int64_t tile = getRowsOfBoth(goals);
  schedule.rows = llvm::alignTo(kBlockRows, tile);
  while (schedule.rows > 1 && !fitsStack(shape, schedule.rows))
    schedule.rows = schedule.rows > tile ? schedule.rows - tile : 1;
  schedule.tile[0] = std::min(tile, schedule.rows);
  if (shape.scaled->getGroups() == 1) // which is not cut
    schedule.k = shape.sizeK;
}

/// The most rows of a panel that are expanded at once, in whole groups.
static int64_t getExpandedRows(const PackedProduct &shape) {
  bool isWhole = !shape.scaled || shape.scaled->getGroups() == 1;
  return isWhole ? kExpandedRows : kExpandedRows / shape.scaled->group * shape.scaled->group;
}

LoweringAttr weft::chooseGemm(ContractOp op, const CodeGoals &goals) {
  std::optional<int64_t> nr = getPanelWidth(op, goals.width);
  if (!nr)
    return {};
  PackedProduct shape(op, *Product::matchPacked(op));
  RowFactor factor(op, shape);
  if (!canStep(shape, factor))
    return {};
  GemmSchedule schedule;
  schedule.width = goals.width;
  schedule.tile = {goals.getTileRows(), *nr};
  int64_t rows = goals.l2 < kLargeCache ? kBlockRows / 2 : kBlockRows;
  schedule.rows = llvm::alignTo(rows, goals.getTileRows());
  schedule.panels =
      std::max<int64_t>(1, shape.numPanels / (shape.chosen ? kChosenGroups : kPanelGroups));
  schedule.unroll = kUnroll;
  schedule.k = shape.sizeK;
  if (factor.isOneRun()) {
    int64_t fitting = goals.l2 / kElement / (schedule.rows + *nr);
    int64_t steps = llvm::divideCeil(shape.sizeK, shape.depth);
    schedule.k =
        std::min(chooseBlockK(steps, getShare(fitting, goals.l2)) * shape.depth, shape.sizeK);
  }
  int64_t numPanels = getBoundProduct(op.getIndices(), shape.batch) * shape.numPanels;
  // Small weights are near if all others are.
  schedule.prefetch = std::max(numPanels * shape.getPanelBytes(), goals.weights) > goals.l2 / 2;
  if (schedule.prefetch && goals.fetchRows > 1)
    schedule.fetchRows = goals.fetchRows;
  schedule.parallel = goals.parallel;
  if (shape.isEncoded())
    schedule.k = std::min(getExpandedRows(shape), shape.sizeK);
  if (goals.words && hasWords(shape))
    chooseWords(schedule, shape, goals);
  if (shape.isWhole)
    chooseWhole(schedule, shape, goals);
  bool areDots = shape.isDot && (goals.dots || goals.tiles);
  if (hasReals(shape, factor) && !areDots)
    chooseReals(schedule, shape, goals);
  if (hasTiles(shape, factor) && (goals.tiles || shape.isSplit()))
    chooseTiles(schedule, shape, getBoundProduct(op.getIndices(), shape.m), goals.l2);
  // Loops with dots add in another order.
  if (schedule.unit == kTilesUnit && goals.tiles && hasHalves(shape) &&
      goals.width == kTileColumns / 2)
    schedule.halves = 1;
  if (sharesBlocks(schedule, shape)) {
    int64_t groups = shape.isSplit() ? kSplitGroups : kSharingGroups;
    schedule.panels = std::clamp<int64_t>(shape.numPanels / groups, 1, kSharingPanels);
  }
  return getLowering(op.getContext(), emitters::gemm, schedule);
}

void GemmSchedule::check(ScheduleRules &rules, ContractOp op) const {
  PackedProduct shape(op, *Product::matchPacked(op));
  RowFactor factor(op, shape);
  rules.requireWhole(canStep(shape, factor),
                     "pairs and codes are read of one run of k, side by side");
  bool isTiles = unit == kTilesUnit;
  if (unit)
    rules.require(
        (isTiles && hasTiles(shape, factor) && (width == kTileColumns / 2 || shape.isSplit())) ||
            (unit == kWordsUnit && hasWords(shape)) ||
            (unit == kRealsUnit && hasReals(shape, factor)),
        "unit",
        "none, \"tiles\" for pairs of bf16 side by side in panels of 32 columns, "
        "\"words\" for codes, or \"reals\" for rows of 16 bits side by side");
  rules.require(isTiles || !shape.isSplit(), "unit", "\"tiles\" for factors that are split");
  bool canHalve = isTiles && hasHalves(shape) && width == kTileColumns / 2;
  rules.require(
      !halves || (canHalve && *halves == 1), "halves",
      "none, or 1 for tiles of 16 lanes, columns of bf16 and rows as far from each other");
  rules.requireWidth(width);
  rules.require(width > 1 && shape.nr % width == 0, "width",
                "vectors that divide the " + Twine(shape.nr) + " columns of a panel");
  rules.require(tile.size() == 2 && tile[1] == shape.nr, "tile",
                "rows, and the " + Twine(shape.nr) + " columns of a panel");
  if (!rules.hold())
    return;
  rules.require(isTiles ? tile[0] == kTileRows : tile[0] <= kMaxSums / (shape.nr / width), "tile",
                isTiles ? "32 rows" : "at most " + Twine(kMaxSums) + " vectors");
  rules.require(rows % tile[0] == 0, "rows", "a multiple of the rows of the tile");
  // Runs of k are not cut.
  if (shape.isSplit()) {
    int64_t most = shape.splitsPanels() ? std::min(shape.sizeK, kExpandedRows) : shape.sizeK;
    rules.require(k <= most && (k == shape.sizeK || k % kSplitTile == 0), "k",
                  "at most " + Twine(most) + ", in whole tiles");
  } else if (factor.isOneRun()) {
    rules.require(k <= shape.sizeK && (k % shape.depth == 0 || k == shape.sizeK), "k",
                  "at most " + Twine(shape.sizeK) + ", in whole steps");
  } else {
    rules.require(k == shape.sizeK, "k", Twine(shape.sizeK) + ", as it is not one run");
  }
  rules.require(!nearK || (isTiles && !shape.isSplit() && !copiesRows(*this, shape) && *nearK > 0 &&
                           *nearK <= k && *nearK % shape.getUnitDepth() == 0),
                "near_k",
                "none, or whole steps of tiles that multiply rows where they lie, at most k");
  if (shape.isWhole)
    rules.require(k % shape.scaled->group == 0, "k", "whole groups of codes");
  else if (shape.isEncoded()) {
    int64_t group = shape.nibbles ? shape.nibbles->group : shape.scaled->group;
    int64_t step = group == shape.sizeK ? shape.scaled ? shape.scaled->getLineRows() : 1 : group;
    rules.require(k <= kExpandedRows && (k == shape.sizeK || k % step == 0), "k",
                  "at most " + Twine(kExpandedRows) + ", in whole groups of codes");
  }
  rules.require(panels <= shape.numPanels, "panels", "at most " + Twine(shape.numPanels));
  rules.requireRepetition(unroll, "unroll");
  // The sums of a task's rows for one panel, or for all.
  int64_t held = sharesBlocks(*this, shape) ? panels : 1;
  int64_t most = kTaskStack - (halves ? getHalfBytes(shape) : 0);
  rules.require(rows <= most / kElement / shape.nr / std::max<int64_t>(held, 1), "rows",
                "sums of at most " + Twine(most) + " bytes for " +
                    (held == 1 ? "a panel" : "the task's panels"));
  int64_t spread = rows + (spreadsCodes(*this, shape) ? shape.nr : 0);
  rules.require(!spreadsRows(*this, shape) ||
                    spread <= kTaskStack / 2 / kElement / getSpreadWords(*this, shape),
                "rows", "words or reals of at most " + Twine(kTaskStack / 2) + " bytes");
  rules.require(!shape.isWhole || fitsStack(shape, rows), "rows",
                "sums of groups of at most " + Twine(kTaskStack / 2) + " bytes");
}
