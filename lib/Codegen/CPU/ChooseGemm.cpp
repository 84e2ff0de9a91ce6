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
#include "weft/Dialect/Weft/IR/TensorBytes.h"

using namespace mlir;
using namespace weft;

/// Rows of a task's block, or a few more: with kc of the other factor they fit the second cache; of
/// one of less than a megabyte half as many.
static constexpr int64_t kBlockRows = 128, kLargeCache = 1 << 20;
/// Panel groups of the whole width: more than enough tasks for some threads; and of a matrix that
/// data choose among others.
static constexpr int64_t kPanelGroups = 32, kChosenGroups = 8;
/// Panels that share a block of k, at most; and parts that a matrix has at least, so that some
/// threads have enough of them.
static constexpr int64_t kSharingPanels = 6, kSharingGroups = 12;
/// The same of factors that are split: their rows take three times as long to come.
static constexpr int64_t kSplitGroups = 6;
/// The same where data choose the matrix: its rows are copied for each task, and others have tasks.
static constexpr int64_t kCopyingPanels = 16, kCopyingGroups = 2;
/// Of k, what all rows of a task are multiplied with before the rest, at most; and so many times as
/// many rows a task has at most if the second cache holds all of k.
static constexpr int64_t kNearK = 1536, kMostRowBlocks = 2;

/// The most that a task has of what products make for others, which the second cache holds beside
/// its panels.
static constexpr int64_t kLocalBytes = 96 << 10;

/// Three fifths of what the second cache would hold, as what is fetched ahead needs a place too. Of
/// a small one three tenths: sums and results of several panels are held beside.
static int64_t getShare(int64_t fitting, int64_t l2) {
  return fitting * 3 / (l2 < kLargeCache ? 10 : 5);
}

/// Cache blocks of k, all about as long: at most its share of the steps of which the second cache
/// would hold the elements of all rows and of a panel.
static int64_t chooseBlockK(int64_t size, int64_t longest, int64_t unroll = kUnroll) {
  longest = std::max(longest, unroll);
  int64_t block = llvm::divideCeil(size, llvm::divideCeil(size, longest));
  return std::min<int64_t>(llvm::alignTo(block, unroll), size);
}

/// Blocks of k in whole steps of the unit, all about as long.
static std::optional<int64_t> chooseNearK(const GemmSchedule &schedule,
                                          const PackedProduct &shape) {
  if (!multipliesInPlace(schedule, shape) || schedule.k <= kNearK)
    return {};
  int64_t steps = llvm::divideCeil(schedule.k, shape.getUnitDepth());
  int64_t near = llvm::divideCeil(steps, llvm::divideCeil(schedule.k, kNearK));
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

/// Of tasks whose rows have so many steps, how many the second cache holds.
static int64_t countHeld(int64_t held, int64_t steps) {
  return std::max<int64_t>(held / std::max<int64_t>(steps, 1), 1);
}

/// If there are more rows than that.
static void setNear(GemmSchedule &schedule, int64_t near, int64_t numRows) {
  if (near * schedule.rows < numRows)
    schedule.near = near;
}

/// Whether rows lie in a buffer that has more of them, up to whole tiles of a unit.
static bool hasPaddedRows(ContractOp op, const Product &product, const BufferBytes &buffers) {
  AffineMap map = FormulaOpInterface(op).getInputMap(product.getRows());
  bool isPlain = llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>);
  RowFactor factor(op, product);
  if (!isPlain || !product.batch.empty() || product.m.empty() || !factor.hasEvenRows())
    return false;
  Value rows = op.getInputs()[product.getRows()];
  std::optional<int64_t> bytes = buffers.get(rows),
                         apart = factor.getStaticStride(product.m.back());
  if (!bytes || !apart)
    return false;
  int64_t count = llvm::alignTo(getBoundProduct(op.getIndices(), product.m), kUnitRows);
  Type element = cast<MemRefType>(rows.getType()).getElementType();
  return count * *apart * (getStorageBits(element) / 8) <= *bytes;
}

