//===- ResultBoxes.h - results that are copied to memory in boxes -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_RESULTBOXES_H
#define WEFT_LIB_CODEGEN_GPU_RESULTBOXES_H

#include "ResultRows.h"
#include "WarpBoxes.h"

namespace weft {

/// Sixteen rows of sums of `nvx.wgmma`, which a warp has in its registers, become results in boxes
/// (WarpBoxes). Without an epilogue they go there at once; else sums do, as ResultRows has them, so
/// that its code exists once: of f32 in the places of the results, of 16 bits in another tile.
class ResultBoxes {
public:
  ResultBoxes(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const ChunkedProduct &shape,
              const MappedTensor &output, int64_t width, const Lanes &lane, mlir::Value memory)
      : lanes(lanes), kernel(kernel), op(op), shape(shape), output(output), width(width),
        lane(lane), boxes(lanes, kernel, op, shape.product.n, output, lane, memory) {}

  /// The results whose first row and column these are; `indices` has those of the batch.
  void store(mlir::ValueRange sums, llvm::ArrayRef<Lanes> indices, const Lanes &firstRow,
             const Lanes &firstColumn, mlir::Value map);
  void finish() { boxes.finish(); }

private:
  bool isWide() { return boxes.getType().isF32(); }
  bool hasEpilogue() { return !op.getEpilogue().empty(); }
  void storePlain(int64_t tile, mlir::ValueRange sums);
  void storeFinished(int64_t tile, mlir::ValueRange sums, llvm::ArrayRef<Lanes> indices,
                     const Lanes &firstRow, const Lanes &firstColumn);

  LaneBuilder &lanes;
  const Kernel &kernel;
  ContractOp op;
  const ChunkedProduct &shape;
  const MappedTensor &output;
  int64_t width;
  Lanes lane;
  WarpBoxes boxes;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_RESULTBOXES_H
