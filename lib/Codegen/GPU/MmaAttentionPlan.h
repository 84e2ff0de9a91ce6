//===- MmaAttentionPlan.h - the tiles of an attention on matrix units ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_MMAATTENTIONPLAN_H
#define WEFT_LIB_CODEGEN_GPU_MMAATTENTIONPLAN_H

#include "GroupWalk.h"
#include "SharedTile.h"

#include "weft/Codegen/Common/AttentionRoles.h"
#include "weft/Codegen/Common/Schedule.h"
#include "weft/Codegen/GPU/Fragment.h"

namespace weft {

/// A task is a block of 128 rows of a head, 16 for each warp of a block of threads.
struct MmaAttentionSchedule {
  static constexpr int64_t kRows = kBlockSize / kWarpSize * kMmaRows;

  int64_t keys = 16; ///< of a tile: 16, 32, 64 or 128
  int64_t width = 1; ///< neighbouring results that a thread writes at once
  /// None, or so many of the last steps of 16 elements of a query are in shared memory, each
  /// thread's part of them where it alone reads it, and not in registers.
  std::optional<int64_t> parked;
  /// None, or so many of the first steps are read from memory for every tile of keys.
  std::optional<int64_t> reread;
  /// Of f32: 1, of factors rounded to tf32, or 3, of factors that are sums of two such numbers.
  std::optional<int64_t> products;

  template <typename Fields> void visit(Fields &fields) {
    fields("keys", keys);
    fields("width", width);
    fields("parked", parked);
    fields("reread", reread);
    fields("products", products);
  }
  void check(ScheduleRules &rules, AttentionOp op) const;
};

/// A matrix that is read by its rows, which are queries or keys.
struct AttentionFactor {
  unsigned input;
  llvm::SmallVector<unsigned> along; ///< what a row's elements depend on, last fastest
  int64_t size;                      ///< of a row
  int64_t chunk;                     ///< elements that can be copied at once

  int64_t getPadded() const { return llvm::alignTo(size, kMmaRows); }
};

/// What matrix units need of an attention: one product of queries and keys, all of it and values
/// in one type of 16 bits or in f32, heads of at most 256 elements.
struct AttentionFactors {
  static std::optional<AttentionFactors> match(AttentionOp op);

  AttentionRoles roles;
  mlir::Type element;
  AttentionFactor query, key, value;

  bool isWide() const { return element.isF32(); } ///< multiplied as tf32
  int64_t getBytes() const { return isWide() ? 4 : 2; }
  int64_t getOfChunk() const { return kChunkBytes / getBytes(); } ///< elements
  int64_t getDepth() const { return getMmaDepth(8 * getBytes()); }
};

struct MmaAttentionPlan : AttentionFactors {
  MmaAttentionPlan(AttentionOp op, const MmaAttentionSchedule &schedule)
      : AttentionFactors(*match(op)), schedule(schedule),
        isUneven(op.getKeyUpper() && !op.getKeyLower()) {}

  SharedTile getKeyTile() const {
    return SharedTile::forRows(schedule.keys, key.getPadded(), getOfChunk());
  }
  SharedTile getValueTile() const {
    if (isWide())
      return SharedTile::forSecondRows(schedule.keys, value.getPadded());
    return SharedTile::forRows(schedule.keys, value.getPadded(), getOfChunk());
  }
  /// The bounds of keys of every warp have a place of their own.
  static constexpr int64_t kBoundsBytes = kBlockSize / kWarpSize * 2 * 4;
  /// Keys, values, queries.
  int64_t getValuesStart() const { return getKeyTile().getBytes(); }
  int64_t getQueriesStart() const { return getValuesStart() + getValueTile().getBytes(); }
  int64_t getSharedBytes() const {
    return getQueriesStart() + schedule.parked.value_or(0) * kBlockSize * kRegistersA * 4;
  }
  int64_t getSteps() const { return query.getPadded() / getDepth(); }
  /// The first step whose queries are in registers, and in shared memory.
  int64_t getFirstHeld() const { return schedule.reread.value_or(0); }
  int64_t getFirstParked() const { return getSteps() - schedule.parked.value_or(0); }

  /// Small matrices of scores, of sums.
  int64_t getNumScores() const { return schedule.keys / kMmaColumns; }
  int64_t getNumSums() const { return value.getPadded() / kMmaColumns; }

  MmaAttentionSchedule schedule;
  /// Rows see as many keys as there are before them, but for a window: some tiles have more to do.
  bool isUneven;
};

/// Whether a score has sums of its own: loops that carry a number for each score.
bool hasScoreSums(AttentionOp op);
/// Whether a score is so many operations, or such sums, that code for it is written out half as
/// often.
bool isLongScore(AttentionOp op);

/// The operations of a score and its predicate; what they read beside products counts as so many
/// more, each.
size_t countScoreWork(AttentionOp op, size_t ofRead = 0);
/// Neighbouring results that a thread writes at once.
int64_t getAttentionWidth(AttentionOp op, const AttentionFactors &factors);

/// The schedule of an attention on matrix units; null where others serve better, or none can be.
/// f32 is multiplied as one product of `tf32`, or as three.
LoweringAttr chooseMmaAttention(AttentionOp op, bool tf32);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_MMAATTENTIONPLAN_H
