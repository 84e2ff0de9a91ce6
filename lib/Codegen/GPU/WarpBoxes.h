//===- WarpBoxes.h - a warp's results on their way to memory --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_WARPBOXES_H
#define WEFT_LIB_CODEGEN_GPU_WARPBOXES_H

#include "SharedTile.h"
#include "TensorMap.h"

#include "weft/Codegen/GPU/Fragment.h"

namespace weft {

/// Two tiles of shared memory of a warp, each a box of sixteen rows of 128 bytes, whose chunks have
/// changed places. Results are written to one as they are stored, and copied from there
/// (`nvx.tma_store`) while the warp goes on. All threads of the warp are there.
class WarpBoxes {
public:
  static constexpr int64_t kTileBytes = kMmaRows * kPanelBytes;
  static constexpr int64_t kBytes = 2 * kTileBytes;
  /// Where copies of boxes put chunks.
  static constexpr SharedTile kBox{kMmaRows, kPanelBytes / kChunkBytes};
  /// Where a result of so many bytes is in a box.
  static Lanes getPlace(LaneBuilder &lanes, const Lanes &row, const Lanes &column, int64_t bytes);

  /// `memory` is the warp's, a multiple of its bytes from the begin of shared memory; `columns` are
  /// the indices of results that a row has.
  WarpBoxes(LaneBuilder &lanes, const Kernel &kernel, FormulaOpInterface op,
            llvm::ArrayRef<unsigned> columns, const MappedTensor &output, const Lanes &lane,
            mlir::Value memory)
      : lanes(lanes), kernel(kernel), op(op), columns(columns), output(output), lane(lane),
        memory(memory) {}

  mlir::Type getType();
  mlir::Value getTile(int64_t number);
  void meet();
  /// The boxes of some rows take the two tiles in turns: the tile of this one, of so many, when no
  /// copy reads it any more.
  int64_t begin(size_t box, size_t numBoxes);
  /// Until no copy, or all but the last one, reads a tile.
  void waitForCopies(bool butLast);
  /// Neighbouring results of a row.
  void storeAt(int64_t tile, const Lanes &row, const Lanes &column, mlir::Value results);
  /// Begins to copy the box of this first row and column; `indices` has all others.
  void copy(int64_t tile, llvm::ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
            mlir::Value map);
  /// Waits until all of them are in memory.
  void finish();

private:
  LaneBuilder &lanes;
  const Kernel &kernel;
  FormulaOpInterface op;
  llvm::ArrayRef<unsigned> columns;
  const MappedTensor &output;
  Lanes lane;
  mlir::Value memory;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_WARPBOXES_H
