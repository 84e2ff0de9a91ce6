//===- MmaTask.h - the code of one tile of a product on matrix units ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_MMATASK_H
#define WEFT_LIB_CODEGEN_GPU_MMATASK_H

#include "CodeWords.h"
#include "MmaSchedule.h"
#include "ResultRows.h"
#include "SharedTile.h"

#include "weft/Codegen/Common/IndexLoops.h"

namespace weft {

/// What is known of a product before it is run.
struct MmaPlan {
  MmaPlan(ContractOp op, const MmaSchedule &schedule)
      : shape(*ChunkedProduct::matchAny(op)), schedule(schedule) {}

  /// Beside reals of a table threads read chunks of A.
  SharedTile getTileA() const {
    int64_t rows = schedule.tile[0], chunks = schedule.tile[2] / shape.getChunk();
    if (shape.codes && !shape.codes->isNumbers())
      return SharedTile::forPairsOfRows(rows, chunks);
    return {rows, chunks};
  }
  SharedTile getTileB() const {
    int64_t columns = schedule.tile[1], k = schedule.tile[2], chunk = shape.getChunk();
    if (shape.codes)
      return {columns, std::max<int64_t>(getCodeBytes() / kChunkBytes, 1)};
    if (!shape.transposed)
      return {columns, k / chunk};
    return {k, columns / chunk, /*spread=*/shape.isWide() ? 2 : 1};
  }
  /// Of codes: bytes of a column in a stage; and its groups of which each has words of its own,
  /// behind the tiles. Four neighbouring groups of numbers have one word.
  int64_t getCodeBytes() const { return schedule.tile[2] * shape.codes->getBits() / 8; }
  int64_t getNumGroups() const {
    return shape.codes->isNumbers() ? 1 : shape.codes->getGroupsOf(schedule.tile[2]);
  }
  int64_t getWordBytes() const {
    return shape.codes ? shape.codes->getNumWords() * getNumGroups() * schedule.tile[1] * 4 : 0;
  }
  int64_t getStageBytes() const {
    return getTileA().getBytes() + getTileB().getBytes() + getWordBytes();
  }
  /// Where words of groups are in a stage.
  int64_t getWords() const { return getTileA().getBytes() + getTileB().getBytes(); }
  /// Of a warp.
  int64_t getSumsBytes() const { return ResultRows::getBytes(schedule.getWarpColumns()); }
  /// The ring of stages, and after it sums; behind them the list of rows that choose the matrix.
  int64_t getRingBytes() const {
    return std::max(schedule.stages * getStageBytes(), kBlockSize / kWarpSize * getSumsBytes());
  }
  int64_t getListBytes() const { return shape.product.chosen ? 4 * schedule.tile[0] : 0; }
  int64_t getSharedBytes() const { return getRingBytes() + getListBytes(); }
  /// Steps along k that a part has.
  int64_t getPartSteps() const { return llvm::divideCeil(getSteps(), schedule.getSplits()); }
  int64_t getSteps() const { return llvm::divideCeil(shape.sizeK, schedule.tile[2]); }

  ChunkedProduct shape;
  MmaSchedule schedule;
};

/// Writes one task; all threads of a block are there.
class MmaTask {
public:
  MmaTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const MmaPlan &plan);

  Lanes getNumTasks();
  void emit(const Lanes &task);

  // Where each block has a part of k (MmaSplit.cpp).
  /// A result for each `width` neighbours, for what adds up the sums over parts.
  Lanes getNumSums();
  void addParts(const Lanes &number);

private:
  /// A chunk that this thread copies in every stage.
  struct Copy {
    mlir::Value source; ///< of the first stage
    Lanes target;       ///< in bytes from the start of the stage
    mlir::Value exists; ///< whether there are such rows or columns
    mlir::Value isOwn;  ///< whether the thread copies; null: all do
    Lanes firstK;       ///< in its tile
    Lanes stride;       ///< elements from one value of k to the next
  };
  /// The same of codes, or of a word of a group.
  struct CodeCopy {
    Lanes row;          ///< of the buffer, in bytes
    Lanes target;       ///< as above
    mlir::Value exists; ///< as above
    mlir::Value isOwn;  ///< as above
    Lanes firstK;       ///< in its tile
    std::optional<int64_t> word;
  };
  using Sums = llvm::SmallVector<mlir::Value>;

