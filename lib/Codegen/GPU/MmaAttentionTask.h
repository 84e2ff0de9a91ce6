//===- MmaAttentionTask.h - the code of one block of rows of an attention ------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A task is a block of rows (queries, or heads of a query that share keys) for fixed outer indices.
// Each warp has 16 of them, each of its threads parts of two (Fragment.h): queries, running maxima
// and sums are in its registers. For each tile of keys that some row of the block reaches:
//   1. scores: `nvx.mma` of queries and the keys in shared memory, while values are copied there;
//   2. the score and predicate regions on a thread's pairs of scores, powers of two relative to the
//      running maximum; masks only where the tile is not within the bounds of all rows of the warp
//      (MmaAttentionScores.cpp);
//   3. results: `nvx.mma` of these weights, as 16 bits in registers, and the values, while the next
//      keys are copied (MmaAttentionCopies.cpp).
// Rows past the end repeat the last one; their results are not stored.
//
// Tiles begin at multiples of their size, so a row's bits do not depend on the rows beside it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_MMAATTENTIONTASK_H
#define WEFT_LIB_CODEGEN_GPU_MMAATTENTIONTASK_H

#include "MmaAttentionPlan.h"
#include "TileOrder.h"

#include "weft/Codegen/Common/AttentionRows.h"
#include "weft/Codegen/Common/RegionEmitter.h"

namespace weft {

class MmaAttentionTask {
public:
  MmaAttentionTask(LaneBuilder &lanes, const Kernel &kernel, AttentionOp op,
                   const MmaAttentionPlan &plan)
      : lanes(lanes), kernel(kernel), op(op), formula(op), plan(plan),
        sharing(lanes, kernel, op, plan.roles) {}

  Lanes getNumTasks();
  void emit(const Lanes &task);

protected:
  using Values = llvm::SmallVector<mlir::Value>;
  /// One of the two rows of a thread.
  struct Row {
    Lanes number; ///< may be past the end
    llvm::SmallVector<Lanes> indices;
    Lanes lower, upper; ///< of its keys
  };
  /// What a loop over tiles carries: sums of weighted values, and for each row the largest score
  /// and the sum of weights, if there are such.
  struct State {
    Values sums, largest, totals;
    Values scales;       ///< what sums have to be multiplied with: those of a tile, not carried
    bool isNone = false; ///< sums and totals are 0: nothing has to be multiplied

    Values flatten() const;
    static State from(mlir::ValueRange carried, size_t numSums);
  };

  // Rows.
  IndexAttr keyIndex() { return formula.getIndexAttr(op.getKeyIndex()); }
  Lanes getNumRows();
  Lanes getNumBlocks();
  TileGrid getGrid();
  void setPlace(const TilePlace &place);
  llvm::SmallVector<Lanes> getRowIndices(const Lanes &number);

  // Keys that rows reach (MmaAttentionBounds.cpp).
  void setBounds(Row &row);
  /// The least lower and the largest upper bound of a thread's rows.
  struct Reach {
    mlir::Value lower, upper;
  };
  void addReach(const Row &row, Reach &reach);
  Lanes overLanes(mlir::Value bound, ReduceKind kind);
  void setReach();
  /// Where the first tile of so many keys begins.
  Lanes getFirstKey(int64_t keys);
  void setReachOfWarp();
  void setBlockReach(mlir::Value lower, mlir::Value upper);

  // Copies (MmaAttentionCopies.cpp).
  void beginCopies(const AttentionFactor &factor, const Lanes &tile);
  void copyChunk(const AttentionFactor &factor, const Lanes &tile, const Lanes &number,
                 int64_t skip);
  mlir::Value getAddress(const AttentionFactor &factor, llvm::ArrayRef<Lanes> ofRow,
                         const Lanes &element);
  mlir::Value loadElement(mlir::Value address);
  Values loadQueries();
  Values loadStep(int64_t step, const Lanes &skip);
  mlir::Value getParked(int64_t step);
  /// A matrix of A, of those in registers or in shared memory.
  Values getQueries(mlir::ValueRange held, int64_t step);
  mlir::Value loadQueryWord(const Row &row, const Lanes &element, bool isWhole);

  // Tiles.
  State getNoState();
  State emitLoop(mlir::ValueRange queries);
  State emitTile(const Lanes &tile, mlir::ValueRange queries, State state);
  Values emitScores(mlir::ValueRange queries);
  void addScores(int64_t step, const Lanes &skip, mlir::ValueRange a, Values &scores);
  void addValues(mlir::ValueRange weights, State &state);
  /// Of f32: the factor B of eight keys and columns.
  Values loadWideValues(int64_t step, int64_t column);
  void addWide(mlir::ValueRange a, mlir::ValueRange b, llvm::MutableArrayRef<mlir::Value> sums);

  // Scores (MmaAttentionScores.cpp).
  /// What scores are multiplied with to be exponents of two.
  float getFactor();
  bool isPlain();
  /// Whether scores depend on more than their product.
  bool readsMore() { return op.getInputs().size() > 2 * op.getDots() + 1; }
  Values finishScores(const Lanes &tile, mlir::ValueRange scores);
  Values emitRegions(const Lanes &tile, mlir::ValueRange scores, bool masked);
  Values emitRegion(const Row &row, const Lanes &key, mlir::ValueRange scores, bool masked);
  /// Weights as a factor A: of 16 bits in pairs; of f32 in an order of keys of their own.
  Values emitWeights(mlir::ValueRange scores, State &state);
  Values emitRealWeights(mlir::ValueRange scores, State &state);
  Values emitExponentials(int64_t half, mlir::ValueRange scores, State &state);
  mlir::Value emitLargest(mlir::Value score);
  Values emitPowers(mlir::ValueRange scores, mlir::Value largest);
  /// Whether the logarithm of the sum of weights is a result, for which exponents must be those of
  /// scores, however far they are.
  bool hasRowSum() { return formula.getNumOutputs() > 1; }
  /// Whether the weights of a row are added up.
  bool hasTotals() { return plan.roles.normalized || hasRowSum(); }
  void rescale(State &state);
  void rescaleChanged(State &state);
  /// The result of `combine` over the four threads of a row.
  mlir::Value overRow(mlir::Value value, ReduceKind kind);

  // Results (MmaAttentionResults.cpp).
  /// Of one of the thread's rows: the sum of its weights, and what sums are multiplied with; none,
  /// if weights are no softmax.
  struct Total {
    mlir::Value sum, factor;
  };
  Total getTotal(int64_t half, const State &state);
  void forExisting(const Row &row, llvm::function_ref<void()> body);
  void storeResults(const State &state);
  void storeRow(int64_t half, mlir::ValueRange sums, mlir::Value factor);
  void storeRowSum(const Row &row, mlir::Value largest, mlir::Value total);

  LaneBuilder &lanes;
  const Kernel &kernel;
  AttentionOp op;
  FormulaOpInterface formula;
  const MmaAttentionPlan &plan;
  AttentionRows sharing; ///< rows with the same keys

  /// Scores that a thread finishes before others; of those that read more than queries and keys.
  static constexpr size_t kScoresAtOnce = 16;
  size_t readsAtOnce = kScoresAtOnce;
  Lanes thread, lane, inGroup;
  llvm::SmallVector<Lanes> outer; ///< the outer indices
  Lanes firstRow, numKeys;
  Row rows[2];
  Lanes lower, upper;       ///< keys that some row of the block reaches
  Lanes allLower, allUpper; ///< that all rows of the warp reach
  mlir::Value memory;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_MMAATTENTIONTASK_H