LogicalResult weft::verifyPaddedRows(ContractOp op, LoweringAttr lowering,
                                     const BufferBytes &buffers) {
  std::optional<int64_t> padded;
  ScheduleReader reader(lowering);
  reader("padded", padded);
  std::optional<Product> product = Product::matchPacked(op);
  if (!padded || !product || hasPaddedRows(op, *product, buffers))
    return success();
  return op.emitError("lowering \"gemm\": 'padded' is ")
         << *padded << ", but not all buffers of its rows have memory for whole tiles";
}

/// Tiles of sums stay in their registers for a whole block of k, so there is one if the second
/// cache holds it. Whole steps of a unit are 64 bytes of a row.
static void chooseTiles(GemmSchedule &schedule, const PackedProduct &shape, int64_t numRows,
                        int64_t l2) {
  schedule.unit = kTilesUnit.str();
  schedule.tile[0] = kTileRows;
  schedule.rows = kBlockRows;
  if (shape.isEncoded()) // what is expanded at once
    return;
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
  int64_t near = countHeld(share, words);
  if (multipliesInPlace(schedule, shape) && schedule.k == shape.sizeK) {
    int64_t blocks = chooseRowBlocks(schedule, shape, numRows, near);
    schedule.rows *= blocks;
    near /= blocks;
  }
  setNear(schedule, near, numRows);
}

/// Rows of a register tile of bytes whose products are added up in words, with 16 registers.
static constexpr int64_t kRowsInWords = 4;

/// Rows of a register tile that has sums of a group, or of a word, and of all: they leave registers
/// for the columns.
static int64_t getRowsOfBoth(const CodeGoals &goals) { return goals.registers >= 32 ? 6 : 2; }

/// A product of codes that are narrow needs a register beside the sums, the panel's vectors and the
/// row, and one for the ones that words are multiplied with. Of several steps LLVM would add up
/// products before it adds them to the sums, which takes registers for them.
static void chooseNarrow(GemmSchedule &schedule, const CodeGoals &goals) {
  schedule.unroll = 1;
  if (goals.registers >= 32)
    return;
  schedule.rows = llvm::alignTo(schedule.rows, kRowsInWords);
  schedule.tile[0] = kRowsInWords;
}