  void emitTile();
  // Rows that choose the matrix (MmaChoice.cpp).
  mlir::Value choosesMatrix(const Lanes &row);
  std::pair<mlir::Value, mlir::Value> addInWarp(mlir::Value own);
  std::pair<mlir::Value, mlir::Value> addInBlock(mlir::Value own);
  /// Lists those of the tile, whose rows are counted among them; returns whether there are any.
  mlir::Value listRows();
  mlir::Value getListPlace(const Lanes &inTile);
  Lanes getListed(const Lanes &inTile);

  // Copies (MmaCopies.cpp).
  void setTile(const Lanes &task);
  void addCopies(bool ofRows, llvm::SmallVectorImpl<Copy> &copies);
  Copy makeCopy(bool ofRows, const Lanes &row, const Lanes &chunk);
  void beginStage(llvm::ArrayRef<Copy> copies, const Lanes &step);
  mlir::Value existsInPart(const Lanes &k, const Lanes &step);
  /// A row of B, in bytes from its start.
  Lanes getPackedRow(const Lanes &column);
  const Buffer &getColumns() {
    return kernel.getBuffer(op.getInputs()[plan.shape.product.columns]);
  }
  // Codes (MmaCodeCopies.cpp).
  void addCodeCopies();
  void addCodeCopies(int64_t ofColumn, std::optional<int64_t> word);
  CodeCopy makeCodeCopy(const Lanes &number, int64_t ofColumn, std::optional<int64_t> word);
  void copyCodes(const CodeCopy &copy, const Lanes &stage, const Lanes &step);
  Lanes getColumn(int64_t block);
  Lanes getWordPlace(const Lanes &step, int64_t line, int64_t block);
  // Numbers (MmaNumbers.cpp).
  /// What a thread has of a column in a step; what turns a number into a whole number of 8 bits.
  struct NumbersOfColumn {
    llvm::SmallVector<mlir::Value> words;
    mlir::Value factor, start;
  };
  std::pair<Lanes, Lanes> getQuarter(int64_t bytes);
  NumbersOfColumn loadNumbers(const Lanes &step, int64_t block);
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> loadRowsOfNumbers(const Lanes &stage,
                                                                      int64_t more);
  Sums emitStepOfNumbers(const Lanes &step, mlir::ValueRange sums);
  // Reals (MmaCodes.cpp).
  llvm::SmallVector<mlir::Value> loadReals(const Lanes &step, int64_t k, int64_t block);
  mlir::Value loadCodeWord(const Lanes &step, int64_t k, int64_t block, const Lanes &offset);
  llvm::SmallVector<mlir::Value> loadRowsOfReals(const Lanes &stage, int64_t k);
  Sums emitStepOfReals(const Lanes &step, mlir::ValueRange sums);
  mlir::Value loadWord(const Lanes &step, int64_t k, int64_t block, int64_t word);
  mlir::Value loadShared(const Lanes &step, int64_t k, int64_t block, bool isShift);
  // Products.
  Lanes getStage(const Lanes &step);
  Sums emitLoop(llvm::ArrayRef<Copy> copies);
  Sums emitStep(const Lanes &step, mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> loadRows(const Lanes &stage, int64_t k);
  llvm::SmallVector<mlir::Value> loadColumns(const Lanes &stage, int64_t k);
  llvm::SmallVector<mlir::Value> loadAcross(const Lanes &start, int64_t k);
  void multiply(mlir::ValueRange a, mlir::ValueRange b, Sums &sums);
  void multiplyWide(mlir::ValueRange a, mlir::ValueRange b, Sums &sums);
  void emitResults(mlir::ValueRange sums);
  /// The sums over a part, from one place on.
  mlir::Value getPartSums(const Lanes &part, const Lanes &row, const Lanes &column);

  mlir::Value getShared(const Lanes &offset);
  int64_t getNumA() const { return plan.schedule.getWarpRows() / kMmaRows; }
  int64_t getNumB() const { return plan.schedule.getWarpColumns() / kMmaColumns; }

  LaneBuilder &lanes;
  const Kernel &kernel;
  ContractOp op;
  const MmaPlan &plan;
  Lanes sizeM, sizeN; ///< of one matrix
  Lanes thread, lane, warpRow, warpColumn;
  llvm::SmallVector<Lanes> indices; ///< those of the batch are set
  Lanes batch;                      ///< the number of the matrix
  Lanes firstRow, firstColumn;      ///< of the tile
  Lanes part;                       ///< of k
  Lanes firstStep, endStep;         ///< of the part
  mlir::Value memory;
  llvm::SmallVector<CodeCopy> codeCopies;
  std::optional<CodeWords> words; ///< what codes of a table stand for
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_MMATASK_H
