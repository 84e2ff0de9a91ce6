//===- AttentionPlan.h - the tiles of an attention ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_ATTENTIONPLAN_H
#define WEFT_LIB_CODEGEN_CPU_ATTENTIONPLAN_H

#include "AttentionSchedule.h"
#include "weft/Codegen/Common/AttentionRoles.h"

namespace weft {

/// The sizes of the tiles of an attention under a schedule.
struct AttentionPlan : AttentionRoles {
  int64_t width;                  ///< lanes
  int64_t tileRows;               ///< rows of a tile, at most
  int64_t blockRows;              ///< queries of a task
  int64_t blockKeys;              ///< keys that are packed at once
  int64_t unroll;                 ///< steps of a register tile that are written out
  std::optional<int64_t> streams; ///< places of the next block that are fetched at the same time
  bool parallel;

  bool tiles;         ///< whether the unit of tiles multiplies, what is packed being bf16
  bool dots;          ///< whether loops of dots stand for it
  bool halves;        ///< whether one query is multiplied beside it, as f32
  bool roundsWeights; ///< whether weights are rounded to bf16
  /// Whether they are relative to a guess of the largest score: not where the logarithm of a sum is
  /// a result, which another guess would round otherwise, nor where scores do not outlast them.
  bool guesses;
  /// Whether they are relative to a power of two: all are rounded alike then, whatever the largest
  /// score was so far.
  bool wholeLargest;
  int64_t groupRows; ///< rows whose weights are made side by side
  bool cut;          ///< whether the head is
  int64_t heldRows;  ///< rows whose scores are kept at once: a tile's, a block's if the head is cut
  /// What is packed at once of `sizeC` and of `sizeV`, this a multiple of the width; for tiles
  /// whole pairs, and columns of whole tiles.
  llvm::SmallVector<int64_t> sliceC;
  int64_t sliceV;

  /// Keys of a dot product, and values, that lie in panels of two vectors as another kernel has
  /// packed them; of a head that is not cut.
  llvm::SmallVector<bool> keysInPanels;
  bool valuesInPanels;

  AttentionPlan(AttentionOp op, const AttentionSchedule &schedule);

  /// Scores of a row and a key that are kept: the weight takes the place of the first.
  int64_t getNumScores() const { return std::max<int64_t>(sizeC.size(), 1); }
  /// Words of 32 bits, a pair each, that the keys of a tile take.
  int64_t getKeyWords(unsigned dot) const;
  /// The bytes of what is packed for a product of queries and keys, and of all values of a block.
  int64_t getQueryBytes(unsigned dot) const { return blockRows * sliceC[dot] * (tiles ? 2 : 4); }
  int64_t getKeyBytes(unsigned dot) const;
  /// Those of one query as f32.
  int64_t getHalfBytes(unsigned dot) const { return halves ? groupSize * sliceC[dot] * 4 : 0; }
  int64_t getValueBytes() const;
  /// Those of the weights of a tile, if they have a place of their own.
  int64_t getWeightBytes() const {
    return tiles || guesses ? heldRows * blockKeys * (tiles ? 2 : 4) : 0;
  }
  /// What the blocks of a task take of the stack.
  int64_t getStackBytes() const;

private:
  void findPanels(AttentionOp op);
  bool liesInPanels(AttentionOp op, unsigned input, llvm::ArrayRef<unsigned> k,
                    llvm::ArrayRef<unsigned> n) const;
};

} // namespace weft

#endif
