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
#include "TileRing.h"

namespace weft {

/// A tile of the output is 128 rows, 64 for each of the groups that compute.
struct WgmmaAttentionSchedule {
  int64_t keys = 16;  ///< of a tile: a multiple of 16
  int64_t stages = 2; ///< tiles of keys, and as many of values, in shared memory
  int64_t width = 1;  ///< neighbouring results that a thread writes at once
  bool turns = false; ///< groups begin products in turns
  /// Every so many'th power of two is a polynomial, as there are few units for powers. For weights
  /// of bf16.
  std::optional<int64_t> polynomials;

  template <typename Fields> void visit(Fields &fields) {
    fields("keys", keys);
    fields("stages", stages);
    fields("width", width);
    fields("turns", turns);
    fields("polynomials", polynomials);
  }
  void check(ScheduleRules &rules, AttentionOp op) const;
};

/// What lies where in shared memory: queries, the rings of keys and of values, barriers. Rows are
/// in panels of 128 bytes.
struct WgmmaAttentionPlan : MmaAttentionPlan {
  /// None, if keys or values have no tensor map.
  static std::optional<WgmmaAttentionPlan> match(AttentionOp op,
                                                 const WgmmaAttentionSchedule &schedule);

  static constexpr int64_t kPanelElements = kPanelBytes / 2;
  static int64_t getPanels(const AttentionFactor &factor) {
    return llvm::divideCeil(factor.getPadded(), kPanelElements);
  }
  /// Of one group.
  int64_t getQueryBytes() const { return kWgmmaRows * kPanelBytes * getPanels(query); }
  int64_t getTilePanel() const { return tile.keys * kPanelBytes; }
  TileRing getKeys() const;
  TileRing getValues() const;
  int64_t getBlockBytes() const;

  WgmmaAttentionSchedule tile;
  MappedTensor keyMap, valueMap;

private:
  WgmmaAttentionPlan(AttentionOp op, const WgmmaAttentionSchedule &schedule, MappedTensor keyMap,
                     MappedTensor valueMap)
      : MmaAttentionPlan(op, {schedule.keys, schedule.width, {}, {}, {}}), tile(schedule),
        keyMap(std::move(keyMap)), valueMap(std::move(valueMap)) {}
  int64_t getBarriers() const;
};

/// The schedule on sm_90a of an attention that has one for all chips; null where that serves as
/// well.
LoweringAttr chooseWgmmaAttention(AttentionOp op);

std::unique_ptr<TileEmitter> createWgmmaAttentionEmitter(AttentionOp op, LoweringAttr lowering);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_WGMMAATTENTIONPLAN_H
