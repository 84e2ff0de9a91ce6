//===- DecodeTask.h - the code of one part of the keys of few queries ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_DECODETASK_H
#define WEFT_LIB_CODEGEN_GPU_DECODETASK_H

#include "DecodePlan.h"

#include "weft/Codegen/Common/RegionEmitter.h"

namespace weft {

/// What both kernels of an attention of few queries know: which rows there are, and where parts of
/// their results lie in between.
class DecodeRows {
public:
  DecodeRows(LaneBuilder &lanes, const Kernel &kernel, AttentionOp op, const DecodePlan &plan)
      : lanes(lanes), kernel(kernel), op(op), formula(op), plan(plan) {}

  /// Combinations of a query and heads that share keys.
  Lanes getNumGroups();

protected:
  using Values = llvm::SmallVector<mlir::Value>;

  void setGroup(const Lanes &number);
  llvm::SmallVector<Lanes> getRowIndices(const Lanes &head);
  llvm::SmallVector<Lanes> getRowIndices(int64_t head) {
    return getRowIndices(lanes.constant(head));
  }
  IndexAttr keyIndex() { return formula.getIndexAttr(op.getKeyIndex()); }
  /// A row, and the keys that it reaches.
  struct Row {
    llvm::SmallVector<Lanes> indices;
    Lanes lower, upper;
  };
  /// The rows of a group, the keys that some of them reaches, and how many of these a split has.
  struct Reach {
    llvm::SmallVector<Row> rows;
    Lanes least, most, ofSplit;
  };
  Row getRow(llvm::SmallVector<Lanes> indices);
  Reach getReach();
  /// The partial results of a row, of all splits, one behind the other.
  mlir::Value getPartials(const Lanes &row);
  /// Finishes a row: `column` is that of this thread, if it has one.
  void storeResults(int64_t head, const Lanes &column, mlir::Value sum, mlir::Value largest,
                    mlir::Value total);

  LaneBuilder &lanes;
  const Kernel &kernel;
  AttentionOp op;
  FormulaOpInterface formula;
  const DecodePlan &plan;
  llvm::SmallVector<Lanes> group; ///< indices of the rows, without that of the head

private:
  llvm::SmallVector<Lanes> getExtents();
  void storeRowSum(int64_t head, mlir::Value largest, mlir::Value total);
};

/// A part of the keys.
class DecodePart : public DecodeRows {
public:
  using DecodeRows::DecodeRows;

  Lanes getNumTasks() { return lanes.mul(getNumGroups(), lanes.constant(plan.schedule.splits)); }

protected:
  void setTask(const Lanes &task);
  void setReach();
  /// Does that where this split has keys; who combines splits does not look at others.
  void ifKeys(llvm::function_ref<void()> body);
  /// The number of a key, and whether this split has it; one that it has stands for others.
  std::pair<Lanes, mlir::Value> getKey(const Lanes &number);
  llvm::SmallVector<Lanes> getKeyIndices(const Lanes &key);
  /// A score of the product, in units of log2(e), as weights are powers of two.
  mlir::Value finishScore(const Row &row, const Lanes &key, mlir::Value exists, mlir::Value dot);
  /// Combines what the warps left of a row, the first at `start`, and stores that.
  void combineRow(int64_t head, mlir::Value memory, int64_t start, int64_t stride);

  Lanes split, groupNumber, thread, lane, warp, numKeys;
  llvm::SmallVector<Row> rows; ///< of all heads
  Lanes first, end;            ///< of this split, that some row reaches

private:
  bool isPlain() const { return plan.roles.plainScore; }
  void storePart(int64_t head, const Lanes &column, mlir::Value sum, mlir::Value largest,
                 mlir::Value total);
};

/// The same by threads, each of which has a part of a key and of its value.
class DecodeTask : public DecodePart {
public:
  using DecodePart::DecodePart;

  void emit(const Lanes &task);

private:
  /// Of each row, in every thread: its part of the sums of values; the same in all that share keys:
  /// the largest score so far, in units of log2(e), and the sum of weights.
  struct State {
    llvm::SmallVector<Values> sums; ///< vectors
    Values largest, totals;

    Values flatten() const;
    State like(mlir::ValueRange carried) const;
  };

  LaneBuilder of(const DecodeFactor &factor) { return lanes.withWidth(factor.width); }
  /// The vectors of a row of a factor that this thread has; those that the row lacks are 0 if
  /// `cleared`.
  Values load(const DecodeFactor &factor, llvm::ArrayRef<Lanes> indices, bool cleared);
  State emitLoop();
  State emitStep(const Lanes &first, State state);
  /// The scores of a row for the keys of this thread.
  mlir::Value emitScore(int64_t head, mlir::ValueRange keys, const Lanes &key, mlir::Value exists);
  void addKeys(int64_t head, mlir::ValueRange scores, llvm::ArrayRef<Values> values, State &state);
  // From threads to the block (DecodeResults.cpp).
  void combineSlots(State &state);
  void combineWarps(const State &state);
  void storeWarp(int64_t head, const State &state, mlir::Value memory);

  Lanes inKey, slot;
  llvm::SmallVector<Values> queries; ///< of each row
};

/// Combines the parts of a row.
class DecodeCombine : public DecodeRows {
public:
  using DecodeRows::DecodeRows;

  Lanes getNumTasks() { return lanes.mul(getNumGroups(), lanes.constant(plan.schedule.heads)); }
  void emit(const Lanes &task);

private:
  Lanes getNumParts();
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_DECODETASK_H
