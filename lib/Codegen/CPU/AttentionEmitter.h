//===- AttentionEmitter.h - streaming attention ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A task computes a block of queries for fixed outer indices (a head). For each block of keys it
// packs the keys transposed and the values row-major onto the stack, once for all its queries.
// Then for each tile of rows:
//   1. scores: a register tile product of queries and packed keys, into a small buffer;
//   2. the score and predicate regions, vectorised over keys, and the exponentials relative to
//      the running maximum (in powers of two, so scores are multiplied by log2(e));
//   3. results: a register tile product of these weights and the packed values, added to the sums
//      so far, which are scaled when the maximum has grown.
// Tiles outside the bounds of the keys are skipped, tiles inside for every row run without masks.
// Rows past the end repeat the last query; their results are not stored.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_ATTENTIONEMITTER_H
#define WEFT_LIB_CODEGEN_CPU_ATTENTIONEMITTER_H

#include "AttentionPlan.h"
#include "Emitters.h"

namespace weft {

inline constexpr float kLog2E = 1.44269504088896340736f;

class AttentionEmitter : public KernelEmitter {
public:
  AttentionEmitter(AttentionOp op, LoweringAttr lowering)
      : op(op), formula(op), plan(op, lowering) {}

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override;
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override;

private:
  struct State {
    llvm::SmallVector<Lanes> indices; ///< the outer indices
    Lanes firstQuery, numRows;        ///< the rows of this task
    Lanes numKeys;
    Lanes lower, upper; ///< the keys that some row can reach
    llvm::SmallVector<mlir::Value> queries, keys;
    mlir::Value values, scores, sums, largest, total, scale, lowers, uppers;
  };

  /// The keys that some row and that every row of a tile can reach.
  struct Reach {
    Lanes someLower, someUpper, allLower, allUpper;
  };

  IndexAttr keyIndex();
  bool hasBounds();
  Lanes getNumQueries(LaneBuilder &lanes, const Kernel &kernel);
  Lanes getNumBlocks(LaneBuilder &lanes, const Kernel &kernel);
  State makeState(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task);
  /// The indices of a row of the block; rows past the end are the last one.
  llvm::SmallVector<Lanes> getRowIndices(LaneBuilder &lanes, const Kernel &kernel,
                                         const State &state, const Lanes &row);
  void setIndices(LaneBuilder &lanes, const Kernel &kernel, llvm::ArrayRef<unsigned> positions,
                  const Lanes &position, llvm::SmallVector<Lanes> &values);
  mlir::Value loadScalar(LaneBuilder &lanes, mlir::Value pointer, const Lanes &position,
                         mlir::Type type);
  void storeScalar(LaneBuilder &lanes, mlir::Value pointer, const Lanes &position,
                   mlir::Value value);
  /// The number of rows, rounded up to whole tiles.
  Lanes getPaddedRows(LaneBuilder &lanes, const State &state);
  void forRows(LaneBuilder &lanes, const Lanes &count,
               llvm::function_ref<void(const Lanes &)> body);
  /// The bounds of the keys of every row, and of all rows together.
  void emitBounds(LaneBuilder &lanes, const Kernel &kernel, State &state);
  void clearSums(LaneBuilder &lanes, const State &state);
  void emitKeyBlock(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                    const Lanes &block);
  void storeResults(LaneBuilder &vectors, const Kernel &kernel, const State &state);

  // Packing.
  /// Queries become rows of contracted elements, scaled.
  void packQueries(LaneBuilder &lanes, const Kernel &kernel, State &state);
  /// The indices of a key of the block; keys past the end are the last one, masked later.
  Lanes clampKey(LaneBuilder &lanes, const State &state, const Lanes &key);
  bool isContiguous(unsigned input, llvm::ArrayRef<unsigned> positions);
  /// Keys become `[contracted][key]`.
  void packKeys(LaneBuilder &lanes, const Kernel &kernel, const State &state, unsigned dot,
                const Lanes &block, const Lanes &padded);
  /// One contracted element of `width` keys.
  mlir::Value loadKeys(LaneBuilder &lanes, const Kernel &kernel, const State &state, unsigned dot,
                       const Lanes &key, llvm::SmallVector<Lanes> indices);
  /// Values become `[key][column]`, padded with zeros.
  void packValues(LaneBuilder &lanes, const Kernel &kernel, const State &state, const Lanes &block,
                  const Lanes &padded);

  // A tile of rows and a block of keys.
  Reach getReach(LaneBuilder &lanes, const State &state, const Lanes &row);
  void emitTile(LaneBuilder &lanes, const Kernel &kernel, const State &state, const Lanes &row,
                const Lanes &block, const Lanes &padded);
  void emitReachedTile(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                       const Lanes &row, const Lanes &block, const Lanes &padded,
                       const Reach &reach);
  void emitChoice(LaneBuilder &lanes, mlir::Value condition, llvm::function_ref<void()> yes,
                  llvm::function_ref<void()> no);
  std::pair<mlir::Value, mlir::Value> loadBounds(LaneBuilder &lanes, const State &state,
                                                 const Lanes &row);
  mlir::Value getScores(LaneBuilder &lanes, const State &state, int64_t dot, const Lanes &r);
  /// scores[dot][row][key] = scaled dot products.
  void emitScores(LaneBuilder &lanes, const State &state, const Lanes &row, const Lanes &padded);
  /// Turns the scores of one row into weights relative to the running maximum.
  void emitRowWeights(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                      const Lanes &tile, const Lanes &r, const Lanes &block, const Lanes &padded,
                      bool masked);
  /// The scores of some keys, in units of log2(e); minus infinity (or 0, if they are not
  /// normalised) where the predicate fails.
  mlir::Value emitScore(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                        const Lanes &row, const Lanes &r, const Lanes &block, const Lanes &position,
                        bool masked);
  /// The keys within the bounds of a row.
  mlir::Value emitKeyMask(LaneBuilder &lanes, const State &state, const Lanes &row,
                          const Lanes &key);
  /// sums[row][column] = scale * sums + weights * values.
  void emitSums(LaneBuilder &lanes, const State &state, const Lanes &row, const Lanes &padded);
  void emitSumTile(LaneBuilder &lanes, const State &state, const Lanes &row, const Lanes &padded,
                   mlir::Value column, int64_t numVectors);

  AttentionOp op;
  FormulaOpInterface formula;
  AttentionPlan plan;
};

} // namespace weft

#endif
