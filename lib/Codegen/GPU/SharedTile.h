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

#include "Chunks.h"

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Codegen/GPU/Passes.h"

namespace weft {

struct SharedTile {
  int64_t rows, chunks; ///< of a row: a power of two
  /// How many chunks farther one is put than in the row before: 2, where four rows of eight
  /// elements of 32 bits are read at once.
  int64_t spread = 1;

  /// For rows of so many elements, of which a chunk has `ofChunk`.
  static SharedTile forRows(int64_t rows, int64_t elements, int64_t ofChunk) {
    auto chunks = int64_t(llvm::bit_ceil(uint64_t(llvm::divideCeil(elements, ofChunk))));
    return {rows, std::max<int64_t>(chunks, 4)};
  }
  /// For threads that read four chunks of two rows at once, and no matrices.
  static SharedTile forPairsOfRows(int64_t rows, int64_t chunks) {
    return {rows, chunks, /*spread=*/4};
  }
  /// For rows of f32, every second of eight rows of which eight elements each are read at once: in
  /// rows of 64 bytes they would have half of the banks. Spread by 5 they lie in different chunks,
  /// and four chunks of two rows, as copies write them, do.
  static SharedTile forSecondRows(int64_t rows, int64_t elements) {
    SharedTile tile = forRows(rows, elements, /*ofChunk=*/4);
    return tile.chunks < kBankChunks ? SharedTile{rows, kBankChunks, /*spread=*/5} : tile;
  }

  int64_t getBytes() const { return rows * chunks * kChunkBytes; }
  /// To the row `count` behind another one, a multiple of 8: its chunks have changed places alike.
  int64_t getRowsBytes(int64_t count) const { return count * chunks * kChunkBytes; }
  /// Where a chunk is, in bytes.
  Lanes getPlace(LaneBuilder &lanes, const Lanes &row, const Lanes &chunk) const {
    int64_t span = std::min<int64_t>(chunks, kBankChunks);
    Lanes change = lanes.floorDiv(row, kBankChunks / span);
    change = lanes.mod(lanes.mul(change, lanes.constant(spread)), span);
    Lanes moved =
        lanes.binary(mlir::arith::XOrIOp::getOperationName(), chunk, change, {0, chunks - 1});
    Lanes number = lanes.add(lanes.mul(row, lanes.constant(chunks)), moved);
    return lanes.mul(number, lanes.constant(kChunkBytes));
  }

  /// The place that a lane names to have four matrices read: sixteen rows of two chunks, which are
  /// A, or values of k for two chunks of columns of B.
  Lanes getPlaceA(LaneBuilder &lanes, const Lanes &lane, int64_t chunk) const {
    return getPlace(lanes, lanes.mod(lane, 16), lanes.floorDiv(lane, 16), chunk);
  }
  /// The same for sixteen rows that are columns of B.
  Lanes getPlaceB(LaneBuilder &lanes, const Lanes &lane, int64_t chunk) const {
    Lanes isOdd = lanes.mod(lanes.floorDiv(lane, 8), 2);
    Lanes upper = lanes.mul(lanes.floorDiv(lane, 16), lanes.constant(8));
    return getPlace(lanes, lanes.add(lanes.mod(lane, 8), upper), isOdd, chunk);
  }

  /// Of the chunk `more` behind one that is 0 or 1. Farther chunks than change places are so many
  /// bytes away whatever the row, so code needs few places at once.
  Lanes getPlace(LaneBuilder &lanes, const Lanes &row, const Lanes &chunk, int64_t more) const {
    int64_t near = more % std::min<int64_t>(chunks, kBankChunks);
    Lanes place = getPlace(lanes, row, lanes.add(chunk, lanes.constant(near)));
    return lanes.add(place, lanes.constant((more - near) * kChunkBytes));
  }

  /// Chunks that lie in different banks: 128 bytes.
  static constexpr int64_t kBankChunks = 8;
};

/// `memory` plus some bytes.
mlir::Value getSharedPlace(LaneBuilder &lanes, mlir::Value memory, const Lanes &bytes);

/// Four matrices of 8 x 8 elements of 16 bits, whose rows the lanes name.
llvm::SmallVector<mlir::Value> loadMatrices(LaneBuilder &lanes, mlir::Value memory,
                                            const Lanes &place, bool transposed);

/// Words of f32 as tf32, and what that leaves of them as tf32.
std::pair<llvm::SmallVector<mlir::Value>, llvm::SmallVector<mlir::Value>>
splitWide(LaneBuilder &lanes, mlir::ValueRange words);

/// Sums of small matrices side by side as A of the next product, in 16 bits or in f32. Eight
/// columns of f32 come in the order 0, 2, 4, 6, 1, 3, 5, 7: a thread has neighbours of C, and of A
/// what is four apart.
llvm::SmallVector<mlir::Value> asFactor(LaneBuilder &lanes, mlir::ValueRange sums,
                                        mlir::Type element);

/// So many words of memory that lie side by side, aligned as a whole; zeros unless they exist, if
/// it is not known that they do.
llvm::SmallVector<mlir::Value> loadWords(LaneBuilder &lanes, mlir::Value place, int64_t count,
                                         mlir::Value exists = {});
/// The lower or the upper halves of two words: of two rows of 16 bits the pair of one column.
mlir::Value takeHalves(LaneBuilder &lanes, mlir::Value low, mlir::Value high, bool upper);

/// `sums += a * b`, the sums of a small matrix in place.
void addProduct(LaneBuilder &lanes, mlir::Type element, mlir::ValueRange a, mlir::ValueRange b,
                llvm::MutableArrayRef<mlir::Value> sums);

/// The same of codes.
void addWholeProduct(LaneBuilder &lanes, mlir::ValueRange a, mlir::ValueRange b,
                     llvm::MutableArrayRef<mlir::Value> sums);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_SHAREDTILE_H
