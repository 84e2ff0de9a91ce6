//===- GemmTask.h - the code of one task of a product ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_GEMMTASK_H
#define WEFT_LIB_CODEGEN_CPU_GEMMTASK_H

#include "ExpandParts.h"
#include "GemmSchedule.h"
#include "MicroKernel.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weft {

/// Rows among which a task looks for those that choose its matrix.
inline constexpr int64_t kChoiceRows = 8192;

/// How far ahead the lines of the own panel are fetched, in bytes: farther than the hardware does.
inline constexpr int64_t kPanelAhead = 16 << 10;

/// The same for one row of reals, whose arithmetic hides nothing: within a page, so that the
/// hardware, which follows what is read of one, fetches at the same time.
inline constexpr int64_t kLinesAhead = 3 << 10;

/// What is known of a product before it is run.
struct GemmPlan {
  GemmPlan(ContractOp op, const GemmSchedule &schedule)
      : shape(op, *Product::matchPacked(op)), rows(op, shape), schedule(schedule),
        sumsOfResult(op.getNumSums()), tileRows(schedule.tile[0]), blockRows(schedule.rows),
        blockK(schedule.k), panelsPerTask(schedule.panels),
        numMatrices(getBoundProduct(op.getIndices(), shape.batch)) {}

  bool usesTiles() const { return schedule.unit == kTilesUnit; }
  bool usesWords() const { return schedule.unit == kWordsUnit; }
  bool usesReals() const { return schedule.unit == kRealsUnit; }
  /// Whether a few rows say which matrices there is something to do for, of many.
  bool asksRows() const {
    return shape.chosen && shape.batch.size() == 1 && numMatrices <= kChoiceRows;
  }
  /// Whether k is cut into cache blocks.
  bool hasBlocksK() const { return blockK < shape.sizeK; }

  /// Whether the sums of a tile are complete before the next one's begin.
  bool finishesTiles() const { return usesTiles() && !hasBlocksK() && !copiesRows(); }
  /// Whether one tile's sums are held at a time: blocks of k come one after the other for each.
  bool holdsTile() const { return finishesTiles() && !schedule.nearK; }

  /// Rows of two tiles, or of a unit's one: up to so many use a panel up faster than memory brings
  /// the next one.
  int64_t getRowsOfFewTiles() const {
    return usesTiles() && shape.isExpanded() ? tileRows : 2 * tileRows;
  }
  /// Steps of a panel that they multiply one after the other.
  int64_t getStepsOfFewTiles() const;

  bool sharesBlocks() const { return weft::sharesBlocks(schedule, shape); }
  bool copiesRows() const { return weft::copiesRows(schedule, shape); }
  bool spreadsRows() const { return weft::spreadsRows(schedule, shape); }
  SplitPanel getSplitPanel() const { return {shape.nr, shape.columnParts, shape.columnType}; }
  int64_t getSpreadWords() const { return weft::getSpreadWords(schedule, shape); }
  /// Whether a few rows are spread in all of k, so that they read a panel from end to end.
  bool spreadsFew() const;
  /// Words that all rows have in a block, or a few in all of k.
  int64_t getSpread() const;

  /// Sums that are held at a time, and what they take: of a tile's rows, of a task's for one panel
  /// or for all of them.
  int64_t getPanelSums() const { return (holdsTile() ? tileRows : blockRows) * shape.nr; }
  int64_t getStackBytes() const {
    return (sharesBlocks() ? panelsPerTask : 1) * getPanelSums() * int64_t(sizeof(float));
  }

  PackedProduct shape;
  RowFactor rows;
  GemmSchedule schedule;
  int64_t sumsOfResult;        ///< of neighbouring rows, that are those of one row of the result
  int64_t tileRows, blockRows; ///< mr, and the rows of a task
  int64_t blockK;              ///< kc
  int64_t panelsPerTask;       ///< at least
  int64_t numMatrices;         ///< of the batch, at most
};

