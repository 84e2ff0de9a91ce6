//===- ResultRows.h - from sums in registers to results in memory ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_RESULTROWS_H
#define WEFT_LIB_CODEGEN_GPU_RESULTROWS_H

#include "MmaSchedule.h"
#include "SharedTile.h"

#include "weft/Codegen/Common/RegionEmitter.h"

namespace weft {

/// Sixteen rows of sums, which a warp has in the registers of `nvx.mma` or `nvx.wgmma`, go through
/// shared memory, so that the code of the epilogue exists once for all of them, and neighbouring
/// threads write what lies side by side. All threads of the warp are there.
class ResultRows {
public:
  /// Parts of results that a thread finishes after it has asked for what all of them need beside
  /// their sums; where its registers hold the sums of groups of warps there is room for fewer.
  static constexpr int64_t kAhead = 4, kAheadOfGroups = 2;

  /// Of so many columns of a warp. Sums lie in rows that are longer than they are, or in a tile.
  ResultRows(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const ChunkedProduct &shape,
             int64_t columns, int64_t width, int64_t ahead = kAhead,
             std::optional<SharedTile> tile = std::nullopt)
      : lanes(lanes), kernel(kernel), op(op), shape(shape), columns(columns), width(width),
        ahead(ahead), tile(tile) {}

  /// A row of sums in shared memory: neighbours in a column lie in different banks.
  static int64_t getElements(int64_t columns) { return columns + 8; }
  static int64_t getBytes(int64_t columns) { return kMmaRows * getElements(columns) * 4; }

  /// Row and column of a sum of the thread.
  static std::pair<Lanes, Lanes> getPosition(LaneBuilder &lanes, const Lanes &lane, int64_t number);
  /// `memory` is the warp's.
  void store(const Lanes &lane, mlir::ValueRange sums, mlir::Value memory);
  /// What an epilogue reads beside a sum, if it was loaded before.
  using Extras = llvm::SmallVector<Lanes>;
  /// What is done with sums instead of making results of them.
  using Keep = llvm::function_ref<void(const Lanes &row, const Lanes &column, mlir::Value sum,
                                       const Extras &extras)>;
  /// Which row of the product one of the tile is.
  using RowOf = llvm::function_ref<Lanes(const Lanes &row)>;
  /// The results whose first row and column these are, if there are such; `indices` has those of
  /// the batch.
  void finish(const Lanes &lane, llvm::ArrayRef<Lanes> indices, const Lanes &firstRow,
              const Lanes &firstColumn, mlir::Value memory, Keep keep = nullptr,
              RowOf rowOf = nullptr);
  /// The results of one row from a column on, of these sums.
  void storeResults(llvm::ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                    mlir::Value sum, const Extras &extras = {});
  /// The same as numbers.
  mlir::Value computeResults(llvm::ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
                             mlir::Value sum, const Extras &extras = {});

private:
  /// Neighbours that a thread finishes at once.
  struct Part {
    Lanes row, column; ///< of the product
    mlir::Value place; ///< of the sums
    Extras extras;
  };
  using Use = llvm::function_ref<void(LaneBuilder &together, RegionEmitter &region, Lanes results)>;
  Lanes getPlace(const Lanes &row, const Lanes &column);
  RegionEmitter getRegion(LaneBuilder &together, llvm::ArrayRef<Lanes> indices, const Lanes &row,
                          const Lanes &column);
  void compute(llvm::ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column,
               mlir::Value sum, const Extras &extras, Use use);
  bool readsElements();
  Extras loadExtras(llvm::ArrayRef<Lanes> indices, const Lanes &row, const Lanes &column);
  void finishPart(llvm::ArrayRef<Lanes> indices, const Part &part, Keep keep);

  LaneBuilder &lanes;
  const Kernel &kernel;
  ContractOp op;
  const ChunkedProduct &shape;
  int64_t columns, width, ahead;
  std::optional<SharedTile> tile;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_RESULTROWS_H
