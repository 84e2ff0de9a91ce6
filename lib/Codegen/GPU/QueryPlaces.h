//===- QueryPlaces.h - where groups of four warps have their queries ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_QUERYPLACES_H
#define WEFT_LIB_CODEGEN_GPU_QUERYPLACES_H

#include "SharedTile.h"

namespace weft {

/// Where a thread writes its part of the queries, which are A of `nvx.wgmma`: to where copies of
/// boxes would have put them, 64 rows of a group, in panels of 128 bytes, behind the other's.
class QueryPlaces {
public:
  /// `warp` is one of the eight of both groups, of which each has so many bytes.
  QueryPlaces(LaneBuilder &lanes, const Lanes &warp, const Lanes &lane, int64_t groupBytes);
  /// In bytes; of register `i` of A, a pair of elements, in the step that begins with element
  /// `first`.
  Lanes get(int64_t first, int64_t i) const;

private:
  LaneBuilder &lanes;
  Lanes row;   ///< the thread's first one, of those of its group
  Lanes start; ///< of what it has of a chunk at the begin of its group's queries
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_QUERYPLACES_H
