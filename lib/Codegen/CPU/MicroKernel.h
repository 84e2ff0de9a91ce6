//===- MicroKernel.h - the register tile of products and attention --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_MICROKERNEL_H
#define WEFT_LIB_CODEGEN_CPU_MICROKERNEL_H

#include "weft/Codegen/Common/Kernel.h"
#include "weft/Dialect/Weft/IR/Product.h"

namespace weft {

/// Bytes that a cache moves at once.
inline constexpr int64_t kLine = 64;

/// The parts of a panel that are fetched ahead at the same time beside tiles of a unit: a processor
/// follows what is read of each, and a line comes before it is asked for. One part's lines would
/// all be waited for, in buffers that loads need.
inline constexpr int64_t kPanelStreams = 8;

/// Fetches so many lines, the first one at `first`, into the second cache.
void emitPrefetches(mlir::OpBuilder &b, mlir::Location loc, mlir::Value first, int64_t lines);
/// Of so many lines from each of `first` on those that part `part` of `parts` fetches beside its
/// work, in their order: all at once they take the buffers that loads need.
void emitShare(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange first, int64_t lines,
               int64_t part, int64_t parts);

/// Steps of many rows after which lines are fetched.
inline constexpr int64_t kLineSteps = 4;

/// The factors of a register tile: `rows[i][k * stride]` times the vector number v of `width`
/// elements at `panel[k * panelStride]`; of columns of bf16 pairs of k with pairs.
struct TileFactors {
  llvm::SmallVector<mlir::Value> rows; ///< pointers to the first elements of the rows
  Lanes stride;
  mlir::Value panel;
  int64_t panelStride; ///< in 4 bytes, from one step to the next
  int64_t numVectors;
  int64_t unroll; ///< steps that are written out
  mlir::Type rowType, columnType;
  bool areNarrow = false; ///< codes (`#weft.coded`)
  bool areRows = false;   ///< columns of 16 bits are rows as they lie, not pairs
  /// Where lines are that will be needed soon, or null: `prefetchLines` of them, one after the
  /// other, are fetched into the second cache whenever `unroll` steps are taken; of many rows some
  /// of them every `kLineSteps` steps, of few each between what is loaded.
  mlir::Value prefetch;
  int64_t prefetchLines = 0;
  /// Elements of 4 bytes from these lines to as many more, which are fetched, too; 0: none are, and
  /// the same lines are named again.
  std::optional<Lanes> prefetchMore;

  /// Elements of k in a step.
  int64_t getDepth() const { return areRows ? 1 : getPanelDepth(columnType); }
};

/// What a register tile multiplies of rows of codes and a block of a panel of short ones.
struct CodeFactors {
  llvm::ArrayRef<mlir::Value> rows; ///< pointers to codes, side by side, from the block's first on
  mlir::Value panel;                ///< its first byte
  Lanes firstK, sizeK;              ///< whole groups, or some of one
  int64_t ahead = 0;                ///< what lies so many bytes behind is fetched; 0: nothing
  bool inWords = false;             ///< products are added up in words of 16 bits first
};

/// Four codes of a row, in all lanes.
mlir::Value loadRowCodes(LaneBuilder &lanes, mlir::Value address);

/// sums[i * numVectors + v] += sum(k < size) of the products, with k unrolled. The sums stay in
/// registers: they are loop-carried vectors and nothing is stored inside the loop.
llvm::SmallVector<mlir::Value> emitTileProduct(LaneBuilder &lanes, const TileFactors &factors,
                                               const Lanes &size, mlir::ValueRange sums);

/// Turns `width` vectors, the rows of a square, into its columns.
llvm::SmallVector<mlir::Value> transpose(LaneBuilder &lanes, llvm::SmallVector<mlir::Value> rows);

} // namespace weft

#endif
