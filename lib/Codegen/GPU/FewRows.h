//===- FewRows.h - products of few rows with a weight ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A block has some columns, and all rows. Some of its warps share the k of a few columns: a thread
// reads pieces of codes or f32 that its neighbours' lie beside, the elements of the rows that
// belong to them once for all its columns, and has a sum for each row and column in registers. What
// threads found is added up through shared memory, always in the same order.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_FEWROWS_H
#define WEFT_LIB_CODEGEN_GPU_FEWROWS_H

#include "CodeWords.h"
#include "ColumnBlock.h"

namespace weft {

struct FewRowsSchedule {
  int64_t rows = 1;    ///< of the product, at most
  int64_t columns = 1; ///< that a thread has
  int64_t warps = 1;   ///< that share the k of their columns
  int64_t bytes = 4;   ///< of a column that a thread reads at once

  template <typename Fields> void visit(Fields &fields) {
    fields("rows", rows);
    fields("columns", columns);
    fields("warps", warps);
    fields("bytes", bytes);
  }
  void check(ScheduleRules &rules, ContractOp op) const;
};

/// The schedule of a product of at most `mostRows` rows; null for others.
LoweringAttr chooseFewRows(ContractOp op, int64_t mostRows = INT64_MAX);
/// The most rows of such a product. It is chosen for fewer of numbers, of which matrix units
/// expand four at once, and of f32 for large weights and more than warps of their own read one for.
inline constexpr int64_t kMostFewRows = 8, kMostFewNumbers = 4, kRowsOfWarps = 2;
/// Elements of a weight that takes longer to be read than a kernel to be launched.
inline constexpr int64_t kLargeWeight = 1 << 16;

/// What is known of a product before it is run.
struct FewRowsPlan {
  FewRowsPlan(ContractOp op, const FewRowsSchedule &schedule)
      : shape(*ChunkedProduct::match(op)), schedule(schedule) {}

  /// Whether codes are numbers of 4 bits with a factor and a zero of a group.
  bool isNumbers() const { return shape.codes && shape.codes->isNumbers(); }
  /// Values of k of a piece, and pieces of a column.
  int64_t getDepth() const { return schedule.bytes * 8 / getBits(shape); }
  static int64_t getBits(const ChunkedProduct &shape) {
    return shape.codes ? shape.codes->getBits() : 8 * shape.getBytes();
  }
  int64_t getPieces() const { return shape.sizeK / getDepth(); }
  /// Threads that share columns, and such groups of a block.
  int64_t getThreads() const { return schedule.warps * kWarpSize; }
  int64_t getGroups() const { return kBlockSize / getThreads(); }
  int64_t getColumns() const { return getGroups() * schedule.columns; }
  // Of numbers of 4 bytes in shared memory (FewRowsResults.cpp): who adds up a column, from a
  // column of a thread to its next one, all that threads found for a row, and all results.
  int64_t getAdders() const;
  int64_t getStride() const;
  int64_t getNumFound() const { return schedule.columns * getStride(); }
  int64_t getNumTotals() const { return schedule.rows * getColumns(); }
  const CodeTableInfo &getInfo() const { return infoOf(shape.codes->getTable()); }
  CodeShift getShift() const {
    return !shape.codes || isNumbers() ? CodeShift::None : getInfo().shift;
  }

  ChunkedProduct shape;
  FewRowsSchedule schedule;
};

/// Writes one task; all threads of a block are there.
class FewRowsTask : public ColumnBlock {
public:
  FewRowsTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const FewRowsPlan &plan);

  void emit(const Lanes &task);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// What a thread has of a row in a step: numbers, or words of four bytes; and what they add up
  /// to, where that is needed.
  struct RowPiece {
    Values elements;
    mlir::Value sum;
  };
  /// The same of a column: words, or f32; the scale and the shift of a group of codes, or its
  /// factor and that times its zero, less than 0.
  struct ColumnPiece {
    Values words;
    mlir::Value scale, shift;
  };

  Lanes getFirstColumn(const Lanes &number);
  void setPointers();
  Values emitSteps();
  /// `exists` is null if all threads have such a piece.
  Values emitStep(const Lanes &piece, mlir::Value exists, mlir::ValueRange sums);
  RowPiece loadRow(mlir::Value row, const Lanes &k, mlir::Value exists);
  ColumnPiece loadColumn(mlir::Value column, const Lanes &k);
  mlir::Value loadShared(mlir::Value column, const Lanes &group, bool isShift);
  // Products (FewRowsProducts.cpp).
  void prepareRow(RowPiece &row);
  void multiply(llvm::ArrayRef<RowPiece> rows, const ColumnPiece &column,
                llvm::MutableArrayRef<mlir::Value> sums);
  mlir::Value addReals(const RowPiece &row, mlir::ValueRange numbers, const ColumnPiece &column,
                       mlir::Value sum);
  mlir::Value addNumbers(const RowPiece &row, mlir::ValueRange codes, const ColumnPiece &column,
                         mlir::Value sum);
  // From threads to results (FewRowsResults.cpp).
  void emitResults(mlir::ValueRange sums);
  void addUp(int64_t row, mlir::Value found, mlir::Value totals);
  void storeResult(const Lanes &number, mlir::Value sum);

  const FewRowsPlan &plan;
  std::optional<CodeWords> words; ///< of codes that are reals
  Lanes thread, inGroup, group;   ///< the last two: of threads that share columns
  Values rows, columns;           ///< pointers to their first elements
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_FEWROWS_H
