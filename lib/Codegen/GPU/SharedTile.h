//===- SharedTile.h - a tile of a matrix in shared memory -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Rows of chunks of 16 bytes. Eight rows that are read at once, or eight chunks that are written,
// must lie in different banks, so the chunks of a row change places with its number.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_SHAREDTILE_H
#define WEFT_LIB_CODEGEN_GPU_SHAREDTILE_H

#include "MmaSchedule.h"

namespace weft {

struct SharedTile {
  int64_t rows, chunks; ///< of a row: a power of two from 4

  int64_t getBytes() const { return rows * chunks * kChunkBytes; }
  /// To the row `count` behind another one, a multiple of 8: its chunks have changed places alike.
  int64_t getRowsBytes(int64_t count) const { return count * chunks * kChunkBytes; }
  /// Where a chunk is, in bytes.
  Lanes getPlace(LaneBuilder &lanes, const Lanes &row, const Lanes &chunk) const {
    int64_t span = std::min<int64_t>(chunks, kBankChunks);
    Lanes change = lanes.mod(lanes.floorDiv(row, kBankChunks / span), span);
    Lanes moved =
        lanes.binary(mlir::arith::XOrIOp::getOperationName(), chunk, change, {0, chunks - 1});
    Lanes number = lanes.add(lanes.mul(row, lanes.constant(chunks)), moved);
    return lanes.mul(number, lanes.constant(kChunkBytes));
  }

private:
  /// Chunks that lie in different banks: 128 bytes.
  static constexpr int64_t kChunkBytes = 16, kBankChunks = 8;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_SHAREDTILE_H
