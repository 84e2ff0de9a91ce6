//===- AttentionSchedule.h - what the emitter of attention can be told ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_ATTENTIONSCHEDULE_H
#define WEFT_LIB_CODEGEN_CPU_ATTENTIONSCHEDULE_H

#include "weft/Codegen/Common/Schedule.h"

namespace weft {

inline constexpr llvm::StringLiteral kDotsUnit = "dots";

/// Rows up to which keys and values take longer to come than all that is computed.
inline constexpr int64_t kWaitingRows = 8;

/// A task is a block of `queries` queries of a head. Tiles are two vectors wide.
struct AttentionSchedule {
  int64_t width = 1;
  int64_t tile = 1;    ///< rows of a tile
  int64_t queries = 1; ///< of a task: a multiple of the tile
  int64_t keys = 2;    ///< that are packed at once: a multiple of two vectors
  /// None, or a head is cut: its scores are added up over slices of the contracted elements (of
  /// these lengths, for each dot product), its columns computed slice by slice (the last length).
  /// Multiples of two vectors.
  llvm::SmallVector<int64_t> slices;
  int64_t unroll = 1; ///< steps of a register tile that are written out
  /// Places at which a few rows fetch what they read after the block in hand, at the same time;
  /// none: they fetch keys and values that lie a little farther on. Divides two vectors.
  std::optional<int64_t> streams;
  /// "tiles": both products are `weft_cpu.tile_product`s; "dots": loops of dots stand for these,
  /// and what is multiplied once need not be packed; none: they are register tiles.
  std::optional<std::string> unit;
  bool parallel = false;

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    fields("tile", tile);
    fields("queries", queries);
    fields("keys", keys);
    fields("slices", slices);
    fields("unroll", unroll);
    fields("streams", streams);
    fields("unit", unit);
    fields("parallel", parallel);
  }
  void check(ScheduleRules &rules, AttentionOp op) const;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_ATTENTIONSCHEDULE_H
