//===- AttentionRoles.h - what each index of an attention does -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_ATTENTIONROLES_H
#define WEFT_CODEGEN_COMMON_ATTENTIONROLES_H

#include "weft/Codegen/Common/RegionEmitter.h"
#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// What each index of an attention does.
struct AttentionRoles {
  /// The index whose values share keys and values: rows of a tile. None: tiles have one row.
  std::optional<unsigned> query;
  /// An outer index, each `groupSize` neighbouring values of which share keys and values, as a
  /// query's grouped heads do. They are rows, too: a query's follow one another.
  std::optional<unsigned> group;
  int64_t groupSize = 1;
  /// Output indices that are fixed in a task: heads, batches, in stored order.
  llvm::SmallVector<unsigned> outer;
  /// Output indices on which only the value depends: columns of the result, last fastest.
  llvm::SmallVector<unsigned> columns;
  /// For each dot product the indices that it contracts, last fastest.
  llvm::SmallVector<llvm::SmallVector<unsigned>> contracted;

  int64_t sizeV = 1;                ///< number of result columns
  llvm::SmallVector<int64_t> sizeC; ///< products of the contracted extents

  /// The score is the (only) dot product itself.
  bool plainScore = false;
  bool normalized = true;

  explicit AttentionRoles(AttentionOp op);

  /// Whether there may be several rows with the same keys.
  bool sharesKeys() const { return query || group; }

private:
  void assignIndices(AttentionOp op);
  void findGroup(AttentionOp op);
};

/// A score that its region gives, of which an exponent of two will be made. Numbers that hide a
/// key, as the least finite one does, are brought nearer to 0, so that they stay finite then: a row
/// that sees no other keys has weights, unless they are minus infinity.
mlir::Value limitScore(LaneBuilder &lanes, AttentionOp op, mlir::Value score);

/// Writes what is known of a row, as far as it is a result: the logarithm of the sum of
/// exponentials and the largest score, of `largest` (in units of log2(e)) and `total`; or the sum
/// of weights.
void storeRowResults(LaneBuilder &lanes, RegionEmitter region, AttentionOp op, mlir::Value largest,
                     mlir::Value total);

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_ATTENTIONROLES_H
