//===- AttentionPlan.h - the roles of the indices of an attention ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_ATTENTIONPLAN_H
#define WEFT_LIB_CODEGEN_CPU_ATTENTIONPLAN_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// What each index of an attention does, and the sizes of its tiles.
struct AttentionPlan {
  /// The index whose values share keys and values: rows of a tile. None: tiles have one row.
  std::optional<unsigned> query;
  /// Output indices that are fixed in a task: heads, batches, in stored order.
  llvm::SmallVector<unsigned> outer;
  /// Output indices on which only the value depends: columns of the result, last fastest.
  llvm::SmallVector<unsigned> columns;
  /// For each dot product the indices that it contracts, last fastest.
  llvm::SmallVector<llvm::SmallVector<unsigned>> contracted;

  int64_t width;     ///< lanes
  int64_t tileRows;  ///< rows of a register tile
  int64_t blockRows; ///< queries of a task: a multiple of tileRows
  int64_t blockKeys; ///< keys that are packed at once: a multiple of 2 * width
  int64_t sizeV;     ///< number of result columns, `paddedV` as a multiple of the width
  int64_t paddedV;
  llvm::SmallVector<int64_t> sizeC; ///< products of the contracted extents

  /// The score is the (only) dot product itself.
  bool plainScore = false;
  bool normalized = true;

  AttentionPlan(AttentionOp op, LoweringAttr lowering);
};

} // namespace weft

#endif
