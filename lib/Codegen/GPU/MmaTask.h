//===- MmaTask.h - the code of one tile of a product on matrix units ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_MMATASK_H
#define WEFT_LIB_CODEGEN_GPU_MMATASK_H

#include "MmaSchedule.h"
#include "ResultRows.h"
#include "SharedTile.h"

#include "weft/Codegen/Common/IndexLoops.h"

namespace weft {

/// What is known of a product before it is run.
struct MmaPlan {
  MmaPlan(ContractOp op, const MmaSchedule &schedule)
      : shape(*ChunkedProduct::match(op)), schedule(schedule) {}

  SharedTile getTileA() const { return {schedule.tile[0], schedule.tile[2] / shape.getChunk()}; }
  SharedTile getTileB() const {
    int64_t columns = schedule.tile[1], k = schedule.tile[2], chunk = shape.getChunk();
    if (!shape.transposed)
      return {columns, k / chunk};
    return {k, columns / chunk, /*spread=*/shape.isWide() ? 2 : 1};
  }
  int64_t getStageBytes() const { return getTileA().getBytes() + getTileB().getBytes(); }
  /// Of a warp.
  int64_t getSumsBytes() const { return ResultRows::getBytes(schedule.getWarpColumns()); }
  /// The ring of stages, and after it sums.
  int64_t getSharedBytes() const {
    return std::max(schedule.stages * getStageBytes(), kBlockSize / kWarpSize * getSumsBytes());
  }
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
    Lanes firstK;       ///< in its tile
    Lanes stride;       ///< elements from one value of k to the next
  };
  using Sums = llvm::SmallVector<mlir::Value>;

  // Copies (MmaCopies.cpp).
  void setTile(const Lanes &task);
  void addCopies(bool ofRows, llvm::SmallVectorImpl<Copy> &copies);
  Copy makeCopy(bool ofRows, const Lanes &row, const Lanes &chunk);
  void beginStage(llvm::ArrayRef<Copy> copies, const Lanes &step);
  // Products.
  Lanes getStage(const Lanes &step);
  Sums emitLoop(llvm::ArrayRef<Copy> copies);
  Sums emitStep(const Lanes &step, mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> loadRows(const Lanes &stage, int64_t k);
  llvm::SmallVector<mlir::Value> loadColumns(const Lanes &stage, int64_t k);
  llvm::SmallVector<mlir::Value> loadAcross(const Lanes &start, int64_t k);
  void multiply(mlir::ValueRange a, mlir::ValueRange b, Sums &sums);
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
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_MMATASK_H
