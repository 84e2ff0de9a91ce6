//===- TileOrder.h - which tiles are computed side by side ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Tiles with neighbouring numbers are computed at the same time, by other processors. What several
// of them read, keys and values of a head or rows of a factor, should come from memory once, and
// stay in the second cache until all have read it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_TILEORDER_H
#define WEFT_LIB_CODEGEN_GPU_TILEORDER_H

#include "weft/Codegen/Common/Lanes.h"

namespace weft {

struct TilePlace {
  Lanes outer, inner;
};

/// Tiles `outer` x `inner`, of which inner numbers come in groups: of the first group all outer
/// numbers come, each with the numbers of the group, then those of the next.
struct TileGrid {
  Lanes outer, inner;
  int64_t group;
};

TilePlace getPlace(LaneBuilder &lanes, const TileGrid &grid, const Lanes &number);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_TILEORDER_H
