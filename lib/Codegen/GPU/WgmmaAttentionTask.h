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
// way. Queries are in shared memory, weights in registers. The two groups begin products in turns,
// so that one has scores in hand while the other multiplies.
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
      : MmaAttentionTask(lanes, kernel, op, plan), plan(plan), keys(plan.getKeys()),
        values(plan.getValues()) {
    polynomials = plan.tile.polynomials.value_or(0);
  }

  using MmaAttentionTask::getNumRows;
  using MmaAttentionTask::getNumTasks;
  void emit(mlir::ValueRange maps);

private:
  /// The tiles of keys of a tile of rows: the first key, how many, and the number of the first.
  struct Walk {
    Lanes first, count, number;
  };

  /// While it lives, what follows from the number of the thread is computed again: there are no
  /// registers to keep it beside sums.
  struct Again {
    explicit Again(WgmmaAttentionTask &task);
    llvm::SaveAndRestore<Lanes> lane, inGroup, warp;
  };

  void forEachTile(llvm::function_ref<Lanes(const TilePlace &place, const Lanes &number)> body);
  Walk beginTile(const TilePlace &place, const Lanes &number);
  void setReachOfAll();
  void emitCopies(mlir::ValueRange maps);
  void copyTile(const TileRing &ring, const MappedTensor &input, int64_t panels, mlir::Value map,
                const Lanes &key, const Lanes &number);

  void emitTiles();
  void setNumbers();
  void setRows();
  void storeQueries();
  State emitWalk(const Walk &walk);
  State emitLater(const Walk &walk, const State &state, Values &weights);
  Values beginScores(const Lanes &number);
  void waitForTile(Values &sums, mlir::ValueRange held, Values &next);
  void fenceTile(Values &sums, Values &weights);
  void addTile(const Lanes &number, mlir::ValueRange weights, State &state);
  void meetGroup();
  void forGroup(llvm::function_ref<void(uint32_t group)> body);
  void takeTurn();
  void giveTurn();

  const WgmmaAttentionPlan &plan;
  TileRing keys, values;
  TileBlock block;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_WGMMAATTENTIONTASK_H
