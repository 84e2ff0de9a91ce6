//===- QueryPlaces.cpp - where groups of four warps have their queries -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "QueryPlaces.h"

#include "Chunks.h"

#include "weft/Codegen/GPU/Fragment.h"
#include "weft/Codegen/GPU/MatrixDescriptor.h"

using namespace mlir;
using namespace weft;

QueryPlaces::QueryPlaces(LaneBuilder &lanes, const Lanes &warp, const Lanes &lane,
                         int64_t groupBytes)
    : lanes(lanes), inGroup(lanes.mod(lane, 4)) {
  Lanes rowOfBlock = lanes.add(lanes.mul(warp, lanes.constant(kMmaRows)), lanes.floorDiv(lane, 4));
  Lanes group = lanes.floorDiv(rowOfBlock, kWgmmaRows), row = lanes.mod(rowOfBlock, kWgmmaRows);
  change = lanes.mod(row, kPanelRows);
  start = lanes.add(lanes.mul(group, lanes.constant(groupBytes)),
                    lanes.mul(row, lanes.constant(kPanelBytes)));
}

/// The eight elements from a multiple of eight on are a chunk; the other row of the thread is eight
/// behind, where chunks have changed places alike.
Lanes QueryPlaces::get(int64_t first, int64_t i) const {
  FragmentElement element = getFragmentElement(Fragment::A, 16, 2 * i);
  int64_t bytes = (first + element.column.offset) * 2, panel = bytes / kPanelBytes;
  Lanes chunk =
      lanes.binary(arith::XOrIOp::getOperationName(),
                   lanes.constant(bytes % kPanelBytes / kChunkBytes), change, {0, kPanelRows - 1});
  Lanes place = lanes.add(lanes.mul(chunk, lanes.constant(kChunkBytes)),
                          lanes.mul(inGroup, lanes.constant(4)));
  int64_t skip = panel * kWgmmaRows * kPanelBytes + element.row.offset * kPanelBytes;
  return lanes.add(lanes.add(place, start), lanes.constant(skip));
}
