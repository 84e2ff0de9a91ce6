//===- WgmmaAttentionTask.h - the code of attentions by groups of four warps ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// As MmaAttentionTask, with which it shares rows, scores, weights and results, in the order of
// FlashAttention 3 (Shah et al. 2024): of a tile of keys the scores are begun together with the
// products of the weights and values of the tile before, and become weights while these are under
// way. That goes on from one tile of rows to the next: the first scores of one are begun together
// with the last products of the other, whose results are then stored. Queries are in shared memory,
// weights in registers. The two groups may begin products in turns, so that one has scores in hand
// while the other multiplies.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_WGMMAATTENTIONTASK_H
#define WEFT_LIB_CODEGEN_GPU_WGMMAATTENTIONTASK_H

#include "MmaAttentionTask.h"
#include "TileBlock.h"
#include "WgmmaAttentionPlan.h"

#include "llvm/Support/SaveAndRestore.h"

namespace weft {

class WgmmaAttentionTask : MmaAttentionTask {
public:
  WgmmaAttentionTask(LaneBuilder &lanes, const Kernel &kernel, AttentionOp op,
                     const WgmmaAttentionPlan &plan)
      : MmaAttentionTask(lanes, kernel, op, plan), plan(plan), queries(plan.getQueries()),
        keys(plan.getKeys()), values(plan.getValues()), queue(plan.getQueueStart(), keys.readers) {}

  using MmaAttentionTask::getNumRows;
  using MmaAttentionTask::getNumTasks;
  Lanes getNumKeys() { return kernel.getExtent(lanes, keyIndex()); }
  void emit(mlir::ValueRange maps);

private:
  /// What scores read waits in registers: of more keys than these it is less at once beside the
  /// results of other rows.
  static constexpr int64_t kFewKeys = 64;
  static constexpr size_t kFewReads = 12;
  /// A tile of rows: its number, how many tiles of rows and of keys the block has had before.
  struct RowTile {
    Lanes number, rows, keys;
  };
  /// The tiles of keys of a tile of rows: the first key, how many, and what came before.
  struct Walk {
    Lanes first, count;
    RowTile tile;

    Lanes getEnd(LaneBuilder &lanes) const { return lanes.add(tile.keys, count); }
  };
  /// What is left to do of a tile of rows: products of its last weights and values, results.
  struct Pending {
    Lanes keys; ///< how many tiles of them the block has had, with those of these rows
    Lanes tile;
    State state;
    Values weights;

    Values flatten() const;
  };

  /// While it lives, what follows from the number of the thread is computed again: there are no
  /// registers to keep it beside sums.
  struct Again {
    explicit Again(WgmmaAttentionTask &task);
    llvm::SaveAndRestore<Lanes> lane, inGroup, warp;
  };

  Values forEachTile(bool copies, mlir::ValueRange inits, TileBody body);
  void setTile(const Lanes &tile) { setPlace(getPlace(lanes, getGrid(), tile)); }
  Walk beginTile(const RowTile &tile);
  void setReachOfAll();
  void emitCopies();
  void emitCopies(const Walk &walk);
  void copyQueries(const Lanes &number);
  void copyTile(const TileRing &ring, const MappedTensor &input, int64_t panels, mlir::Value map,
                const Lanes &key, const Lanes &number);

  void emitTiles();
  void setNumbers();
  void setRows();
  void fetchQueries(const Walk &walk);
  void storeQueries();
  Pending getPending(mlir::ValueRange carried);
  Pending emitRows(const RowTile &tile, const Pending &pending);
  Values emitFirst(const Walk &walk);
  Values emitNext(const Walk &walk, Pending pending);
  State emitLater(const Walk &walk, const State &state, Values &weights);
  void emitLast(Pending pending);
  Values beginScores(const Walk &walk, const Lanes &number);
  void endScores(const Walk &walk, const Lanes &number, mlir::Value isLast);
  mlir::Value isOnly(const Walk &walk);
  void waitForTile(Values &sums, mlir::ValueRange held, Values &next);
  void storePending(const Pending &pending);
  WarpBoxes getBoxes();
  void storeBoxes(const State &state);
  void fenceTile(Values &sums, Values &weights);
  void addTile(const Lanes &number, mlir::ValueRange weights, State &state);
  void meetGroup();
  void forGroup(llvm::function_ref<void(uint32_t group)> body);
  void takeTurn();
  void giveTurn();

  const WgmmaAttentionPlan &plan;
  TileRing queries, keys, values;
  TileQueue queue;
  TileBlock block;
  mlir::ValueRange maps; ///< of keys, values, and queries and results, if they have such
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_WGMMAATTENTIONTASK_H
