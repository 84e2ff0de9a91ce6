//===- WgmmaSchedule.h - what the emitter of products of four warps can be told -------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_WGMMASCHEDULE_H
#define WEFT_LIB_CODEGEN_GPU_WGMMASCHEDULE_H

#include "MmaSchedule.h"
#include "TensorMap.h"
#include "TileEmitter.h"

namespace weft {

/// A product whose factors have tensor maps, and its output, if that has one. f32 is multiplied as
/// tf32, with what is summed over side by side in both factors.
struct MappedProduct {
  static std::optional<MappedProduct> match(ContractOp op);

  ChunkedProduct shape;
  MappedTensor rows, columns; ///< A and B
  std::optional<MappedTensor> results;
};

/// A tile of the product is that of a block; each of the groups that compute has 64 of its rows.
struct WgmmaSchedule {
  static constexpr int64_t kRows = kConsumers * kWgmmaRows;
  /// Columns of a tile are multiples of this: whole panels of B where they lie side by side.
  static constexpr int64_t kPanelColumns = 64;

  llvm::SmallVector<int64_t> tile; ///< `[rows, columns, k]` that are in shared memory at once
  int64_t stages = 1;              ///< such tiles, all but one on their way
  int64_t width = 1;               ///< neighbouring results that a thread finishes at once
  bool boxes = false;              ///< results are copied to memory in boxes
  /// The least columns of the tiles of further kernels, each with half of those before in whole
  /// panels, for calls with so few rows that of the wider ones not every processor has one.
  std::optional<int64_t> narrow;

  template <typename Fields> void visit(Fields &fields) {
    fields("tile", tile);
    fields("stages", stages);
    fields("width", width);
    fields("boxes", boxes);
    fields("narrow", narrow);
  }
  void check(ScheduleRules &rules, ContractOp op) const;
  /// As many as shared memory has room for.
  int64_t getMostStages() const;
  /// How long a tile takes, in columns: the first copies, the results and smaller matrices take
  /// what some more would.
  static int64_t getWork(int64_t columns) { return columns + 32; }
};

/// What is known of a product before it is run, and where everything lies in shared memory: the
/// ring, sums or results of each warp, barriers.
struct WgmmaPlan {
  /// Columns of sums that go through shared memory at once, where threads write results.
  static constexpr int64_t kResultColumns = 32;

  WgmmaPlan(MappedProduct product, WgmmaSchedule schedule)
      : product(std::move(product)), schedule(std::move(schedule)) {}

  int64_t getBytesA() const { return schedule.tile[0] * kPanelBytes; }
  int64_t getBytesB() const { return schedule.tile[1] * kPanelBytes; }
  /// Of columns that lie side by side.
  int64_t getPanelBytes() const { return schedule.tile[2] * kPanelBytes; }
  int64_t getSteps() const { return llvm::divideCeil(product.shape.sizeK, schedule.tile[2]); }
  int64_t getRingBytes() const { return schedule.stages * (getBytesA() + getBytesB()); }
  /// Of sums or results of a warp.
  int64_t getWarpBytes() const;
  int64_t getBarriers() const; ///< where they are
  int64_t getSharedBytes() const;

  MappedProduct product;
  WgmmaSchedule schedule;
};

/// The schedule on sm_90a of a product that has one for all chips; null where that serves as well.
/// f32 is one product of `tf32`, or left alone.
LoweringAttr chooseWgmma(ContractOp op, bool tf32);

/// One, or those of narrower tiles behind it; none if the schedule is wrong.
llvm::SmallVector<std::unique_ptr<TileEmitter>> createWgmmaEmitters(ContractOp op,
                                                                    LoweringAttr lowering);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_WGMMASCHEDULE_H