/// Writes the code of one task.
class GemmTask {
public:
  GemmTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const GemmPlan &plan)
      : lanes(lanes), kernel(kernel), op(op), formula(op), plan(plan), product(plan.shape),
        indices(formula.getNumIndices()), sizeN(getSize(product.n)), sizeK(getSize(product.k)),
        numPanels(lanes.ceilDiv(sizeN, plan.shape.nr)) {}

  Lanes getNumTasks() { return lanes.mul(getNumGroups(), getNumBlocks()); }

  void emit(const Lanes &task);

  // Of products that one task makes (GemmChain.cpp).
  /// Sets which matrix the task has, and which group of its panels.
  void setMatrixOf(const Lanes &task);
  /// Calls `body` with the task's rows set, of a matrix that data choose once for each block of
  /// those that choose it.
  void forRows(llvm::function_ref<void()> body);
  void takeRows(const GemmTask &other);
  /// These rows times the task's panels.
  void multiply();
  /// The result, of which `memory` has the task's rows and columns; where a row begins is set with
  /// the row.
  Buffer getLocal(mlir::Value memory);
  /// Where the first panel of the task begins, or that of its next group; and what is fetched
  /// behind the last one of the task.
  mlir::Value getPanels(int64_t nextGroup = 0);
  void setAfter(mlir::Value panels) { after = panels; }

