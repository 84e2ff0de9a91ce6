//===- FewRowsMma.h - products of few rows of 16 bits on matrix units -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A weight of 16 bits is read once, from memory into the registers of `nvx.mma`, whose A it is:
// sixteen of its rows, which are columns of the result. The rows of the product are columns of B.
// What is summed over may have any order, if both factors have the same: so a thread reads 16 bytes
// side by side of each, and of these two steps of the units are fed. Some warps share the k of
// their columns; what they found is added up through shared memory, always in the same order,
// which does not depend on the number of rows.
//
// Of a weight that has its columns side by side a thread reads some neighbours of eight k, which
// change places in registers (FewRowsMmaAcross.cpp): then it has eight k of some columns, too.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_FEWROWSMMA_H
#define WEFT_LIB_CODEGEN_GPU_FEWROWSMMA_H

#include "ColumnBlock.h"

namespace weft {

struct FewRowsMmaSchedule {
  int64_t rows = 1;           ///< of the product, at most
  int64_t columns = kMmaRows; ///< that a warp has
  int64_t warps = 1;          ///< that share the k of their columns
  int64_t steps = 4;          ///< of 32 values of k that a warp reads before it multiplies any
  int64_t blocks = 1;         ///< that a processor should hold, at least

  template <typename Fields> void visit(Fields &fields) {
    fields("rows", rows);
    fields("columns", columns);
    fields("warps", warps);
    fields("steps", steps);
    fields("blocks", blocks);
  }
  void check(ScheduleRules &rules, ContractOp op) const;
};

/// The most rows of such a product: columns of two B.
inline constexpr int64_t kMostRowsOfUnits = 2 * kMmaColumns;

/// The schedule of a product of at most `mostRows` rows; null for others.
LoweringAttr chooseFewRowsMma(ContractOp op, int64_t mostRows = INT64_MAX);

/// What is known of a product before it is run.
struct FewRowsMmaPlan {
  FewRowsMmaPlan(ContractOp op, const FewRowsMmaSchedule &schedule)
      : shape(*ChunkedProduct::match(op)), schedule(schedule) {}

  /// Values of k of a step: four threads have 16 bytes each.
  static constexpr int64_t kStepDepth = 4 * kChunk;
  /// Matrices B, and A.
  int64_t getRowTiles() const { return int64_t(llvm::divideCeil(schedule.rows, kMmaColumns)); }
  int64_t getColumnTiles() const { return schedule.columns / kMmaRows; }
  /// Columns of a block, of which each group of warps has some.
  int64_t getGroups() const { return kBlockSize / kWarpSize / schedule.warps; }
  int64_t getColumns() const { return getGroups() * schedule.columns; }
  /// Columns of which a thread has words of A.
  int64_t getOwnColumns() const { return schedule.columns * 4 / kWarpSize; }
  /// Sums of a warp in shared memory, row by row: so far from each other that what a thread writes
  /// and its neighbours' lie in different banks.
  int64_t getRowOfSums() const { return schedule.columns + 4; }
  int64_t getSumsOfWarp() const { return getRowTiles() * kMmaColumns * getRowOfSums(); }
  int64_t getSumsOfBlock() const { return getSumsOfWarp() * kBlockSize / kWarpSize; }

  ChunkedProduct shape;
  FewRowsMmaSchedule schedule;
};

/// Writes one task; all threads of a block are there.
class FewRowsMmaTask : public ColumnBlock {
public:
  FewRowsMmaTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op,
                 const FewRowsMmaPlan &plan);

  void emit(const Lanes &task);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// Steps that a warp reads at once: where the first begins, how far apart they are, and how many.
  /// Some threads may not have the last one.
  struct Turn {
    Lanes k;
    int64_t distance, count;
    bool endsWithin;
  };

  Lanes getWarpColumn();
  void setPointers();
  Values emitSteps();
  Values emitTurn(const Turn &turn, mlir::ValueRange before);
  /// Where the thread's values of k are behind its first ones, and whether there are such; null if
  /// there are.
  std::pair<Lanes, mlir::Value> getOwnK(const Turn &turn, int64_t step);
  llvm::SmallVector<Values> load(mlir::ValueRange pointers, const Turn &turn, int64_t step);
  void multiply(mlir::ArrayRef<Values> ofColumns, mlir::ArrayRef<Values> ofRows, Values &sums);
  // Columns that lie side by side (FewRowsMmaAcross.cpp).
  void setPointersAcross();
  llvm::SmallVector<Values> loadAcross(const Turn &turn, int64_t step);
  llvm::SmallVector<Values> turnAcross(mlir::ArrayRef<Values> ofValues);
  Lanes getMatrixRow(const Lanes &column);
  // From warps to results (FewRowsMmaResults.cpp).
  void emitResults(mlir::ValueRange sums);
  mlir::Value addUp(const Lanes &row, const Lanes &inBlock, mlir::Value found);
  Lanes getPlace(const Lanes &warp, const Lanes &row, const Lanes &column);

  const FewRowsMmaPlan &plan;
  Lanes thread, lane, warp; ///< of the block, of the warp; and its warp
  Values rows, columns;     ///< pointers to what the thread has of their first step
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_FEWROWSMMA_H
