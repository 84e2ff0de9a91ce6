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

/// Calls `body` for each tile of the block, where later outer numbers have less to do: blocks take
/// tiles of a group in rounds, from the first block to the last and back again, so that all of them
/// have as much to do. A group has tiles for two rounds at least. `body` carries a number.
void forSmallerTiles(LaneBuilder &lanes, const TileGrid &grid,
                     llvm::function_ref<Lanes(const TilePlace &place, const Lanes &number)> body);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_TILEORDER_H