static void chooseWords(GemmSchedule &schedule, const CodeGoals &goals) {
  schedule.unit = kWordsUnit.str();
  schedule.tile[0] = getRowsOfBoth(goals);
  schedule.rows = llvm::alignTo(kBlockRows, schedule.tile[0]);
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
/// stack has sums of groups for. (While a group's bytes are multiplied, other sums may leave their
/// registers.)
static void chooseWhole(GemmSchedule &schedule, const PackedProduct &shape,
                        const CodeGoals &goals) {
  bool areBytes = schedule.unit == kWordsUnit && infoOf(shape.scaled->table).bits == 8;
  int64_t tile = areBytes && goals.registers < 32 ? kRowsInWords : getRowsOfBoth(goals);
  schedule.rows = llvm::alignTo(kBlockRows, tile);
  while (schedule.rows > 1 && !fitsStack(shape, schedule.rows))
    schedule.rows = schedule.rows > tile ? schedule.rows - tile : 1;
  schedule.tile[0] = std::min(tile, schedule.rows);
  if (shape.scaled->getGroups() == 1) // which is not cut
    schedule.k = shape.sizeK;
}

/// Whether one row takes longer for a line of a panel than a processor looks ahead: without dots
/// all that is not multiplied as it is stored.
static bool takesLong(const PackedProduct &shape, const CodeGoals &goals) {
  return goals.words && (shape.isEncoded() || shape.columnType.getIntOrFloatBitWidth() == 16);
}

static int64_t getSteps(const PackedProduct &shape) {
  return llvm::divideCeil(shape.sizeK, shape.depth);
}

/// Steps of which the second cache holds a task's rows and a panel. Of one of more than a megabyte
/// vectors are faster with a megabyte's blocks.
static int64_t getHeldSteps(const GemmSchedule &schedule, const PackedProduct &shape,
                            const CodeGoals &goals) {
  int64_t l2 = std::min(goals.l2, kLargeCache);
  return getShare(l2 / kElement / (schedule.rows + shape.nr), l2);
}

/// As many rows as the second cache holds meet all panels, which are fetched ahead as rows are not.
static void chooseNear(GemmSchedule &schedule, const PackedProduct &shape, int64_t numRows,
                       const CodeGoals &goals) {
  if (schedule.unit || schedule.k < shape.sizeK || shape.isEncoded() || shape.chosen)
    return;
  int64_t held = getHeldSteps(schedule, shape, goals);
  setNear(schedule, countHeld(held, getSteps(shape)), numRows);
}

/// A step of reals in the longest vectors is few instructions, so that a loop of eight steps is a
/// fiftieth faster than one of four; it wants whole ones.
static int64_t chooseUnroll(const PackedProduct &shape, const RowFactor &factor,
                            const CodeGoals &goals) {
  bool isReal = shape.columnType.isF32() && !shape.hasHalfRows && factor.isOneRun();
  bool takesMore = isReal && goals.width >= 16 && shape.sizeK % (2 * kUnroll) == 0;
  return takesMore ? 2 * kUnroll : kUnroll;
}

static int64_t chooseSharingPanels(const GemmSchedule &schedule, const PackedProduct &shape) {
  if (shape.chosen && copiesRows(schedule, shape))
    return std::clamp<int64_t>(shape.numPanels / kCopyingGroups, 1, kCopyingPanels);
  int64_t groups = shape.isSplit() ? kSplitGroups : kSharingGroups;
  return std::clamp<int64_t>(shape.numPanels / groups, 1, kSharingPanels);
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
  schedule.unroll = chooseUnroll(shape, factor, goals);
  schedule.k = shape.sizeK;
  if (factor.isOneRun()) {
    int64_t held = getHeldSteps(schedule, shape, goals);
    int64_t block = chooseBlockK(getSteps(shape), held, schedule.unroll);
    schedule.k = std::min(block * shape.depth, shape.sizeK);
  }
  int64_t numPanels = getBoundProduct(op.getIndices(), shape.batch) * shape.numPanels;
  // Small weights are near if all others are.
  schedule.prefetch = std::max(numPanels * shape.getPanelBytes(), goals.weights) > goals.l2 / 2;
  if (schedule.prefetch && goals.fetchRows > 1 && !takesLong(shape, goals))
    schedule.fetchRows = goals.fetchRows;
  schedule.parallel = goals.parallel;
  if (shape.isEncoded())
    schedule.k = std::min(shape.getWholeRows(kExpandedRows), shape.sizeK);
  if (goals.words && shape.isNarrow)
    chooseNarrow(schedule, goals);
  else if (goals.words && hasWords(shape))
    chooseWords(schedule, goals);
  if (shape.isWhole)
    chooseWhole(schedule, shape, goals);
  bool areDots = shape.isDot && (goals.dots || goals.tiles);
  if (hasReals(shape, factor) && !areDots)
    chooseReals(schedule, shape, goals);
  if (hasTiles(shape, factor) && (goals.tiles || shape.isSplit())) {
    chooseTiles(schedule, shape, getBoundProduct(op.getIndices(), shape.m), goals.l2);
    if (multipliesInPlace(schedule, shape) && hasPaddedRows(op, shape, goals.buffers))
      schedule.padded = kUnitRows;
  }
  // Loops with dots add in another order.
  if (schedule.unit == kTilesUnit && goals.tiles && hasHalves(shape) &&
      goals.width == kTileColumns / 2)
    schedule.halves = 1;
  chooseNear(schedule, shape, getBoundProduct(op.getIndices(), shape.m), goals);
  if (sharesBlocks(schedule, shape))
    schedule.panels = chooseSharingPanels(schedule, shape);
  if (int64_t locals = countLocals(op)) {
    int64_t ofPanel = locals * getLocalBytes(schedule) / schedule.panels;
    schedule.panels = std::clamp<int64_t>(kLocalBytes / ofPanel, 1, schedule.panels);
  }
  return getLowering(op.getContext(), emitters::gemm, schedule);
}
