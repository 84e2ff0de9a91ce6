//===- QueryPlaces.cpp - where groups of four warps have their queries -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "QueryPlaces.h"

#include "weft/Codegen/GPU/Fragment.h"
#include "weft/Codegen/GPU/MatrixDescriptor.h"

using namespace mlir;
using namespace weft;

/// Where copies of boxes put chunks.
static constexpr SharedTile kPanel{kWgmmaRows, kPanelBytes / kChunkBytes};

QueryPlaces::QueryPlaces(LaneBuilder &lanes, const Lanes &warp, const Lanes &lane,
                         int64_t groupBytes)
    : lanes(lanes) {
  Lanes rowOfBlock = lanes.add(lanes.mul(warp, lanes.constant(kMmaRows)), lanes.floorDiv(lane, 4));
  row = lanes.mod(rowOfBlock, kWgmmaRows);
  start = lanes.add(lanes.mul(lanes.floorDiv(rowOfBlock, kWgmmaRows), lanes.constant(groupBytes)),
                    lanes.mul(lanes.mod(lane, 4), lanes.constant(4)));
}

/// The eight elements from a multiple of eight on are a chunk; the other row of the thread is eight
/// behind, where chunks have changed places alike.
Lanes QueryPlaces::get(int64_t first, int64_t i) const {
  FragmentElement element = getFragmentElement(Fragment::A, 16, 2 * i);
  int64_t bytes = (first + element.column.offset) * 2, panel = bytes / kPanelBytes;
  Lanes place = kPanel.getPlace(lanes, row, lanes.constant(bytes % kPanelBytes / kChunkBytes));
  int64_t skip = panel * kPanel.getBytes() + kPanel.getRowsBytes(element.row.offset);
  return lanes.add(lanes.add(place, start), lanes.constant(skip));
}
