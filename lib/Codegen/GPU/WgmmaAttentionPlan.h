//===- WgmmaAttentionPlan.h - the tiles of an attention by groups of four warps -------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_WGMMAATTENTIONPLAN_H
#define WEFT_LIB_CODEGEN_GPU_WGMMAATTENTIONPLAN_H

#include "MmaAttentionPlan.h"
#include "TensorMap.h"
#include "TileEmitter.h"
#include "TileQueue.h"
#include "WarpBoxes.h"

namespace weft {

/// A tile of the output is 128 rows, 64 for each of the groups that compute.
struct WgmmaAttentionSchedule {
  int64_t keys = 16;  ///< of a tile: a multiple of 16
  int64_t stages = 2; ///< tiles of keys, and as many of values, in shared memory
  int64_t width = 1;  ///< neighbouring results that a thread writes at once
  bool turns = false; ///< groups begin products in turns
  /// Tiles of queries in shared memory, which are copied there; none: threads read them.
  std::optional<int64_t> queries;
  bool boxes = false; ///< results are copied to memory in boxes

  template <typename Fields> void visit(Fields &fields) {
    fields("keys", keys);
    fields("stages", stages);
    fields("width", width);
    fields("turns", turns);
    fields("queries", queries);
    fields("boxes", boxes);
  }
  void check(ScheduleRules &rules, AttentionOp op) const;
};

/// What lies where in shared memory: the rings of queries, of keys and of values, results,
/// barriers. Rows are in panels of 128 bytes.
struct WgmmaAttentionPlan : MmaAttentionPlan {
  /// None, if keys or values have no tensor map.
  static std::optional<WgmmaAttentionPlan> match(AttentionOp op,
                                                 const WgmmaAttentionSchedule &schedule);

  static constexpr int64_t kPanelElements = kPanelBytes / 2;
  static int64_t getPanels(const AttentionFactor &factor) {
    return llvm::divideCeil(factor.getPadded(), kPanelElements);
  }
  /// Scores are products, hidden behind the bound of a row alone.
  bool isPlain(AttentionOp op) const;
  /// Of one group.
  int64_t getQueryBytes() const { return kWgmmaRows * kPanelBytes * getPanels(query); }
  int64_t getTilePanel() const { return tile.keys * kPanelBytes; }
  /// A stage has the queries of both groups.
  TileRing getQueries() const;
  TileRing getKeys() const;
  TileRing getValues() const;
  int64_t getResultsStart() const;
  /// Where the numbers of tiles are that blocks draw, if they do.
  int64_t getQueueStart() const { return getValues().getBarrierEnd(); }
  int64_t getBlockBytes() const;
  /// As many tiles of queries as there is room for, up to two.
  int64_t getMostQueries() const;

  WgmmaAttentionSchedule tile;
  MappedTensor keyMap, valueMap;
  std::optional<MappedTensor> queryMap, resultMap; ///< in boxes of a group, of a warp

private:
  WgmmaAttentionPlan(AttentionOp op, const WgmmaAttentionSchedule &schedule, MappedTensor keyMap,
                     MappedTensor valueMap);
  int64_t getBarriers() const;
};

/// The schedule on sm_90a of an attention that has one for all chips; null where that serves as
/// well.
LoweringAttr chooseWgmmaAttention(AttentionOp op);

std::unique_ptr<TileEmitter> createWgmmaAttentionEmitter(AttentionOp op, LoweringAttr lowering);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_WGMMAATTENTIONPLAN_H