private:
  Lanes getSize(llvm::ArrayRef<unsigned> positions) {
    return getCount(lanes, kernel, op.getIndices(), positions);
  }
  mlir::Type getRowType() {
    return kernel.getBuffer(op.getInputs()[product.getRows()]).elementType;
  }
  mlir::Value addRowElements(mlir::Value pointer, const Lanes &elements) {
    return getElementPointer(lanes, pointer, getMemoryType(getRowType()), elements.value);
  }
  /// Of the panels of all matrices, or of as many as there are rows to choose them.
  Lanes getNumGroups() {
    Lanes matrices = getSize(product.batch);
    if (plan.asksRows())
      matrices = lanes.min(matrices, getSize(product.m));
    return lanes.mul(matrices, getPanelGroups());
  }
  /// Groups of panels of a matrix.
  Lanes getPanelGroups() {
    return lanes.constant(llvm::divideCeil(plan.shape.numPanels, plan.panelsPerTask));
  }
  /// The number of a task's group and that of its block of rows.
  std::pair<Lanes, Lanes> getPlace(const Lanes &task);
  /// Of rows that a task has, or, if data choose, looks at.
  Lanes getNumBlocks() {
    return lanes.ceilDiv(getSize(product.m), product.chosen ? kChoiceRows : plan.blockRows);
  }

  /// Sets the indices of the batch and returns the group of panels; `number` counts all groups.
  Lanes setMatrix(const Lanes &number);

  /// Of so many rows in so many blocks. Tiles are dealt out so that no block has more than one more
  /// than another.
  void setRows(const Lanes &block, const Lanes &total, const Lanes &blocks);
  void allocateStack();

  // Rows that choose the matrix (GemmChoice.cpp).
  /// Where there are fewer rows than matrices, what row `number` chooses; else matrix `number`.
  Lanes findMatrix(const Lanes &number);
  /// What a row chooses.
  Lanes getChoice(const Lanes &row);
  void forChosen(llvm::function_ref<void()> body);
  /// Lists those of a segment; returns how many.
  Lanes listChosen(const Lanes &segment);
  Lanes dropAsked(const Lanes &found);

  /// Which of all rows one of the task's is.
  Lanes getRow(const Lanes &number);
  /// Where the first elements of so many of the task's rows are.
  llvm::SmallVector<mlir::Value> getRowPointers(const Lanes &first, int64_t count = 1);

  /// What a tile fetches for those after it.
  enum class Ahead { Nothing, OwnPanel, NextBlock, NextPanel };
  struct Tile {
    Lanes row;     ///< the first one, counted from the task's
    int64_t count; ///< of the rows
    Ahead ahead;
    bool isShort = false; ///< times codes as they are, that others are expanded of
  };

  /// Makes a panel the one in hand; `number` counts those of the task.
  void setPanel(const Lanes &panel, const Lanes &number);
  Lanes getPanelWords();

  /// One panel after the other.
  void emitPanels(const Lanes &first, const Lanes &panels);
  void emitPanel(const Lanes &panel, mlir::Value isLast);

  /// So many panels of the task, block of k after block.
  void emitBlocks(const Lanes &first, const Lanes &panels);
  /// Behind a block are the steps of the next panel, behind the last one's those of the next block.
  void setNextSteps(const Lanes &panels, const Lanes &number, const Lanes &firstK,
                    const Lanes &block);
  /// A block of all rows is made what is multiplied first (GemmSpread.cpp): f32 of 16 bits, or the
  /// same side by side. Few rows are multiplied as they are.
  void emitSpread(const Lanes &first, const Lanes &panels);
  void spreadRows(const Lanes &firstK, const Lanes &sizeK);
  /// So many of a row, at these places.
  void spreadReals(LaneBuilder &some, mlir::Value from, mlir::Value to);
  llvm::SmallVector<mlir::Value> getSpreadRows(const Tile &tile, const Lanes &firstK);
  /// Whether register tiles multiply such a block: copies are a unit's.
  bool multipliesSpread() { return spread && !plan.copiesRows(); }
  void copyWords(LaneBuilder &some, mlir::Value from, mlir::Value to);

  /// How long these are: few rows read a panel from end to end.
  Lanes getSharedBlock();
  mlir::Value hasFew(int64_t most) {
    return lanes.compare(mlir::arith::CmpIPredicate::sle, numRows, lanes.constant(most));
  }
  /// The code for so many rows at most, or for more; what is written knows of how many.
  void chooseByRows(int64_t most, llvm::function_ref<void()> few, llvm::function_ref<void()> many);

  /// Sums of codes are whole numbers.
  mlir::Type getSumsType() {
    return lanes.vectorOf(plan.shape.isCodes ? mlir::Type(lanes.b.getI32Type())
                                             : lanes.b.getF32Type());
  }
  mlir::Value loadSums(mlir::Value pointer) {
    return mlir::LLVM::LoadOp::create(lanes.b, lanes.loc, getSumsType(), pointer, /*alignment=*/4);
  }

  /// Of a number of steps of a panel.
  Lanes getWords(const Lanes &steps) {
    return lanes.mul(steps, lanes.constant(plan.shape.stepWords));
  }

  /// Where the steps of a panel from `firstK` are in memory, and where those that are multiplied.
  mlir::Value getPanelSteps(const Lanes &firstK) {
    return addElements(lanes, panelPointer, getWords(lanes.floorDiv(firstK, plan.shape.depth)));
  }
  mlir::Value getSteps(const Lanes &firstK);

  /// Begins the sums of so many panels at zero.
  void clearSums(const Lanes &panels);

  /// All rows times a cache block of k.
  void emitBlock(const Lanes &firstK, const Lanes &sizeK, bool accumulate);

  // Vectors of sums (GemmRows.cpp).
  void emitRows(const Lanes &firstK, const Lanes &sizeK, bool accumulate);
  void emitTiles(Ahead ahead, const Lanes &firstK, const Lanes &sizeK, bool accumulate);
  void emitFewTiles(const Lanes &firstK, const Lanes &sizeK, bool accumulate);

  /// Makes bytes of the block's codes of 4 bits, or reals of those of a table, and fetches what
  /// lies ahead of these.
  void expand(const Lanes &firstK, const Lanes &sizeK, bool fetches = false);

  // Tiles of the matrix unit (GemmUnitTile.cpp).
  /// All rows times a panel, a tile after the other, with their epilogues.
  void emitUnitPanel(const Lanes &panel);

  /// What tiles multiply rows with, and what they fetch ahead: as much, or half of it.
  struct UnitTiles {
    mlir::Value panel, ahead, isFresh = {};
    bool isHeld = false; ///< the unit keeps the sums
    bool fetchesHalf = false;
  };
  /// Tiles of rows; the last one has fewer.
  void eachUnitTile(llvm::function_ref<void(const Lanes &row, const Lanes &count)> body);
  /// Whether rows have memory up to whole tiles.
  bool isPadded() const { return plan.shape.isSplit() || spread || plan.schedule.padded; }
  void emitUnitTile(const Lanes &row, const Lanes &count, const Lanes &firstK, const Lanes &sizeK,
                    const UnitTiles &tiles);

  // Blocks of k (GemmNear.cpp).
  /// All tiles, block after block, and the epilogues of `finished`, a panel whose sums are done
  /// then.
  void emitUnitBlocks(const Lanes &firstK, const Lanes &sizeK, bool isFresh, const Lanes *finished);
  void emitWholeUnitBlock(const Lanes &firstK, const Lanes &sizeK, bool isFresh,
                          const Lanes *finished);
  /// Fetches for some of a tile's rows what their epilogue will need.
  void fetchShare(const Lanes &panel, const Lanes &row, const Lanes &count,
                  std::pair<Lanes, Lanes> blocksDone, const Lanes &blocks);
  Lanes getNearBlock(const Lanes &sizeK);

  /// Whether panels are split, and few rows wait for memory.
  bool awaitsMemory() const { return plan.shape.splitsPanels() && plan.schedule.prefetch; }
  /// What multiplies few rows.
  using FewRows = void (GemmTask::*)(const Lanes &firstK, const Lanes &sizeK, bool accumulate);
  /// The code for one row and for few, if they have another, and for more.
  void emitFewOrMany(llvm::function_ref<void(FewRows)> few, llvm::function_ref<void()> many);

  // A few rows times panels that are expanded, in short blocks of k (GemmShort.cpp).
  void emitFewSplit(const Lanes &firstK, const Lanes &sizeK, bool accumulate);
  void emitFewCodes(const Lanes &firstK, const Lanes &sizeK, bool accumulate);
  /// Calls `body` for each block of so many rows of a panel, with how many it has.
  void eachShortBlock(int64_t rows, const Lanes &firstK, const Lanes &sizeK,
                      llvm::function_ref<void(const Lanes &first, const Lanes &size)> body);
  /// Whether the unit can keep sums from one block to the next.
  bool canHold(int64_t rows, const Lanes &sizeK);
  /// The same, with the sums of all rows in the unit if it can.
  void
  eachHeldBlock(int64_t rows, const Lanes &firstK, const Lanes &sizeK, bool accumulate,
                llvm::function_ref<void(const Lanes &first, const Lanes &size, bool isHeld)> body);

  // One row, by multiply-adds in the order of the unit (GemmHalves.cpp).
  /// Makes the words of the row f32.
  void splitRow();
  /// Of a step and a part of the row, the first or the second halves of its words.
  mlir::Value getHalves(const Lanes &step, int64_t part, bool isHigh);
  void emitHalves(const Lanes &firstK, const Lanes &sizeK, bool accumulate);
  llvm::SmallVector<std::pair<int64_t, int64_t>> getPartPairs() {
    return cpu::getPartPairs(plan.shape.parts, plan.shape.columnParts);
  }
  /// Of memory, what a word of the row is multiplied with.
  int64_t getPairWords() { return 2 / plan.shape.depth * plan.shape.stepWords; }
  /// The parts of that, in a vector of columns.
  llvm::SmallVector<mlir::Value> getColumnHalves(mlir::Value word, int64_t vector, bool isHigh);
  /// Adds the products of a half of a word of the row with these parts to the sums.
  void addColumns(const Lanes &step, const Lanes &word, llvm::ArrayRef<mlir::Value> columns,
                  int64_t vector, bool isHigh, llvm::MutableArrayRef<mlir::Value> sums);
  /// When so many lines of the panel have been read. Blocks of pages are those of the whole matrix,
  /// whose panels need not be as long.
  void fetchLineAhead(const Lanes &before);
  /// Adds the products of so many words of a step to the sums.
  llvm::SmallVector<mlir::Value> addHalfStep(const Lanes &step, mlir::Value panel,
                                             const Lanes &words, mlir::ValueRange sums);
  /// Those of one word: `carried` is, of each pair of parts and each vector, the sum of the first
  /// halves and of the second ones.
  llvm::SmallVector<mlir::Value> addWord(const Lanes &step, mlir::Value panel, const Lanes &word,
                                         mlir::ValueRange carried);

  /// Of codes all units make the same sums: for a few rows dots are faster than tiles, and codes
  /// as they are than expanded ones.
  bool hasFewRows() const { return plan.shape.isCodes || plan.shape.scaled; }
  int64_t getFewRows() const;
  /// Whether the panels of a few rows need not be expanded.
  bool canMultiplyShort() const;
  void emitDotsOrTiles(llvm::function_ref<void()> dots, llvm::function_ref<void()> tiles);
  void emitDots(const Lanes &firstK, const Lanes &sizeK, bool accumulate);

  /// The first element of a row, in a cache block of k, as the unit wants it.
  mlir::Value getUnitRows(const Lanes &row, const Lanes &firstK);

  /// Which portions of what is fetched ahead a tile fetches, if it does, and how many bytes the
  /// lines of one are apart.
  struct Portions {
    mlir::Value ahead, number, apart;
  };
  Portions getPortions(const Lanes &row, const Lanes &sizeK, const UnitTiles &tiles);

  // Register tiles.

  void emitTile(const Tile &tile, const Lanes &firstK, const Lanes &sizeK, bool accumulate);

  /// Loops over the k indices outside of runs; the runs follow one another in the panel.
  llvm::SmallVector<mlir::Value> emitOuterK(const Tile &tile, llvm::ArrayRef<mlir::Value> rows,
                                            const Lanes &stride, unsigned depth,
                                            const Lanes &firstK, mlir::ValueRange sums);

  llvm::SmallVector<mlir::Value> emitRun(const Tile &tile, llvm::ArrayRef<mlir::Value> rows,
                                         const Lanes &stride, const Lanes &firstK,
                                         const Lanes &sizeK, mlir::ValueRange sums);

  void setPrefetch(TileFactors &factors, const Tile &tile, const Lanes &firstK, const Lanes &sizeK);
  /// Bytes from a line of one row's panel to the one that is fetched then.
  int64_t getLinesAhead();
  void shareBlock(TileFactors &factors, const Tile &tile);

  CodeFactors getCodeFactors(const Tile &tile, llvm::ArrayRef<mlir::Value> rows,
                             const Lanes &firstK, const Lanes &sizeK);

  /// What rows add up to in each group of codes: all of integers times whole numbers, and a few of
  /// codes times numbers of 4 bits.
  void sumRows();
  bool sumsFewRows() const;
  void sumFewRows();
  int64_t getRowSumBytes();
  mlir::Value getRowSums(const Lanes &row);
  void emitWholeRows(const Lanes &firstK, const Lanes &sizeK, bool accumulate);
  llvm::SmallVector<mlir::Value> emitWholeTile(const Tile &tile, llvm::ArrayRef<mlir::Value> rows,
                                               const Lanes &firstK, const Lanes &sizeK,
                                               mlir::ValueRange sums);

  /// Of codes times numbers of 4 bits.
  llvm::SmallVector<mlir::Value> emitNibbles(const Tile &tile, llvm::ArrayRef<mlir::Value> rows,
                                             const Lanes &firstK, const Lanes &sizeK,
                                             mlir::ValueRange sums);

  // Epilogue.
  /// Of `count` rows from `first` on; what they read and write may be fetched already.
  void emitEpilogue(const Lanes &panel, const Lanes &first, const Lanes &count,
                    bool isFetched = false);

  /// Where row number `row` of the task begins in what other products of it make, or read.
  void moveLocals(Kernel &ofRow, const Lanes &row);
  /// What the epilogue of a row reads and writes of a panel.
  void fetchResults(const Lanes &row, const Lanes &panel);
  /// What the epilogues of all rows read of a panel's columns.
  void fetchFactors(const Lanes &panel);
  void fetchColumns(mlir::Value tensor, mlir::AffineMap map, llvm::ArrayRef<Lanes> rows,
                    const Lanes &panel);
  void emitResult(const Kernel &ofRow, llvm::MutableArrayRef<Lanes> values, const Lanes &panel,
                  int64_t v, llvm::ArrayRef<Lanes> sums);

  LaneBuilder &lanes;
  const Kernel &kernel;
  ContractOp op;
  FormulaOpInterface formula;
  const GemmPlan &plan;
  const Product &product;
  llvm::SmallVector<Lanes> indices; ///< of the batch
  Lanes sizeN, sizeK, numPanels;    ///< of one matrix
  Lanes matrix;                     ///< its number in the batch
  Lanes group, block;               ///< of its panels, and of the rows
  Lanes firstRow, numRows;          ///< the rows of this task, or of those that are listed
  Interval rowInterval;             ///< of all rows
  mlir::Value chosenRows;           ///< which of all rows are the task's, where data choose
  mlir::Value asksRows, askingRow;  ///< whether a row says which matrix is the task's, and which
  mlir::Value allSums, scratch;     ///< of all panels that are held, and of the one in hand
  Lanes panelWords;                 ///< of memory, before the panel in hand
  mlir::Value panelPointer;
  mlir::Value nextSteps; ///< of what is multiplied after the block in hand
  mlir::Value after;     ///< of what is multiplied after the task; null: of the next panel
  mlir::Value groupSums; ///< of codes, `[row][group]`
  mlir::Value halves;    ///< of one row as f32, `[step][part][first, second][word]`
  mlir::Value expanded;  ///< the steps of the block in hand, where they are made of others
  /// The rows' part of blocks of `k`, where it is made what is multiplied: so many words a row.
  struct Spread {
    mlir::Value rows;
    int64_t k, words;
    Lanes first; ///< of the block in hand
  };
  std::optional<Spread> spread;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_GEMMTASK_H
