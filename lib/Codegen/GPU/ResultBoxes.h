//===- ResultBoxes.h - results that are copied to memory in boxes -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_RESULTBOXES_H
#define WEFT_LIB_CODEGEN_GPU_RESULTBOXES_H

#include "ResultRows.h"
#include "TensorMap.h"

namespace weft {

/// Sixteen rows of sums of `nvx.wgmma`, which a warp has in its registers, become results in shared
/// memory, as they are stored, and are copied from there (`nvx.tma_store`) while the warp goes on.
/// A box has rows of 128 bytes, whose chunks have changed places. Without an epilogue results go
/// there at once; else sums do, as ResultRows has them, so that its code exists once: of f32 in the
/// places of the results, of 16 bits in another tile. All threads of the warp are there.
class ResultBoxes {
public:
  static constexpr int64_t kTileBytes = kMmaRows * kPanelBytes;
  /// Of a warp in shared memory.
  static constexpr int64_t kBytes = 2 * kTileBytes;
  /// Where a result of so many bytes is in a box.
  static Lanes getPlace(LaneBuilder &lanes, const Lanes &row, const Lanes &column, int64_t bytes);

  /// The warp's memory is that many bytes, a multiple of them from the begin of shared memory.
  ResultBoxes(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const ChunkedProduct &shape,
              const MappedTensor &output, int64_t width, const Lanes &lane, mlir::Value memory)
      : lanes(lanes), kernel(kernel), op(op), shape(shape), output(output), width(width),
        lane(lane), memory(memory) {}

  /// The results whose first row and column these are; `indices` has those of the batch.
  void store(mlir::ValueRange sums, llvm::ArrayRef<Lanes> indices, const Lanes &firstRow,
             const Lanes &firstColumn, mlir::Value map);
  /// Waits until all of them are in memory.
  void finish();

private:
  mlir::Type getType();
  bool isWide() { return getType().isF32(); }
  bool hasEpilogue() { return !op.getEpilogue().empty(); }
  mlir::Value getTile(int64_t number);
  void meet();
  void storeAt(int64_t tile, const Lanes &row, const Lanes &column, mlir::Value results);
  void storePlain(int64_t tile, mlir::ValueRange sums);
  void storeFinished(int64_t tile, mlir::ValueRange sums, llvm::ArrayRef<Lanes> indices,
                     const Lanes &firstRow, const Lanes &firstColumn);
  void copy(int64_t tile, llvm::ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
            mlir::Value map);

  LaneBuilder &lanes;
  const Kernel &kernel;
  ContractOp op;
  const ChunkedProduct &shape;
  const MappedTensor &output;
  int64_t width;
  Lanes lane;
  mlir::Value memory;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_RESULTBOXES_H
